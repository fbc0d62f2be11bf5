"""Figures of one parsed document that show loss, repetition and damage.

Every figure is taken on the finished Document; some are compared with the file, read by other means
(`source_characters`, the PDF's outline). Pure.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise
from typing import TYPE_CHECKING

from pydantic import Field

from clinrag_core.evaluate.parse_audit.heading_check import outline_recall
from clinrag_core.evaluate.parse_audit.source_characters import count, source_characters
from clinrag_core.evaluate.parse_audit.structure import (
    Finding,
    role_words,
    structure_findings,
)
from clinrag_core.model.base import Record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clinrag_core.model.document import Document
    from clinrag_core.model.section import Block, Section
    from clinrag_core.model.source import DocumentSource
    from clinrag_core.model.table import Table

LEAST_KEPT = {"html": 0.93}
"""Share of a file's letters and digits below which text was lost; 0.97 for other formats.

The publisher's notices are inside the article of a web page and are left out on purpose."""
MOST_KEPT = 1.05
"""Share above which text was repeated; a cell that spans rows is repeated in each of them."""
LEAST_HEADING_RECALL = 0.97
LEAST_PAGES = 10
HEADINGS_PER_PAGE = (0.3, 8.0)
"""A PDF of ten pages or more below or above these has lost headings or invented some."""
MOST_RUNNING = 0.25
"""Share of the text layer removed as running text above which a person should check."""
MOST_EMPTY_CELLS = 0.5  # of a table; a person should review one with more
REQUIRED_GROUPS = ("indications", "dosage")
_PROSE = ("paragraph", "list_item", "recommendation")
_LEAST_WORDS = 6  # of a block that repeats: shorter ones may do so in any document
_ENDS = re.compile(r"[.!?:;)\]\"'”’*]\W*$")
_CONTINUES = re.compile(r"^[a-z]{2,}[\s,]")


class DocumentAudit(Record):
    """One row of the audit: a document that was parsed, or a file that could not be."""

    file: str
    kind: str
    format: str
    document_id: str | None = None
    quarantined: str | None = None
    """Reason, with its code, if the file could not be used."""
    words: int = 0
    """Of body sections."""
    role_words: dict[str, int] = Field(default_factory=dict[str, int])
    """Words per role of section."""
    pages: int | None = None
    sections: int = 0
    headings: int = 0
    headings_per_page: float | None = None
    heading_recall: float | None = None
    """Against the file's outline; None if it has no real one."""
    outline_entries: int = 0
    running_share: float | None = None
    """Of the letters and digits in the text layer, removed as running text."""
    kept: float | None = None
    """Letters and digits in sections over those in the file; None if they cannot be counted."""
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
    row = DocumentAudit(
        file=source.file.name,
        kind=document.kind,
        format=document.format,
        document_id=document.id,
        words=document.words,
        role_words=role_words(document),
        pages=document.pages,
        sections=len(document.sections),
        headings=headings,
        headings_per_page=headings / document.pages if document.pages else None,
        heading_recall=recall.share if recall is not None else None,
        outline_entries=recall.wanted if recall is not None else 0,
        running_share=running / in_file if document.format == "pdf" and in_file else None,
        kept=_characters(document) / max(in_file - running, 1) if in_file else None,
        tables=sum(1 for _ in _tables(document)),
        recommendations=sum(
            block.recommendation is not None and block.recommendation.repeats is None
            for section in document.sections
            for block in section.blocks
        ),
        broken_ends=len(broken_ends(document)),
        warnings=tuple(sorted({w.code for w in document.warnings})),
    )
    return row.model_copy(update={"findings": tuple(_findings(row, document))})


def _headed(section: Section, document: Document) -> bool:
    return bool(section.title) and section.title != document.title


def _characters(document: Document) -> int:
    """Return the number of letters and digits of a document's sections and printed titles."""
    titles = 0
    if document.kind == "guideline":  # a label's untitled section carries the name of its code
        titles = sum(count(s.title) for s in document.sections if _headed(s, document))
    repeated = sum(_repeated(table) for table in _tables(document))
    return titles + sum(count(section.text) for section in document.sections) - repeated


def _repeated(table: Table) -> int:
    """Return the number of letters and digits that merged cells repeat in the places they cover."""
    return sum(
        count(table.rows[cell.row][cell.column])
        for cell in table.merged
        for row in range(cell.row, min(cell.row + cell.rows, len(table.rows)))
        for column in range(cell.column, min(cell.column + cell.columns, len(table.rows[row])))
        if (row, column) != (cell.row, cell.column)
        and table.rows[row][column] == table.rows[cell.row][cell.column]
    )


