"""Paragraphs that a page or column break has cut: they end inside a sentence, the next goes on.

Judged on the finished sections, so that it checks whatever joined them. Pure.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clinrag_core.model.document import Document
    from clinrag_core.model.section import Block, Section

_PROSE = ("paragraph", "list_item", "recommendation")
_LEAST_WORDS = 6
_ENDS = re.compile(r"[.!?:;)\]\"'”’*]\W*$")
_CONTINUES = re.compile(r"^[a-z]{2,}[\s,]")


class BrokenEnd(NamedTuple):
    """A block that ends inside a sentence at a break."""

    section: int
    """Ordinal."""
    page: int
    start: int
    """Where the block begins in the section's text."""


def broken_ends(document: Document) -> list[BrokenEnd]:
    """Blocks of body sections without an end mark whose next block goes on in lower case.

    Only where the next block stands on another page or in another column. Tables, captions and
    notes between the two are passed over. Formats without pages have none.
    """
    return [
        BrokenEnd(section.ordinal, block.page or 0, block.start)
        for section, block, text, following, rest in _pairs(document)
        if len(text.split()) >= _LEAST_WORDS
        and not _ENDS.search(text)
        and _CONTINUES.match(rest)
        and _apart(block, following)
    ]


def _pairs(document: Document) -> Iterator[tuple[Section, Block, str, Block, str]]:
    prose = [
        (section, block, section.text[block.start : block.end])
        for section in document.sections
        if section.role == "body"
        for block in section.blocks
        if block.kind in _PROSE and block.page is not None
    ]
    for (section, block, text), (_, following, rest) in pairwise(prose):
        yield section, block, text, following, rest


def _apart(block: Block, following: Block) -> bool:
    """On different pages, or the second one begins above the first one's end."""
    if block.page != following.page:
        return True
    return block.box is not None and following.box is not None and following.box[1] < block.box[1]
