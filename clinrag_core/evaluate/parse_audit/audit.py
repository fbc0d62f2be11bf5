"""What a parser made of one document, in figures that show loss, repetition and damage.

Every figure is taken on the finished Document and, where it needs a second opinion, on the file
itself by other means (`source_characters`, the PDF's outline). Pure.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Literal

from clinrag_core.evaluate.parse_audit.flow_check import broken_ends
from clinrag_core.evaluate.parse_audit.heading_check import outline_recall
from clinrag_core.evaluate.parse_audit.source_characters import count, source_characters
from clinrag_core.model.base import Record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clinrag_core.model.document import Document
    from clinrag_core.model.section import Section
    from clinrag_core.model.source import DocumentSource
    from clinrag_core.model.table import Table

Severity = Literal["error", "warning"]

LEAST_KEPT = {"html": 0.93}
"""Share of a file's letters and digits below which text was lost; 0.97 for other formats.

The publisher's notices stand inside the article of a web page and are left out on purpose."""
MOST_KEPT = 1.05
"""Share above which text was repeated; a cell that spans rows is repeated in each of them."""
LEAST_HEADING_RECALL = 0.97
HEADINGS_PER_PAGE = (0.3, 8.0)
"""Outside of this a PDF of ten pages or more has lost its headings or invented some."""
MOST_RUNNING = 0.25
"""Share of the text layer removed as running text above which somebody should look."""
MOST_EMPTY_CELLS = 0.5
REQUIRED_GROUPS = ("indications", "dosage")


class Finding(Record):
    """Something about a document that a person should look at."""

    code: str
    severity: Severity
    message: str


class DocumentAudit(Record):
    """One row of the audit: a document that was parsed, or a file that could not be."""

    file: str
    kind: str
    format: str
    document_id: str | None = None
    quarantined: str | None = None
    """Reason, with its code, where the file could not be used."""
    words: int = 0
    """Of body sections."""
    pages: int | None = None
    sections: int = 0
    headings: int = 0
    headings_per_page: float | None = None
    heading_recall: float | None = None
    """Against the file's own outline; None where it has no real one."""
    outline_entries: int = 0
    running_share: float | None = None
    """Of the letters and digits in the text layer, removed as running text."""
    kept: float | None = None
    """Letters and digits in sections over those in the file; None where they cannot be counted."""
    tables: int = 0
    recommendations: int = 0
    broken_ends: int = 0
    warnings: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()


def audit_document(document: Document, data: bytes, source: DocumentSource) -> DocumentAudit:
    """Measure a document against its file.

    Raises:
        DocumentError: the file cannot be read again.
    """
    recall = outline_recall(data, document, source) if document.format == "pdf" else None
    headings = sum(_headed(s, document) for s in document.sections)
    in_file = source_characters(data, source)
    running = document.running_characters or 0
    kept = None
    if in_file:
        kept = _characters(document) / max(in_file - running, 1)
    row = DocumentAudit(
        file=source.file.name,
        kind=document.kind,
        format=document.format,
        document_id=document.id,
        words=document.words,
        pages=document.pages,
        sections=len(document.sections),
        headings=headings,
        headings_per_page=headings / document.pages if document.pages else None,
        heading_recall=recall.share if recall is not None else None,
        outline_entries=recall.wanted if recall is not None else 0,
        running_share=running / in_file if document.format == "pdf" and in_file else None,
        kept=kept,
        tables=sum(1 for _ in _tables(document)),
        recommendations=_recommendations(document),
        broken_ends=len(broken_ends(document)),
        warnings=tuple(sorted({w.code for w in document.warnings})),
    )
    return row.model_copy(update={"findings": tuple(_findings(row, document))})


def quarantined(source: DocumentSource, reason: str) -> DocumentAudit:
    """The row of a file that could not be parsed."""
    return DocumentAudit(
        file=source.file.name, kind=source.kind, format=source.format, quarantined=reason
    )


