"""Sections of a note without headings, by what its statements say.

So are those of what comes after a blank line under the last heading of a history, in a note that
has no heading of an examination or a plan: "SH: lives alone", then "Looks well", then advice.

The classes of the units decide: neighbouring lines of one class are a section, with the name of the
class as title. A generator may decide instead, as in the seed; its words are never a title.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from clinrag_core.notes.chunks import cut_chunks
from clinrag_core.notes.classify import classify_units
from clinrag_core.notes.lexicon import note_cues
from clinrag_core.notes.records import OVERVIEW, NoteSection, NoteUnit, SummarySection
from clinrag_core.notes.units import cut_units
from clinrag_core.text.normalise import fold_chars

SectionStart = tuple[int, SummarySection]
"""Place of the unit that a section begins with, and what the section is."""
SectionFinder = Callable[[str, Sequence[NoteUnit]], Sequence[SectionStart]]
"""Returns where the sections of a note begin."""
_TITLES: dict[SummarySection, tuple[str, str]] = {
    "key_problems": ("Problems", "problems"),
    "pertinent_history": ("History", "history"),
    "medicines_allergies": ("Medications", "medications"),
    "objective_findings": ("Examination", "exam"),
    "labs_imaging": ("Results", "results"),
    "assessment": ("Assessment and plan", "plan"),
}
_BY_RULE: frozenset[SummarySection] = frozenset(
    {"medicines_allergies", "objective_findings", "labs_imaging", "assessment"}
)
"""Sections that rules tell from an overview."""
_BLANK = re.compile(r"\r?\n[^\S\n]*\r?\n")
_SHORT = frozenset({"social", "family", "allergies", "medications", "past", "surgical"})
"""Kinds of headings of histories that clinicians write in a line."""
_TOLD_PLAN = frozenset({"plan", "assessment", "exam"})
_FOR_REST: frozenset[SummarySection] = frozenset({"assessment", "objective_findings"})
_LEAST = 2
"""Units in a row that make a section: one may be filed wrongly."""


def infer_sections(
    note: str, sections: Sequence[NoteSection], finder: SectionFinder | None = None
) -> tuple[NoteSection, ...]:
    """Return sections by content where a note has no heading; else those it has.

    `finder`, if given, decides instead of the rules.
    """
    if len(sections) != 1 or sections[0].kind != "overview":
        return _with_rest(note, sections)
    units = cut_units(note, sections, cut_chunks(note, sections))
    found = finder(note, units) if finder else _by_rule(note, sections, units)
    starts: list[tuple[int, str, str]] = [(0, OVERVIEW, "overview")]
    for place, name in found:
        title, kind = _TITLES.get(name, (OVERVIEW, "overview"))
        if kind != starts[-1][2]:
            starts.append((units[place].start if place else 0, title, kind))
    ends = [*(start for start, _, _ in starts[1:]), len(note)]
    return tuple(
        NoteSection(title=t, kind=k, start=s, body=s, end=e, inferred=len(starts) > 1)
        for (s, t, k), e in zip(starts, ends, strict=True)
        if e > s or len(starts) == 1
    )


def _with_rest(note: str, sections: Sequence[NoteSection]) -> tuple[NoteSection, ...]:
    """Return sections with what follows a blank line under the last history cut by what it says."""
    last = sections[-1]
    blank = _BLANK.search(note, last.body, last.end)
    if last.kind not in _SHORT or blank is None or any(s.kind in _TOLD_PLAN for s in sections):
        return tuple(sections)
    rest = NoteSection(
        title=OVERVIEW, kind="overview", start=blank.end(), body=blank.end(), end=last.end
    )
    units = cut_units(note, [rest], cut_chunks(note, [rest]))
    classes = classify_units(note, [rest], units)
    named: list[tuple[int, SummarySection]] = []
    for unit, name in zip(units, classes, strict=True):
        is_advice = note_cues().plan.safety_net.search(fold_chars(note[unit.start : unit.end]))
        if is_advice or name in _FOR_REST:
            named.append((unit.start, "assessment" if is_advice or name is None else name))
    if sum(name == "assessment" for _, name in named) < _LEAST:
        return tuple(sections)
    advised = next(start for start, name in named if name == "assessment")
    starts: list[tuple[int, SummarySection]] = [(s, n) for s, n in named[:1] if s < advised]
    starts.append((advised, "assessment"))
    ends = [*(start for start, _ in starts[1:]), last.end]
    parts = (
        NoteSection(title=_TITLES[n][0], kind=_TITLES[n][1], start=s, body=s, end=e, inferred=True)
        for (s, n), e in zip(starts, ends, strict=True)
    )
    return (*sections[:-1], last.model_copy(update={"end": starts[0][0]}), *parts)


def _by_rule(
    note: str, sections: Sequence[NoteSection], units: Sequence[NoteUnit]
) -> list[SectionStart]:
    """Return where neighbouring units begin to be of one class that rules tell surely."""
    classes = classify_units(note, sections, units)
    starts: list[SectionStart] = []
    for place, name in enumerate(classes):
        run = classes[place : place + _LEAST]
        if name in _BY_RULE and len(run) == _LEAST and len(set(run)) == 1:
            starts.append((place, name))
    return starts
