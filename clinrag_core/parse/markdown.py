"""Markdown guidelines (CommonMark with tables), often converted from PDF by other tools.

Line numbers of the source anchor every block. Conversion leaves traces that are undone here:
running headers that became headings, and sentences broken off into headings (`markdown_headings`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.errors import ParseError
from clinrag_core.model import ParseWarning
from clinrag_core.parse.assembly import assemble
from clinrag_core.parse.characters import clean, private_use
from clinrag_core.parse.markdown_headings import mend
from clinrag_core.parse.markdown_tokens import read_tokens
from clinrag_core.parse.source_text import decode, document

if TYPE_CHECKING:
    from clinrag_core.model import Document, DocumentSource

PARSER = "markdown/1"

_FRONT_MATTER = re.compile(r"\A---\n(?:.*\n)*?(?:---|\.\.\.)\n")


def parse_markdown(data: bytes, source: DocumentSource) -> Document:
    """Parse a Markdown file; `xml_id` of a block is its source line, e.g. 'L120'.

    Raises:
        ParseError: `empty_document`, `too_large`, `not_text`.
    """
    decoded = decode(data, source)
    text = clean(decoded.text.replace("\r\n", "\n").replace("\r", "\n"))
    if header := _FRONT_MATTER.match(text):
        text = "\n" * header[0].count("\n") + text[header.end() :]
    items, pages = read_tokens(text)
    if not items:
        raise ParseError("no text", code="empty_document", file=source.file.name)
    title = source.title or next((i.title for i in items if hasattr(i, "title")), source.file.name)  # pyright: ignore
    mended = mend(items)
    warnings = list(decoded.warnings)
    if mended.running:
        warnings.append(
            ParseWarning(
                code="running_headers",
                message=f"{mended.running} running page headers removed",
                place=mended.running_title,
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
