"""Reads for whom an item of the plan is that is for somebody else, and how old that person is.

What a note plans for a newborn or a contact is checked against what sources say of that age; it is
never supported, as the note says little of them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.facts.spans import concept_spans, names_of
from clinrag_core.facts.stated_ages import age_of_other, named_ages, somebody_of
from clinrag_core.notes.care_lexicon import note_care, patient_conditions
from clinrag_core.notes.cautions import CautionedPerson
from clinrag_core.notes.citations import start_of
from clinrag_core.notes.extractive import FOR_OTHER
from clinrag_core.notes.lexicon import note_cues
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.notes.records import NoteSummary, SummaryItem

_NAME = re.compile(r"\W*([A-Z][a-z]{2,})[:,]")
"""A name at the start of an item: "Mina: syrup at night"."""


def other_people(summary: NoteSummary) -> list[tuple[SummaryItem, CautionedPerson]]:
    """Return the items that are for somebody else, of a known age, with that person.

    An item that names nobody is for whom the one before it is; one under the name of somebody whose
    age the note gives is for that person, unless that is the first it names: the patient.
    """
    items = {item.source: item for _, item in summary.filed()}
    ordered = sorted(items.values(), key=place_of)
    ages = {name: age for item in ordered for name, age in named_ages(item.text).items()}
    others = dict(list(ages.items())[1:])
    known = _households(ordered)
    ordered_for = {item.source for item in summary.assessment if item.medications}
    lines = {line.source for _, _, line in known} - ordered_for
    before: float | None = None
    found: list[tuple[SummaryItem, CautionedPerson]] = []
    for item in ordered:
        if item.source in lines:
            continue
        whose = next((k for k in known if _opens(k[0], item.text)), None)
        if whose is not None and item.medications:
            found.append((item, _caution(*whose[1:])))
            continue
        own = age_of_other(item.text)
        named = _NAME.match(item.text)
        by_name = others.get(named[1]) if named else None
        is_other = by_name is not None or is_for_other(item)
        names = note_cues().assertion.relatives.search(fold_chars(item.text)) is not None
        age = own if own is not None or names else before
        age = by_name if by_name is not None else age
        if is_other and age is not None:
            conditions = names_of(concept_spans(item.text, patient_conditions()))
            has_hiv = note_care().whom.infected.search(fold_chars(item.text)) is not None
            person = CautionedPerson(age, frozenset(conditions) - {"pregnancy"}, has_hiv)
            found.append((item, person))
        before = age if is_other or (own is not None and names) else None
    return found


def _households(items: Sequence[SummaryItem]) -> list[tuple[str, float, SummaryItem]]:
    """Return the people of a household whom a note tells of: name or relation, age and line."""
    opened = ((somebody_of(i.text), i) for i in items if i.status == "family")
    return [(person.who, person.age, item) for person, item in opened if person is not None]


def _opens(who: str, text: str) -> bool:
    return re.match(rf"{re.escape(who)} ?[,:]", fold_chars(text)) is not None


def _caution(age: float, line: SummaryItem) -> CautionedPerson:
    """Return somebody of a household as a person of a caution, with what the line says."""
    conditions = names_of(concept_spans(line.text, patient_conditions()))
    has_hiv = note_care().whom.infected.search(fold_chars(line.text)) is not None
    return CautionedPerson(age, frozenset(conditions) - {"pregnancy"}, has_hiv, line=line)


def is_for_other(item: SummaryItem) -> bool:
    """Return whether an item is about, or gives something to, somebody else."""
    return item.status == "family" or any(m.status == FOR_OTHER for m in item.medications)


def place_of(item: SummaryItem) -> int:
    """Return where in the note an item begins."""
    return start_of(item.source)
