"""HTML guidelines: CDC's MMWR pages since the 1990s, modern templates, plain pages.

Never fetches anything and runs no script. `content` finds the article, `walk` reads it in order,
`tables` reads the data tables.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lxml import etree
from lxml import html as lxml_html

from clinrag_core.acquire.magic import check_html
from clinrag_core.errors import ParseError
from clinrag_core.model.document import ParseWarning
from clinrag_core.parse.assemble.assembler import assemble
from clinrag_core.parse.assemble.source_text import (
    character_warnings,
    check_size,
    decode,
    document,
)
from clinrag_core.parse.html.content import article_root, drop_noise
from clinrag_core.parse.html.walk import Walker, tidy

if TYPE_CHECKING:
    from clinrag_core.model.document import Document
    from clinrag_core.model.source import DocumentSource

PARSER = "html/14"
MAX_BYTES = 32 * 2**20  # the largest page of the reference corpus has 3 MB

_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{2,40})""", re.IGNORECASE)
# A heading's tag typed into another one: '<H<H4>'. A parser takes both for one unknown element.
_TYPED_TWICE = re.compile(r"<h[1-6]?\s*(?=<\s*h[1-6]\b)", re.IGNORECASE)


def parse_html(data: bytes, source: DocumentSource) -> Document:
    """Parse an HTML page.

    Raises:
        ParseError: `empty_document`, `too_large`, `not_text`, `not_html`, `bot_challenge`.
    """
    name = source.file.name
    check_size(data, source, MAX_BYTES)
    check_html(data, name)
    tree, guessed = read_tree(data, source)
    page_title = tidy(tree.findtext(".//title") or "")
    drop_noise(tree)
    root = article_root(tree)
    walker = Walker()
    walker.walk(root)
    title = source.title or walker.first_title or page_title or name
    sections = assemble(walker.items, title)
    return document(source, PARSER, title, sections, guessed + _oddities(walker))


def read_tree(data: bytes, source: DocumentSource) -> tuple[Any, tuple[ParseWarning, ...]]:
    """Return the tree of a page, and a warning if its encoding was guessed.

    Raises:
        ParseError: `empty_document`, `too_large`, `not_text`, `not_html`.
    """
    declared = _CHARSET.search(data[:4096])
    decoded = decode(data, source, declared=declared[1].decode("ascii") if declared else None)
    text = _TYPED_TWICE.sub("", decoded.text).encode("utf-8")
    parser = lxml_html.HTMLParser(
        no_network=True, remove_comments=True, remove_pis=True, encoding="utf-8"
    )
    try:
        return lxml_html.document_fromstring(text, parser=parser), decoded.warnings
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
        message, name = f"cannot be read: {error}", source.file.name
        raise ParseError(message, code="not_html", file=name) from error


def _oddities(walker: Walker) -> tuple[ParseWarning, ...]:
    """Warnings about tables drawn as images, drawn signs and characters without meaning."""
    warnings: list[ParseWarning] = []
    if walker.table_images:
        message = f"{len(walker.table_images)} tables or figures are images without text"
        place = ", ".join(walker.table_images[:5])
        warnings.append(ParseWarning(code="tables_as_images", message=message, place=place))
    if walker.underlined_signs:
        message = f"{walker.underlined_signs} underlined < or > read as ≤ or ≥"
        warnings.append(ParseWarning(code="underlined_signs", message=message))
    text = " ".join(getattr(i, "text", "") for i in walker.items)
    return (*warnings, *character_warnings(text))
