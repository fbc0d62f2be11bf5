"""What a question asks of a drug together with its dose: "5 tablets - before or after food?".

The statements nearest to such a question give the dose; the other matter is in another one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.fit.question_gate import each_misfit
from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.question.asking import asked_matters
from clinrag_core.answer.sources import is_quotable
from clinrag_core.facts.people import read_people
from clinrag_core.facts.times import lasts_days
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
    first, document = fold_chars(fitting[0].statement.said), fitting[0].statement.document_id
    found: list[RankedStatement] = []
    for matter in asked_matters(slots.text):
        if matter.says.search(first):
            continue
        others = (*fitting[1:], *ranked)
        nearest = next(
            (o for o in others if _is_on(matter, o) and _may_follow(o, document, slots, sources)),
            None,
        )
        found += [nearest] if nearest else []
    for aspect in sorted(slots.aspects & _WITH_DOSE):
        if _says(aspect, fitting[0], sources):
            continue
        others = (*fitting[1:], *ranked[:MOST_READ])
        found += [
            o
            for o in others
            if _says(aspect, o, sources) and _may_follow(o, document, slots, sources)
        ][:1]
    return [one._replace(score=fitting[0].score) for one in found]


def _says(aspect: Aspect, one: RankedStatement, sources: Sources) -> bool:
    """Return whether a statement has an aspect; for how long is said by a figure."""
    if aspect != "duration" or aspect not in one.statement.aspects:
        return aspect in one.statement.aspects
    ages = read_people(one.statement.said).ages
    return any(
        lasts_days(figure) and not any(age.start <= figure.start < age.end for age in ages)
        for figure in statement_slots(one.statement, sources.drugs).facts.quantities
    )


def _is_on(matter: AskedMatter, one: RankedStatement) -> bool:
    """Return whether a statement settles a matter."""
    said = fold_chars(one.statement.said)
    return bool(matter.says.search(said) and matter.settles.search(said))


def _may_follow(
    one: RankedStatement, document: str, slots: QuestionSlots, sources: Sources
) -> bool:
    """Return whether a statement may be quoted and differs from what is asked in aspect only.

    What the dosing section of the label shown says of nobody in particular holds for everybody.
    """
    own = one.statement
    is_for_all = own.document_id == document and own.group == "dosage"
    return is_quotable(own) and all(
        lost.slot == "aspect" or (is_for_all and lost.slot == "people" and not lost.has)
        for lost in each_misfit(slots, own, sources.drugs)
    )
