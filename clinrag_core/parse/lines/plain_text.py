"""Plain text guidelines: text extracted from web pages, and hard-wrapped text files.

Headings carry no markup here, so they are inferred from how lines follow each other
(`plain_headings`); a wrong guess costs a title, never a word of text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.model.document import ParseWarning
from clinrag_core.parse.assemble.assembler import assemble
from clinrag_core.parse.assemble.characters import clean, private_use
from clinrag_core.parse.assemble.source_text import decode, document
from clinrag_core.parse.lines.plain_headings import headings_and_pieces
from clinrag_core.parse.lines.plain_lines import paragraphs
from clinrag_core.parse.lines.plain_tables import open_flat_tables

if TYPE_CHECKING:
    from clinrag_core.model.document import Document
    from clinrag_core.model.source import DocumentSource

PARSER = "text/3"


def parse_text(data: bytes, source: DocumentSource) -> Document:
    """Parse a plain text file; form feeds count pages.

    Raises:
        ParseError: `empty_document`, `too_large`, `not_text`.
    """
    decoded = decode(data, source)
    text = clean(decoded.text.replace("\r\n", "\n").replace("\r", "\n"))
    found = paragraphs(text)
    title = source.title or (found[0].text if found else source.file.name)
    sections = assemble(open_flat_tables(headings_and_pieces(found, title)), title)
    pages = text.count("\f") + 1 if "\f" in text else None
    warnings = decoded.warnings
    if odd := text.count("\ufffd") + private_use(text):
        warnings += (
            ParseWarning(
                code="replacement_characters", message=f"{odd} characters without meaning"
            ),
        )
    return document(source, PARSER, title, sections, warnings, pages)
