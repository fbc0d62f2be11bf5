"""Sections of a note without headings, by what its statements say.

The classes of the units decide: neighbouring lines of one class are a section, with the name of the
class as title. A generator may decide instead, as in the seed; its words are never a title.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from clinrag_core.notes.chunks import cut_chunks
from clinrag_core.notes.classify import classify_units
from clinrag_core.notes.records import OVERVIEW, NoteSection, NoteUnit, SummarySection
from clinrag_core.notes.units import cut_units

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
_LEAST = 2
"""Units in a row that make a section: one may be filed wrongly."""


def infer_sections(
    note: str, sections: Sequence[NoteSection], finder: SectionFinder | None = None
) -> tuple[NoteSection, ...]:
    """Return sections by content where a note has no heading; else those it has.

    `finder`, if given, decides instead of the rules.
    """
    if len(sections) != 1 or sections[0].kind != "overview":
        return tuple(sections)
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