def _headed(section: Section, document: Document) -> bool:
    return bool(section.title) and section.title != document.title


def _characters(document: Document) -> int:
    own = 0
    if document.kind == "guideline":  # a label's untitled section carries the name of its code
        own = sum(count(s.title) for s in document.sections if _headed(s, document))
    return own + sum(count(section.text) for section in document.sections)


def _tables(document: Document) -> Iterator[Table]:
    for section in document.sections:
        for block in section.blocks:
            if block.table is not None:
                yield block.table


def _recommendations(document: Document) -> int:
    """Recommendations, each once however often it is printed."""
    blocks = (b for s in document.sections for b in s.blocks)
    found = (b.recommendation for b in blocks if b.recommendation is not None)
    return sum(recommendation.repeats is None for recommendation in found)


def _findings(row: DocumentAudit, document: Document) -> Iterator[Finding]:
    yield from _text_findings(row)
    yield from _heading_findings(row)
    yield from _label_findings(document)
    hollow = sum(_is_hollow(table) for table in _tables(document))
    if hollow and document.format == "pdf":  # elsewhere the publisher says what is a table
        yield _warn("hollow_tables", f"{hollow} tables have more empty cells than full ones")
    odd = sum(_is_odd(c) for s in document.sections for c in s.text)
    if odd:
        yield _warn("odd_characters", f"{odd} characters without meaning are left in the text")


def _text_findings(row: DocumentAudit) -> Iterator[Finding]:
    if row.kept is not None and row.kept < LEAST_KEPT.get(row.format, 0.97):
        yield _error(
            "text_lost", f"{1 - row.kept:.1%} of the letters of the file are in no section"
        )
    if row.kept is not None and row.kept > MOST_KEPT:
        yield _error("text_repeated", f"sections hold {row.kept - 1:.1%} more than the file")
    if row.running_share is not None and row.running_share > MOST_RUNNING:
        yield _warn("much_running_text", f"{row.running_share:.0%} removed as running text")
    if row.broken_ends:
        yield _warn(
            "broken_ends", f"{row.broken_ends} blocks end inside a sentence at a page break"
        )


def _heading_findings(row: DocumentAudit) -> Iterator[Finding]:
    if row.heading_recall is not None and row.heading_recall < LEAST_HEADING_RECALL:
        missed = round((1 - row.heading_recall) * row.outline_entries)
        yield _error(
            "headings_missed", f"{missed} of {row.outline_entries} outline headings missed"
        )
    low, high = HEADINGS_PER_PAGE
    rate = row.headings_per_page
    if rate is not None and (row.pages or 0) >= 10 and not low <= rate <= high:
        yield _warn("headings_per_page", f"{rate:.1f} headings a page; {low} to {high} is usual")


def _label_findings(document: Document) -> Iterator[Finding]:
    label = document.label
    if label is None or label.is_partial:
        return
    groups = {section.group for section in document.sections if section.text.strip()}
    if absent := [g for g in REQUIRED_GROUPS if g not in groups]:
        yield _warn("section_absent", f"no text under {' and '.join(absent)}")
    if document.format == "spl" and not any(p.actives for p in label.products):
        yield _error("no_active_ingredient", "no product names an active ingredient")
    if label.has_boxed_warning != ("boxed_warning" in groups):
        yield _error("boxed_warning", "the boxed warning and its section disagree")


def _is_hollow(table: Table) -> bool:
    cells = [cell for row in table.rows for cell in row]
    return sum(not cell.strip() for cell in cells) > MOST_EMPTY_CELLS * len(cells)


def _is_odd(character: str) -> bool:
    if character in "\n\t":
        return False
    return character in "\u00ad\ufeff\ufffd" or unicodedata.category(character) in ("Co", "Cc")


def _warn(code: str, message: str) -> Finding:
    return Finding(code=code, severity="warning", message=message)


def _error(code: str, message: str) -> Finding:
    return Finding(code=code, severity="error", message=message)
