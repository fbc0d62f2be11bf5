"""What became of the benchmark's questions: answered, refused, rightly or wrongly."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.evaluate.evaluation import AnswerResult


def answer_metrics(answers: Sequence[AnswerResult]) -> dict[str, float]:
    """Shares over the judged questions of one split; NaN where there is nothing to divide by.

    - answered: questions to answer that were answered.
    - supported: of those answered, the share that cites at least one relevant passage.
    - refused: questions to refuse that were refused.
    - citation_validity: citations that exist, lie in their passage and are verbatim.
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
        "supported": _share(sum(a.cited_relevant for a in answered), len(answered)),
        "refused": _share(sum(a.status != "answered" for a in to_refuse), len(to_refuse)),
        "citation_validity": 1 - problems / citations if citations else math.nan,
        "citations": float(citations),
    }


def _share(part: int, whole: int) -> float:
    return part / whole if whole else math.nan
