"""Sections of a note without headings, by what its paragraphs say.

What a generator would infer in the seed is decided by the classes of the units: neighbouring lines
of one class are a section, with the name of the class as title.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.notes.chunks import cut_chunks
from clinrag_core.notes.classify import classify_units
from clinrag_core.notes.records import OVERVIEW, NoteSection
from clinrag_core.notes.units import cut_units

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.notes.records import SummarySection

_TITLES: dict[SummarySection, tuple[str, str]] = {
    "medicines_allergies": ("Medications", "medications"),
    "objective_findings": ("Examination", "exam"),
    "labs_imaging": ("Results", "results"),
    "assessment": ("Assessment and plan", "plan"),
}
_LEAST = 2
"""Units in a row that make a section: one may be filed wrongly."""


def infer_sections(note: str, sections: Sequence[NoteSection]) -> tuple[NoteSection, ...]:
    """Return sections by content where a note has no heading; else those it has."""
    if len(sections) != 1 or sections[0].kind != "overview":
        return tuple(sections)
    units = cut_units(note, sections, cut_chunks(note, sections))
    classes = classify_units(note, sections, units)
    starts: list[tuple[int, str, str]] = [(0, OVERVIEW, "overview")]
    for place, name in enumerate(classes):
        title, kind = _TITLES.get(name, (OVERVIEW, "overview")) if name else starts[-1][1:]
        run = classes[place : place + _LEAST]
        is_run = len(run) == _LEAST and len(set(run)) == 1
        if kind != starts[-1][2] and is_run and kind != "overview":
            starts.append((units[place].start, title, kind))
    ends = [*(start for start, _, _ in starts[1:]), len(note)]
    return tuple(
        NoteSection(title=t, kind=k, start=s, body=s, end=e, inferred=len(starts) > 1)
        for (s, t, k), e in zip(starts, ends, strict=True)
        if e > s or len(starts) == 1
    )
