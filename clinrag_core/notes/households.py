"""Tells the people of a note apart whose lines begin with who they are: a household.

Each of them has a line with an age and a line in the plan: "Aunt, 61." and "aunt, start ...". What
follows a line is of the same person until another line begins. A drug, a weight or a condition of
one of them is then no other's.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.notes.extractive import FOR_OTHER
from clinrag_core.notes.lexicon import note_cues
from clinrag_core.notes.other_people import place_of

if TYPE_CHECKING:
    from clinrag_core.notes.records import NotePlan, NoteSummary, SummaryItem

_LEAD = re.compile(r"\W*(?:(?:the|his|her|their|my) )?(?P<who>[A-Za-z]{2,}(?: in law)?)[,:]")
_AGED = re.compile(
    r"[,:] ?(?:aged? )?(?P<age>\d{1,3})(?:[- ]?(?P<unit>years?|yrs?|y|months?|mths?|mo|weeks?|wks?)"
    r"\b)?(?=[,.;)]|$| old\b)"
)
_OTHERS = re.compile(
    r"(?:lodger|tenant|flat-?mate|housemate|roommate|colleague|neighbour|neighbor|baby|infant"
    r"|newborn|toddler|child|girl|boy|friend|partner|nanny|carer|cousin|nephew|niece)"
)
"""Words of people besides those for relatives."""
_YEARS = {"y": 1.0, "m": 1 / 12, "w": 1 / 52}
_LEAST = 2
"""People with lines of their own that make a note one of several."""


class Member(NamedTuple):
    """One of the people of a note: the age in years and the sources of the items about them."""

    age: float
    sources: frozenset[str]


def members(summary: NoteSummary) -> list[Member]:
    """Return the people of a note who have lines of their own; none in a note of one patient."""
    items = {item.source: item for _, item in summary.filed()}
    ordered = sorted(items.values(), key=place_of)
    ages: dict[str, float] = {}
    planned: set[str] = set()
    for item in ordered:
        who = _who(item.text)
        if _is_planned(item):
            planned.add(who)
        elif who and who not in ages and (age := _age(item.text, who)) is not None:
            ages[who] = age
    people = {who: age for who, age in ages.items() if who in planned}
    if len(people) < _LEAST:
        return []
    return _assigned(ordered, people)


def _assigned(ordered: list[SummaryItem], people: dict[str, float]) -> list[Member]:
    """Return the people with their items: those they begin, and those that follow."""
    own: dict[str, set[str]] = {who: set() for who in people}
    current = ""
    for item in ordered:
        who = _who(item.text)
        if who in people:
            current = who
        elif _is_planned(item):
            current = ""
        if current:
            own[current].add(item.source)
    return [Member(age, frozenset(own[who])) for who, age in people.items()]


def only(summary: NoteSummary, sources: frozenset[str], *, own: bool) -> NoteSummary:
    """Return a summary of some items; with `own`, what they say of relatives is the patient's."""
    kept = {
        section: tuple(
            _as_own(item) if own else item
            for item in summary.section(section)
            if item.source in sources
        )
        for section, _ in summary.filed()
    }
    return summary.model_copy(
        update={name: kept.get(name, ()) for name in type(summary).model_fields}
    )


def plan_of(plan: NotePlan | None, sources: frozenset[str]) -> NotePlan | None:
    """Return the recommendations of a plan that are in some items."""
    if plan is None:
        return None
    kept = tuple(one for one in plan.recommendations if one.source in sources)
    return plan.model_copy(update={"recommendations": kept})


def _as_own(item: SummaryItem) -> SummaryItem:
    medicines = tuple(
        one.model_copy(update={"status": "planned"}) if one.status == FOR_OTHER else one
        for one in item.medications
    )
    status = "present" if item.status == "family" else item.status
    return item.model_copy(update={"status": status, "medications": medicines})


def _is_planned(item: SummaryItem) -> bool:
    return item.status in ("planned", "conditional", "mixed") and _AGED.search(item.text) is None


def _who(text: str) -> str:
    """Return who an item begins with, in small letters; "" for nobody."""
    match = _LEAD.match(text)
    return match["who"].lower() if match else ""


def _age(text: str, who: str) -> float | None:
    """Return the age after who an item begins with; a name needs the unit of an age."""
    lead = _LEAD.match(text)
    match = _AGED.match(text, lead.end() - 1) if lead else None
    is_known = note_cues().assertion.relatives.search(who) or _OTHERS.fullmatch(who)
    if match is None or not (is_known or match["unit"]):
        return None
    return int(match["age"]) * _YEARS[(match["unit"] or "y")[0]]