def _tables(document: Document) -> Iterator[Table]:
    for section in document.sections:
        for block in section.blocks:
            if block.table is not None:
                yield block.table


def _findings(row: DocumentAudit, document: Document) -> Iterator[Finding]:
    """Yield what a person should check of a document, by code."""
    yield from _text_findings(row)
    yield from _heading_findings(row)
    yield from _label_findings(document)
    yield from structure_findings(document)
    hollow = sum(
        sum(not cell.strip() for cell in cells) > MOST_EMPTY_CELLS * len(cells)
        for table in _tables(document)
        for cells in [[cell for row in table.rows for cell in row]]
    )
    if hollow and document.format == "pdf":  # in other formats the publisher marks tables
        yield _warning("hollow_tables", f"{hollow} tables have more empty cells than full ones")
    if odd := sum(_is_odd(c) for s in document.sections for c in s.text):
        yield _warning("odd_characters", f"{odd} characters without meaning are left in the text")


def _text_findings(row: DocumentAudit) -> Iterator[Finding]:
    """Lost, repeated and broken text."""
    kept = 1.0 if row.kept is None else row.kept
    if kept < LEAST_KEPT.get(row.format, 0.97):
        yield _error("text_lost", f"{1 - kept:.1%} of the letters of the file are in no section")
    if kept > MOST_KEPT:
        yield _error("text_repeated", f"sections have {kept - 1:.1%} more than the file")
    if row.running_share is not None and row.running_share > MOST_RUNNING:
        yield _warning("much_running_text", f"{row.running_share:.0%} removed as running text")
    if ends := row.broken_ends:
        yield _warning("broken_ends", f"{ends} blocks end inside a sentence at a page break")


def _heading_findings(row: DocumentAudit) -> Iterator[Finding]:
    if row.heading_recall is not None and row.heading_recall < LEAST_HEADING_RECALL:
        missed = round((1 - row.heading_recall) * row.outline_entries)
        message = f"{missed} of {row.outline_entries} outline headings missed"
        yield _error("headings_missed", message)
    low, high = HEADINGS_PER_PAGE
    rate = row.headings_per_page
    if rate is not None and (row.pages or 0) >= LEAST_PAGES and not low <= rate <= high:
        yield _warning("headings_per_page", f"{rate:.1f} headings a page; {low} to {high} is usual")


def _label_findings(document: Document) -> Iterator[Finding]:
    label = document.label
    if label is None or label.is_partial:
        return
    groups = {section.group for section in document.sections if section.text.strip()}
    if absent := [g for g in REQUIRED_GROUPS if g not in groups]:
        yield _warning("section_absent", f"no text under {' and '.join(absent)}")
    if document.format == "spl" and not any(p.actives for p in label.products):
        yield _error("no_active_ingredient", "no product names an active ingredient")
    if label.has_boxed_warning != ("boxed_warning" in groups):
        yield _error("boxed_warning", "the boxed warning and its section disagree")


def _is_odd(character: str) -> bool:
    if character in "\n\t":
        return False
    return character in "\u00ad\ufeff\ufffd" or unicodedata.category(character) in ("Co", "Cc")


def _warning(code: str, message: str) -> Finding:
    return Finding(code=code, severity="warning", message=message)


def _error(code: str, message: str) -> Finding:
    return Finding(code=code, severity="error", message=message)


def broken_ends(document: Document) -> list[Block]:
    """Return blocks of body sections without an end mark whose next block goes on in lower case.

    Only if the next block is on another page or in another column. Tables, captions and notes
    between the two are skipped. Formats without pages have none.
    """
    prose = [
        (block, section.text_of(block))
        for section in document.sections
        if section.role == "body"
        for block in section.blocks
        if block.kind in _PROSE and block.page is not None
    ]
    return [
        block
        for (block, text), (following, rest) in pairwise(prose)
        if len(text.split()) >= _LEAST_WORDS
        and not _ENDS.search(text)
        and _CONTINUES.match(rest)
        and _apart(block, following)
    ]


def _apart(block: Block, following: Block) -> bool:
    """On different pages, or the second one begins above the first one's end."""
    if block.page != following.page:
        return True
    return block.box is not None and following.box is not None and following.box[1] < block.box[1]
