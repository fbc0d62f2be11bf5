"""What a question asks of a drug together with its dose: "5 tablets - before or after food?".

The statements nearest to such a question give the dose; the other matter is in another one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.fit.question_gate import each_misfit
from clinrag_core.answer.question.asking import asked_matters
from clinrag_core.answer.sources import is_quotable
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import RankedStatement, Sources
    from clinrag_core.lexicon.slots import AskedMatter, Aspect


_WITH_DOSE: frozenset[Aspect] = frozenset({"monitoring", "stopping", "duration", "handling"})
"""Aspects that are asked with a dose and answered by another statement."""
MOST_READ = 40
"""Ranked statements that are looked through for these, by judgement."""


def of_other_matters(
    slots: QuestionSlots,
    fitting: Sequence[RankedStatement],
    ranked: Sequence[RankedStatement],
    sources: Sources,
) -> list[RankedStatement]:
    """Return the nearest statement on each matter asked with a dose that the first has not.

    It fits the question but for the dose, and is worth as much as the first one.
    """
    if not (fitting and slots.asks_dosing and slots.drugs):
        return []
    first = fold_chars(fitting[0].statement.said)
    found: list[RankedStatement] = []
    for matter in asked_matters(slots.text):
        if matter.says.search(first):
            continue
        others = (*fitting[1:], *ranked)
        nearest = next((one for one in others if _is_on(matter, one, slots, sources)), None)
        found += [nearest] if nearest else []
    for aspect in sorted(slots.aspects & _WITH_DOSE):
        if aspect in fitting[0].statement.aspects:
            continue
        others = (*fitting[1:], *ranked[:MOST_READ])
        found += [
            o
            for o in others
            if aspect in o.statement.aspects and _differs_in_aspect(o, slots, sources)
        ][:1]
    return [one._replace(score=fitting[0].score) for one in found]


def _is_on(
    matter: AskedMatter, one: RankedStatement, slots: QuestionSlots, sources: Sources
) -> bool:
    """Return whether a statement settles a matter and differs from what is asked in aspect only."""
    said = fold_chars(one.statement.said)
    if not (matter.says.search(said) and matter.settles.search(said)):
        return False
    return _differs_in_aspect(one, slots, sources)


def _differs_in_aspect(one: RankedStatement, slots: QuestionSlots, sources: Sources) -> bool:
    """Return whether a statement may be quoted and differs from what is asked in aspect only."""
    misfits = each_misfit(slots, one.statement, sources.drugs)
    return is_quotable(one.statement) and all(misfit.slot == "aspect" for misfit in misfits)
