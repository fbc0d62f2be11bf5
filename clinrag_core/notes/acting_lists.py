"""Finds the list of a note that says what is done, where no heading and no block is a plan.

Short-hand ends with such a list under the diagnosis, a form under a word of its own ("Consensus").
Most of its items are acts: an order, a medicine with its dose, a test with its time.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.facts.spelled import spelled_quantities
from clinrag_core.notes.lexicon import note_cues
from clinrag_core.notes.lists import note_lists
from clinrag_core.notes.measures import read_medications
from clinrag_core.notes.records import NoteSection
from clinrag_core.notes.shorthand import in_full

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.notes.lists import NoteList

_PLAN = "plan"
_NO_ACTS = frozenset(
    {"medications", "allergies", "past", "surgical", "family", "social", "results", "exam"}
)
"""Kinds of headings whose lists are of what is taken, was or is found."""
_DOSING = frozenset({"dose", "frequency"})
_LEAST = 3
"""Items of such a list."""
_TITLE = "Plan"
_OVERVIEW = "overview"
_CHANGED = frozenset({"started", "stopped", "increased", "decreased", "switched"})
_PROBLEM = re.compile(r"[?#]?[A-Z][^.:;\n]{1,50}?(?: [-\u2013\u2014] |: )")
"""A problem before what is said of it."""


def with_acting_list(note: str, sections: Sequence[NoteSection]) -> tuple[NoteSection, ...]:
    """Return the sections of a note without a plan, its last list of acts as one.

    A list of problems with what is done about each is a plan next to another one.
    """
    if any(section.kind == _PLAN for section in sections):
        rounds = (one for one in note_lists(note) if _is_of_problems(note, one, sections))
        listed = next(rounds, None)
        return tuple(sections) if listed is None else with_list_as_plan(note, sections, listed)
    listed = next((one for one in reversed(note_lists(note)) if _acts(note, one)), None)
    return tuple(sections) if listed is None else with_list_as_plan(note, sections, listed)


def with_list_as_plan(
    note: str, sections: Sequence[NoteSection], listed: NoteList
) -> tuple[NoteSection, ...]:
    """Return sections with a list as a plan of its own, to the end of the section it is in."""
    start = listed.items[0].start
    made: list[NoteSection] = []
    for section in sections:
        may_act = section.inferred or section.kind not in _NO_ACTS
        is_own = section.start <= start < section.end and may_act
        if not is_own:
            made.append(section)
        elif not note[section.body : start].strip():
            made.append(section.model_copy(update={"kind": _PLAN, "inferred": False}))
        else:
            rest = {"start": start, "body": start, "title": _TITLE, "kind": _PLAN, "inferred": True}
            made += [
                section.model_copy(update={"end": start}),
                section.model_copy(update=rest),
            ]
    return tuple(made)


def _acts(note: str, one: NoteList) -> bool:
    """Return whether most items of a list are acts, and one at least orders something."""
    said = [in_full(note[item.body : item.end]) for item in one.items]
    if len(said) < _LEAST:
        return False
    ordered = [_orders(text) for text in said]
    acts = [is_order or _is_act(text) for is_order, text in zip(ordered, said, strict=True)]
    return any(ordered) and 2 * sum(acts) >= len(said)


def _is_of_problems(note: str, one: NoteList, sections: Sequence[NoteSection]) -> bool:
    """Return whether a list under no heading has problems and what is done: "AF - B stopped".

    One that only says what somebody takes for each is of the history.
    """
    start = one.items[0].start
    own = next((s for s in sections if s.start <= start < s.end), None)
    headed = [item for item in one.items if _PROBLEM.match(note, item.body, item.end)]
    is_undecided = own is not None and (own.inferred or own.kind == _OVERVIEW)
    if not is_undecided or 3 * len(headed) < 2 * len(one.items) or len(one.items) < _LEAST:
        return False
    said = (note[item.body : item.end] for item in one.items)
    changed = [any(m.status in _CHANGED for m in read_medications(text, _PLAN)) for text in said]
    return 2 * sum(changed) >= len(changed)


def _orders(text: str) -> bool:
    cues = note_cues()
    return any(one.search(text) for one in (cues.blocks.orders, cues.plan.changes, cues.plan.scope))


def _is_act(text: str) -> bool:
    """Return whether an item doses a medicine, or says when something is to be done."""
    if note_cues().plan.recommends.search(text) or note_cues().plan.appointed.search(text):
        return True
    return any(q.kind in _DOSING for q in spelled_quantities(text))
