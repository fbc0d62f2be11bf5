"""The figures of the ruler over many answers, with intervals over resampled questions. Pure."""

from __future__ import annotations

from collections import defaultdict
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from clinrag_core.evaluate.compare import DRAWS, LEVEL, SEED
from clinrag_core.model.base import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from clinrag_core.evaluate.nugget_metrics import NuggetResult


class NuggetFigure(Record):
    """One figure, with its 95 % interval where it is a share."""

    name: str
    value: float | None
    """None if there is nothing to judge by."""
    low: float | None = None
    high: float | None = None
    n: int
    """Questions it rests on."""


def nugget_figures(results: Sequence[NuggetResult]) -> tuple[NuggetFigure, ...]:
    """Return figures over the judged questions of one split or part.

    - vital_recall: vital nuggets said, of all (micro); a refused answer says none.
    - vital_recall_by_question: mean of each question's share.
    - complete: questions with every vital nugget said.
    - okay_recall: okay nuggets said, of all.
    - relevant_claims: claims that hold a nugget or quote a statement judged relevant.
    - judged_claims: claims that hold a nugget or quote a statement with a judgement; the others
      count as irrelevant.
    - first_claim: questions whose first claim holds what belongs there.
    - wrongly_refused: questions to answer that were refused.
    - refused, absent_refused: questions to refuse that were; absent ones apart.
    - words: median words of the answers to questions to answer.
    - traps_said: traps said in answers to any question; questions_with_traps have one.
    """
    to_answer = [r for r in results if r.expect == "answer"]
    answered = [r for r in to_answer if r.answered]
    refusals = [r for r in results if r.expect == "refuse"]
    first = [r for r in to_answer if r.first_claim is not None]
    trapped = [len(r.traps_said) for r in results]
    return (
        _share("vital_recall", to_answer, lambda r: r.vital_said, lambda r: r.vital),
        _share("vital_recall_by_question", to_answer, lambda r: r.recall),
        _share("complete", to_answer, lambda r: r.complete),
        _share(
            "okay_recall",
            to_answer,
            lambda r: len(r.said) - r.vital_said,
            lambda r: len(r.counted) - r.vital,
        ),
        _share("relevant_claims", answered, lambda r: sum(r.relevant), lambda r: len(r.relevant)),
        _share("judged_claims", answered, lambda r: sum(r.judged), lambda r: len(r.judged)),
        _share("first_claim", first, lambda r: bool(r.first_claim)),
        _share("wrongly_refused", to_answer, lambda r: not r.answered),
        _share("refused", [r for r in refusals if not r.absent], lambda r: not r.answered),
        _share("absent_refused", [r for r in refusals if r.absent], lambda r: not r.answered),
        NuggetFigure(
            name="words",
            value=float(median(r.words for r in answered)) if answered else None,
            n=len(answered),
        ),
        NuggetFigure(name="traps_said", value=float(sum(trapped)), n=len(results)),
        NuggetFigure(
            name="questions_with_traps", value=float(sum(map(bool, trapped))), n=len(results)
        ),
    )


def dose_figures(results: Iterable[NuggetResult]) -> tuple[NuggetFigure, ...]:
    """Return figures over the questions for a drug's usual dose, of one split or part.

    - usual_dose: the first claim holds it, or the question is rightly refused.
    - usual_dose_given, usual_dose_refused: the same over the questions to answer, and to refuse;
      where the corpus has the drug in other settings only, both are right.
    - other_drugs_doses: claims that give doses of other drugs only.
    """
    asked = [r for r in results if r.usual_dose is not None]
    expectations = {"usual_dose_given": "answer", "usual_dose_refused": "refuse"}
    return (
        _share("usual_dose", asked, lambda r: bool(r.usual_dose)),
        *(
            _share(name, [r for r in asked if r.expect == expect], lambda r: bool(r.usual_dose))
            for name, expect in expectations.items()
        ),
        NuggetFigure(
            name="other_drugs_doses",
            value=float(sum(r.other_doses for r in asked)) if asked else None,
            n=len(asked),
        ),
    )


def by_part(
    results: Iterable[NuggetResult], part: Callable[[NuggetResult], str]
) -> dict[str, list[NuggetResult]]:
    """Results by a part of the questions, such as their kind; parts in alphabetical order."""
    parts: dict[str, list[NuggetResult]] = defaultdict(list)
    for result in results:
        parts[part(result)].append(result)
    return dict(sorted(parts.items()))


def _share(
    name: str,
    results: Sequence[NuggetResult],
    part: Callable[[NuggetResult], float],
    whole: Callable[[NuggetResult], float] = lambda _: 1,
) -> NuggetFigure:
    """Sum of parts by sum of wholes, with a percentile interval over resampled questions."""
    results = [r for r in results if whole(r)]
    if not results:
        return NuggetFigure(name=name, value=None, n=0)
    parts = np.array([part(r) for r in results], dtype=np.float64)
    wholes = np.array([whole(r) for r in results], dtype=np.float64)
    rng = np.random.default_rng(SEED)
    picked = rng.integers(len(parts), size=(DRAWS, len(parts)))
    ratios = parts[picked].sum(axis=1) / wholes[picked].sum(axis=1)
    low, high = np.quantile(ratios, ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    value = float(parts.sum() / wholes.sum())
    return NuggetFigure(name=name, value=value, low=float(low), high=float(high), n=len(parts))
