"""What a label says that a child of the age asked about is not given, where a dose is asked for.

"Not recommended under one year" must not be answered with what infants got in a study.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.rank.labels import of_labels
from clinrag_core.facts.people import ADULT, AGE_GROUPS, read_people
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.fit.statement_slots import StatementSlots
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import RankedStatement, Sources
    from clinrag_core.facts.intervals import Interval

_GROUPS = ("contraindications", "boxed_warning", "warnings", "specific_populations", "dosage")
_DOSAGE = "dosage"
_BARS = lazy_re(
    r"(?:\bnot (?:be |been )?(?:recommended|approved|indicated|used?|given|administered)"
    r"|\bdo not (?:use|give|administer)|\bcontraindicated)\b[^.;]{0,80}?"
    r"(?:\b(?:less|younger) than\b|\bunder\b|\bbelow\b|<)[^.;]{0,40}"
)
"""What bars those who are younger than an age."""
_NARROWED = lazy_re(r"\b(?:following|after|with|who|for the treatment of|unless|except)\b")
"""What bars some of these only."""
_MINORS = lazy_re(r"\b(?:18|eighteen) years\b")


def barred_by_age(slots: QuestionSlots, sources: Sources) -> list[RankedStatement]:
    """Return the statement of a label that bars the age of a child whose dose is asked for.

    None where the label has a dose for that age, or where no child is asked about.
    """
    if not (slots.asks_dosing and slots.is_for_child and len(slots.drugs) == 1):
        return []
    ages, drug = slots.people.ages, slots.drugs[0]
    found: list[RankedStatement] = []
    for one in of_labels(slots, sources, _GROUPS) if ages else ():
        own = statement_slots(one.statement, sources.drugs)
        if frozenset(one.statement.ingredients) != drug:
            continue
        if one.statement.group == _DOSAGE and own.has_regimen and _have(own.people.ages, ages):
            return []
        if _bars(own, ages):
            found.append(one)
    return found[:1]


def _bars(own: StatementSlots, ages: Sequence[Interval]) -> bool:
    """Return whether a sentence of a statement bars all of some ages, whatever else they have."""
    for sentence in own.facts.sentences:
        folded = fold_chars(sentence.text)
        match = _BARS.search(folded)
        if match is None or _NARROWED.search(folded[match.start() :]):
            continue
        if _MINORS.search(match[0]) or _have(read_people(folded[match.start() :]).ages, ages):
            return True
    return False


def _have(stated: Sequence[Interval], ages: Sequence[Interval]) -> bool:
    """Return whether some range of minors has the whole of each age asked about.

    "Pediatric patients less than 1 year" are no children in general; these are no range.
    """
    ranges = [
        one for one in stated if one.high <= ADULT and (one.low, one.high) != AGE_GROUPS["children"]
    ]
    return bool(ages) and all(
        any(one.has(mine.low) and one.has(mine.high) for one in ranges) for mine in ages
    )
