"""The summary without a model: every unit of the note, quoted, in the section it belongs to.

A statement may belong to two sections: a diagnosis under an impression is a key problem too, and a
medicine of the plan is one of the medicines. Descriptions of operations belong to none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.notes.assertion import read_note_findings, statement_status
from clinrag_core.notes.classify import classify_units
from clinrag_core.notes.lexicon import note_cues
from clinrag_core.notes.measures import read_medications, read_vitals
from clinrag_core.notes.records import SUMMARY_SECTIONS, NoteSummary, SummaryItem
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.notes.citations import ReadNote
    from clinrag_core.notes.records import NoteUnit, SummarySection

EXTRACTIVE = "extractive"
_BEGIN_OF_NOTE = frozenset({"history", "overview", "complaint", "", "assessment", "plan"})
"""Kinds of headings under which a note says whom it is about."""


class ExtractiveSummary(NamedTuple):
    """A summary with the statements that no section of it has a place for."""

    summary: NoteSummary
    left_out: tuple[SummaryItem, ...]


def extractive_summary(note: ReadNote) -> ExtractiveSummary:
    """Return the summary of a note in its own words."""
    filed: dict[SummarySection, list[SummaryItem]] = {name: [] for name in SUMMARY_SECTIONS}
    left_out: list[SummaryItem] = []
    classes = classify_units(note.text, note.sections, note.units)
    for unit, name in zip(note.units, classes, strict=True):
        item = quoted_item(note, unit)
        if name is None:
            left_out.append(item)
            continue
        filed[name].append(item)
        for other in _also(item, name, unit.kind):
            filed[other].append(item)
    if not filed["patient_snapshot"]:
        filed["patient_snapshot"] = _first_of_whom(note, classes)
    summary = NoteSummary(**{name: tuple(items) for name, items in filed.items()})
    return ExtractiveSummary(summary, tuple(left_out))


def _first_of_whom(note: ReadNote, classes: Sequence[SummarySection | None]) -> list[SummaryItem]:
    """Return the complaint, else the first statement on the patient, of a note without an age."""
    placed = [u for u, name in zip(note.units, classes, strict=True) if name is not None]
    complaints = (u for u in placed if note.sections[u.section].kind == "complaint")
    of_whom = (
        u
        for u in placed
        if note_cues().operations.of_patient.search(fold_chars(note.said(u)))
        and note.sections[u.section].kind in _BEGIN_OF_NOTE
    )
    first = next(complaints, None) or next(of_whom, None)
    return [quoted_item(note, first)] if first is not None else []


def _also(item: SummaryItem, name: SummarySection, kind: str) -> list[SummarySection]:
    """Return the other sections that an item belongs to.

    Of the drugs in ACI-Bench's notes a third is in a list of medicines, half in the plan.
    """
    others: list[SummarySection] = []
    if kind == "assessment" and name == "assessment":
        others.append("key_problems")
    if any(m.ingredients or m.dose for m in item.medications):
        others.append("medicines_allergies")
    if item.vitals:
        others.append("objective_findings")
    if kind == "history" and note_cues().plan.leaves.search(fold_chars(item.text)):
        others.append("assessment")
    if name == "assessment" and note_cues().sections["labs_imaging"].search(fold_chars(item.text)):
        others.append("labs_imaging")
    return [other for other in others if other != name]


def quoted_item(note: ReadNote, unit: NoteUnit) -> SummaryItem:
    """Return the item that quotes a unit."""
    return item_of(note.said(unit), note.source(unit), unit.start, unit.kind)


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
