"""Plain text and Markdown guidelines: one reader for files that are lines of text.

Markdown's own syntax is read by markdown-it (`markdown`); plain text has none, so its paragraphs
and headings are inferred (`paragraphs`, `headings`). A wrong guess costs a title, never a word.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.model.document import ParseWarning
from clinrag_core.parse.assemble.assembler import assemble
from clinrag_core.parse.assemble.characters import clean
from clinrag_core.parse.assemble.flow import Heading
from clinrag_core.parse.assemble.source_text import character_warnings, decode, document
from clinrag_core.parse.lines.broken_headings import rejoin
from clinrag_core.parse.lines.flat_tables import open_flat_tables
from clinrag_core.parse.lines.headings import headings_and_pieces
from clinrag_core.parse.lines.markdown import read_markdown
from clinrag_core.parse.lines.paragraphs import paragraphs
from clinrag_core.parse.lines.running_heads import drop_running

if TYPE_CHECKING:
    from clinrag_core.model.document import Document
    from clinrag_core.model.source import DocumentSource

PARSER = "lines/9"

# An arrow of the WHO's icon font, which PDF converters write as a letter.
_LOST_BULLET = re.compile(r"(?:(?<=\s)|(?<=^))Î(?=[A-Z])", re.MULTILINE)


def parse_lines(data: bytes, source: DocumentSource) -> Document:
    """Parse a plain text or Markdown file.

    Form feeds (plain text) and the page markers of converters (Markdown) count pages. `xml_id` of a
    Markdown block is its source line, e.g. 'L120'.

    Raises:
        ParseError: `empty_document`, `too_large`, `not_text`.
    """
    decoded = decode(data, source)
    text = clean(decoded.text.replace("\r\n", "\n").replace("\r", "\n"))
    warnings = list(decoded.warnings)
    if source.format == "markdown":
        marked, pages = read_markdown(_LOST_BULLET.sub("• ", text))
        first = next((i.title for i in marked if isinstance(i, Heading)), "")
        kept, running = drop_running(marked)
        items, broken = rejoin(kept)
        counts = (
            ("running_headers", running, "running page headers removed"),
            ("broken_headings", broken, "headings were parts of sentences and became text"),
        )
        warnings += [ParseWarning(code=c, message=f"{n} {what}") for c, n, what in counts if n]
    else:
        split = paragraphs(text)
        pages = text.count("\f") + 1 if "\f" in text else None
        first = split[0].text if split else ""
        items = open_flat_tables(headings_and_pieces(split, source.title or first))
    warnings += character_warnings(text)
    title = source.title or first or source.file.name
    return document(source, PARSER, title, assemble(items, title), tuple(warnings), pages)
