"""Markdown guidelines (CommonMark with tables), often converted from PDF by other tools.

Line numbers of the source anchor every block. Conversion leaves traces that are undone here:
running headers that became headings, and sentences broken off into headings (`markdown_headings`).
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from clinrag_core.errors import ParseError
from clinrag_core.model.document import ParseWarning
from clinrag_core.parse.assemble.assembler import Heading, Piece, assemble
from clinrag_core.parse.assemble.characters import clean, private_use
from clinrag_core.parse.assemble.source_text import decode, document
from clinrag_core.parse.lines.markdown_headings import mend
from clinrag_core.parse.lines.markdown_tokens import read_tokens

if TYPE_CHECKING:
    from clinrag_core.model.document import Document
    from clinrag_core.model.source import DocumentSource

PARSER = "markdown/3"

# An arrow of the WHO's icon font, read as a letter by the conversion.
_LOST_BULLET = re.compile(r"(?:(?<=\s)|(?<=^))Î(?=[A-Z])", re.MULTILINE)
_FRONT_MATTER = re.compile(r"\A---\n(?:.*\n)*?(?:---|\.\.\.)\n")


def parse_markdown(data: bytes, source: DocumentSource) -> Document:
    """Parse a Markdown file; `xml_id` of a block is its source line, e.g. 'L120'.

    Raises:
        ParseError: `empty_document`, `too_large`, `not_text`.
    """
    decoded = decode(data, source)
    text = clean(decoded.text.replace("\r\n", "\n").replace("\r", "\n"))
    text = _LOST_BULLET.sub("• ", text)
    if header := _FRONT_MATTER.match(text):
        text = "\n" * header[0].count("\n") + text[header.end() :]
    items, pages = read_tokens(text)
    if not items:
        raise ParseError("no text", code="empty_document", file=source.file.name)
    items = _title_first(items)
    first = next((i.title for i in items if isinstance(i, Heading)), source.file.name)
    title = source.title or first
    mended = mend(items)
    warnings = list(decoded.warnings)
    if mended.running:
        warnings.append(
            ParseWarning(
                code="running_headers",
                message=f"{mended.running} running page headers removed",
            )
        )
    if mended.demoted:
        warnings.append(
            ParseWarning(
                code="broken_headings",
                message=f"{mended.demoted} headings were parts of sentences and became text",
            )
        )
    if odd := text.count("\ufffd") + private_use(text):
        warnings.append(
            ParseWarning(code="replacement_characters", message=f"{odd} characters without meaning")
        )
    sections = assemble(mended.items, title)
    return document(source, PARSER, title, sections, tuple(warnings), pages)


def _title_first(items: list[Heading | Piece]) -> list[Heading | Piece]:
    """The only first-level heading, at the top, is the document's title."""
    headings = [i for i in items if isinstance(i, Heading)]
    if [h.level for h in headings].count(1) != 1 or headings[0].level != 1:
        return items
    first = headings[0]
    return [replace(first, level=0) if i is first else i for i in items]
