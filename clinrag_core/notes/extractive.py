"""The summary without a model: every unit of the note, quoted, in the section it belongs to.

A diagnosis under an impression is a key problem as well as a part of the assessment, and a unit
that says age and sex is the patient's snapshot wherever it stands in the note.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.notes.assertion import read_note_findings, statement_status
from clinrag_core.notes.classify import classify_units
from clinrag_core.notes.measures import read_medications, read_vitals
from clinrag_core.notes.records import SUMMARY_SECTIONS, NoteSummary, SummaryItem

if TYPE_CHECKING:
    from clinrag_core.notes.citations import ReadNote
    from clinrag_core.notes.records import NoteUnit, SummarySection

EXTRACTIVE = "extractive"


def extractive_summary(note: ReadNote) -> NoteSummary:
    """Return the summary of a note in its own words."""
    filed: dict[SummarySection, list[SummaryItem]] = {name: [] for name in SUMMARY_SECTIONS}
    classes = classify_units(note.text, note.sections, note.units)
    for unit, name in zip(note.units, classes, strict=True):
        item = quoted_item(note, unit)
        filed[name].append(item)
        if note.sections[unit.section].kind == "assessment" and name == "assessment":
            filed["key_problems"].append(item)
    return NoteSummary(**{name: tuple(items) for name, items in filed.items()})


def quoted_item(note: ReadNote, unit: NoteUnit) -> SummaryItem:
    """Return the item that quotes a unit."""
    return item_of(note.said(unit), note.source(unit), unit.start, note.sections[unit.section].kind)


def item_of(text: str, source: str, offset: int, kind: str) -> SummaryItem:
    """Return an item with what its text says: findings, medicines, vital signs, status."""
    findings = read_note_findings(text, offset, kind)
    return SummaryItem(
        text=text,
        source=source,
        status=statement_status(text, findings, kind),
        medications=read_medications(text, kind),
        vitals=read_vitals(text),
        findings=findings,
    )
