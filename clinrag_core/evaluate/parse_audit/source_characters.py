"""Count of the letters and digits of a file, made without the parsers.

The denominator of the audit's `kept` share: a parser that loses or repeats text cannot hide it
here. Letters and digits only, so that hyphens, bullets and white space do not count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from clinrag_core.acquire.spl_header import read_spl
from clinrag_core.parse.assemble.source_text import decode
from clinrag_core.parse.html.content import article_root, drop_noise
from clinrag_core.parse.html.parser import read_tree
from clinrag_core.parse.pdf.reader import PdfFile
from clinrag_core.parse.spl.xml import V3, raw_text

if TYPE_CHECKING:
    from clinrag_core.model.source import DocumentSource


def count(text: str) -> int:
    """Return the number of letters and digits of a text."""
    return sum(c.isalnum() for c in text)


def source_characters(data: bytes, source: DocumentSource) -> int | None:
    """Return letters and digits a reader of the file sees.

    SPL: every `text` and `excerpt` of a section, titles apart; PDF: the text layer, page by page;
    HTML: the article with its headings; text and markdown: the file. None for openFDA, whose fields
    repeat one another.

    Raises:
        DocumentError: the file cannot be read.
    """
    if source.format == "spl":
        return _spl(data, source.file.name)
    if source.format == "pdf":
        with PdfFile(data, source) as file:
            return sum(count(file.plain_text(n)) for n in range(1, file.page_count + 1))
    if source.format == "html":
        return _html(data, source)
    if source.format in ("text", "markdown"):
        return count(decode(data, source).text)
    return None


def _spl(data: bytes, name: str) -> int:
    return sum(
        count(raw_text(element))
        for section in read_spl(data, name).iter(f"{V3}section")
        for tag in ("text", "excerpt")
        for element in section.findall(f"{V3}{tag}")
    )


def _html(data: bytes, source: DocumentSource) -> int:
    tree, _ = read_tree(data, source)
    drop_noise(tree)
    etree.strip_elements(tree, "head", "script", "style", with_tail=False)
    return count(article_root(tree).text_content())
