"""Files each unit of a note under one of the seven sections of the summary.

The heading decides where it says it; under a history, and without a heading, the words do.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.notes.lexicon import note_cues, note_headers
from clinrag_core.notes.measures import read_vitals
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.notes.records import NoteSection, NoteUnit, SummarySection

_BY_CONTENT = frozenset({"", "overview", "history", "complaint"})
"""Kinds of headings under which anything may be written."""
_NAME_OF_OPERATION = 400
"""Characters under "PROCEDURE" above which it is described, not named."""
_NARRATED = frozenset({"narrative", "operation"})
_LABELLED = frozenset({"exam", "review", "labs", "results", "imaging"})
"""Kinds of headings under which an organ or a test alone on a line heads a list."""
_LEADS_LIST = re.compile(r"\s*\r?\n\s*[-\u2022\u25cf*\u2013]\s")
_LABEL_WORDS = 4
_HISTORY = frozenset({"history", "complaint"})
_KEPT = frozenset({"past", "surgical", "family", "social", "review"})
_FROM_HISTORY: tuple[SummarySection, ...] = ("patient_snapshot", "labs_imaging")
_ORDER: tuple[SummarySection, ...] = (
    "patient_snapshot",
    "labs_imaging",
    "medicines_allergies",
    "objective_findings",
    "assessment",
)


def classify_units(
    note: str, sections: Sequence[NoteSection], units: Sequence[NoteUnit]
) -> tuple[SummarySection | None, ...]:
    """Return the section of the summary for each unit; None for what no section has a place for."""
    found: list[SummarySection | None] = []
    has_complaint = any(s.kind == "complaint" for s in sections)
    for place, unit in enumerate(units):
        section = sections[unit.section]
        text = fold_chars(note[unit.start : unit.end])
        is_first = place == 0 or units[place - 1].section != unit.section
        if section.kind in _LABELLED and _is_label(note, unit):
            found.append(None)
        elif section.kind not in _BY_CONTENT:
            found.append(_under_heading(text, section))
        else:
            is_complaint = is_first and (
                section.kind == "complaint" or (place == 0 and not has_complaint)
            )
            found.append(_by_content(text, section.kind, is_complaint=is_complaint))
    return tuple(found)


def _is_label(note: str, unit: NoteUnit) -> bool:
    """Return whether a unit is the name of what a list under it is about."""
    said = note[unit.start : unit.end]
    is_short = len(said.split()) <= _LABEL_WORDS and said[-1:].isalnum()
    before = note[: unit.start].rstrip(" \t")
    return is_short and before[-1:] in ("\n", "") and bool(_LEADS_LIST.match(note, unit.end))


def _under_heading(text: str, section: NoteSection) -> SummarySection | None:
    """Return the section of a unit under a heading that decides it; allergies are said anywhere."""
    kind = section.kind
    if kind in _NARRATED and note_cues().operations.afterwards.search(text):
        return "assessment"
    is_long = section.end - section.body > _NAME_OF_OPERATION
    if kind == "operation" and (is_long or note_cues().operations.narrated.search(text)):
        return None
    cues = note_cues().sections
    if kind in _KEPT and cues["medicines_allergies"].match(text):
        return "medicines_allergies"
    return note_headers().kinds[kind].section


def _by_content(text: str, kind: str, *, is_complaint: bool) -> SummarySection:
    """Return the section of a unit by its words."""
    cues = note_cues().sections
    for name in _FROM_HISTORY if kind in _HISTORY else _ORDER:
        if cues[name].search(text):
            return name
    if kind in _HISTORY and cues["medicines_allergies"].match(text):
        return "medicines_allergies"
    if kind != "history" and read_vitals(text):
        return "objective_findings"
    return "key_problems" if is_complaint else "pertinent_history"
