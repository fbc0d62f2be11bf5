"""Shares of the benchmark's questions that were answered and refused, rightly or wrongly."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.evaluate.evaluation import AnswerResult


def answer_metrics(answers: Sequence[AnswerResult]) -> dict[str, float]:
    """Shares over the judged questions of one split; NaN if there is nothing to divide by.

    - answered: questions to answer that were answered; `wrongly_refused` is the rest.
    - supported: questions to answer whose answer cites a passage of the best grade there is for
      them; one that is refused is not supported.
    - refused: questions to refuse that were refused.
    - citation_validity: citations that exist, are in their passage and are verbatim.
    """
    judged = [a for a in answers if a.judged]
    to_answer = [a for a in judged if a.expect == "answer"]
    to_refuse = [a for a in judged if a.expect == "refuse"]
    answered = [a for a in to_answer if a.status == "answered"]
    citations = sum(len(a.answer.citations) for a in answers)
    problems = sum(len(a.citation_problems) for a in answers)
    return {
        "questions": float(len(judged)),
        "answered": _share(len(answered), len(to_answer)),
        "wrongly_refused": _share(len(to_answer) - len(answered), len(to_answer)),
        "to_refuse": float(len(to_refuse)),
        "supported": _share(sum(a.cited_relevant for a in answered), len(to_answer)),
        "refused": _share(sum(a.status != "answered" for a in to_refuse), len(to_refuse)),
        "wrong_drug_passages": float(sum(a.wrong_drug for a in answers)),
        "citation_validity": 1 - problems / citations if citations else math.nan,
        "citations": float(citations),
    }


class RiskCoverage(NamedTuple):
    """Points of a risk-coverage curve, by rising coverage."""

    coverage: tuple[float, ...]
    """Share of the questions answered."""
    risk: tuple[float, ...]
    """Share of those answered that should not have been, or cite nothing relevant."""
    aurc: float
    """Area under the curve: the mean risk over all coverages (Geifman and El-Yaniv 2019)."""


def risk_coverage(answers: Sequence[AnswerResult]) -> RiskCoverage:
    """Risk over coverage when the surest answers, by margin over their threshold, come first.

    Refused questions are left out: they cannot be answered at any threshold below.
    """
    asked = [a for a in answers if a.judged and a.margin is not None]
    asked.sort(key=lambda a: (-(a.margin or 0.0), a.question_id))
    coverage: list[float] = []
    risk: list[float] = []
    wrong = 0
    for count, answer in enumerate(asked, start=1):
        wrong += answer.expect == "refuse" or not answer.relevant_evidence
        coverage.append(count / len(asked))
        risk.append(wrong / count)
    aurc = math.fsum(risk) / len(risk) if risk else math.nan
    return RiskCoverage(tuple(coverage), tuple(risk), aurc)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else math.nan
