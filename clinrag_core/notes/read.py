"""Reads a note: a text with its sections, chunks and units; a file by the parser of its format.

Text and Markdown are taken character by character, so that offsets are those of the decoded file.
The text of a PDF is that of its pages, line by line: paragraphs joined as for guidelines would lose
the headings of a note. Offsets are those of that text, which a page of the result shows.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from clinrag_core.errors import NoteError
from clinrag_core.model.source import DocumentSource, SourceFile
from clinrag_core.notes.chunks import cut_chunks
from clinrag_core.notes.citations import ReadNote
from clinrag_core.notes.day_entries import entries_of, with_day_plans, with_earlier_orders
from clinrag_core.notes.inference import infer_sections
from clinrag_core.notes.plan_lines import with_kinds
from clinrag_core.notes.sections import find_sections
from clinrag_core.notes.units import cut_units
from clinrag_core.parse.assemble.source_text import decode
from clinrag_core.parse.pdf.reader import PdfFile
from clinrag_core.workspace import sha256_hex

if TYPE_CHECKING:
    from clinrag_core.model.source import Format
    from clinrag_core.notes.inference import SectionFinder

_COMMA_BREAK = re.compile(
    r"(?<=[.:;!?)\]])(?:(?<=:\s)|(?<=:\s\s))?,(?=\s{0,3}[A-Z0-9(#*-])(?!\s{0,3}\d{3}(?!\d))"
    r"|(?<=[A-Z]{4}),(?=\s?\d{1,2}\.\s)|(?<=[A-Z]{5}),(?=[A-Z][a-z])"
    r"|(?<=:\s),|(?<=:\s\s),|,(?=[A-Z][A-Z /&()-]{3,40}\s?[:,])"
)
NOTE_FORMATS: dict[str, Format] = {
    ".txt": "text",
    ".text": "text",
    ".md": "markdown",
    ".pdf": "pdf",
}


def read_note(text: str, most: int, finder: SectionFinder | None = None) -> ReadNote:
    """Return a note with its sections, chunks and units.

    `finder`, if given, decides where the sections of a note without headings begin.

    Raises:
        NoteError: it is empty, or has more than `most` characters.
    """
    if not text.strip():
        raise NoteError("the note is empty")
    if len(text) > most:
        raise NoteError(f"the note has more than {most:,} characters (notes.max_characters)")
    lines = _with_lines(text)
    found = find_sections(lines)
    entries = entries_of(lines, found)
    sections = with_day_plans(lines, infer_sections(lines, found, finder), entries)
    chunks = cut_chunks(text, sections)
    units = with_kinds(lines, sections, cut_units(lines, sections, chunks))
    return ReadNote(text, sections, chunks, with_earlier_orders(units, entries))


def _with_lines(text: str) -> str:
    """Return a note on one line with line breaks for the commas that replaced them.

    Exports of transcriptions write each line break as a comma; the length stays, and so do offsets.
    """
    return text if "\n" in text else _COMMA_BREAK.sub("\n", text)


def note_text(path: Path) -> str:
    """Return the text of a note's file.

    Raises:
        NoteError: the file cannot be read, or its ending is unknown.
        DocumentError: its bytes are not of its format.
    """
    form = NOTE_FORMATS.get(path.suffix.lower())
    if form is None:
        raise NoteError(f"{path.name}: name it with one of {', '.join(sorted(NOTE_FORMATS))}")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise NoteError(f"{path.name}: {error.strerror or type(error).__name__}") from error
    file = SourceFile(name=path.name, sha256=sha256_hex(data), size=len(data))
    source = DocumentSource(
        kind="guideline", format=form, file=file, id="note", title=path.stem or "note"
    )
    if form != "pdf":
        return decode(data, source).text
    with PdfFile(data, source) as pages:
        text = "\n".join(pages.plain_text(n) for n in range(1, pages.page_count + 1))
    if not text.strip():
        raise NoteError(f"{path.name}: it has no text layer")
    return text
