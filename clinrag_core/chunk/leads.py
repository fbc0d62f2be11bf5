"""What introduces the items of a list, of list blocks and of bullets inside a paragraph."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.list_signs import has_bullet, is_sign

if TYPE_CHECKING:
    from clinrag_core.model.section import Block, Section

_OPEN = lazy_re(r"\b(?:to|should|must|can|may|will|by)\W*$", re.IGNORECASE)
_SENTENCE = lazy_re(
    r"\W*[A-Z][\w-]*(?:\s[\w()/,-]+){0,8}?\s(?:is|are|was|were|has|have|can|may|must|should|will)\b"
    r".*\.\W*$",
    re.DOTALL,
)


_THOSE = lazy_re(r"\W*(?:(?:For|In) those|Those)\b")
"""How a sentence goes on about some of the people named before it."""
_TABLE = lazy_re(
    r":\s*$|\b(?:following|accompanying|next) (?:tables?|guidelines?|schedules?|regimens?|doses?)\b"
    r"|\b(?:tables?|schedules?|regimens?) (?:below|that follows?)\b|\bas follows\b",
    re.IGNORECASE,
)


_INDENT = 4.0
"""Points by which items of an inner list are further right; lists are indented by ten or more."""
LONGEST_INTRODUCTION = 25
"""Words of a sentence that introduces a table; a longer one says more than what the table is."""


def introduces_table(sentence: str) -> bool:
    """Return whether a sentence says that a table follows: "the following table gives ...:"."""
    is_short = len(sentence.split()) <= LONGEST_INTRODUCTION
    return is_short and _TABLE.search(sentence) is not None


class BulletLeads:
    """Follows a section: which words introduce the bullets that come next."""

    def __init__(self, section: Section) -> None:
        self._section = section
        self._lead: tuple[int, int] | None = None
        self._inner: tuple[int, int] | None = None
        self._outer: tuple[int, int] | None = None
        self._opener: Block | None = None
        self._is_indented = False
        self._announced: tuple[int, int] | None = None

    def of(self, block: Block, start: int, end: int) -> tuple[int, int] | None:
        """Return the lead-in of a statement of a block, None if it has none.

        A sentence is no item of a list whose lead-in wants a verb ("The aims are to:"). One that
        goes on about "those who ..." right after whom a colon announces says it of these.
        """
        own = self._section.text[start:end]
        announced = self._announced
        if announced and block.kind != "list_item" and _THOSE.match(own):
            return announced
        self._announced = _without_sign(own, start, end) if own.rstrip().endswith(":") else None
        return self._of(block, start, end, own)

    def _of(self, block: Block, start: int, end: int, own: str) -> tuple[int, int] | None:
        """Return the lead-in of a statement that is announced by none right before it."""
        if block.kind == "list_item":
            lead = self._of_item(block, start, end)
        elif has_bullet(own):
            lead = self._lead
        else:
            self._inner = None
            self._lead = (start, end) if own.rstrip().endswith(":") else None
            return block.lead_in
        if lead is None:
            return None
        introduces = self._section.text[lead[0] : lead[1]]
        return None if _OPEN.search(introduces) and _SENTENCE.match(own) else lead

    def _of_item(self, block: Block, start: int, end: int) -> tuple[int, int] | None:
        """Return what introduces an item: an item before it that ends in a colon, or its list.

        "Five doses or fewer are missed: resume" is in one list with "more are missed: restart". A
        sentence ends the inner list; so does an item that is no longer indented.
        """
        own = self._section.text[start:end]
        if block.lead_in != self._outer or _SENTENCE.match(own):
            self._outer, self._inner = block.lead_in, None
        if own.rstrip().endswith(":"):
            self._inner = _without_sign(own, start, end)
            self._opener, self._is_indented = block, False
            return block.lead_in
        if self._inner and self._opener and block is not self._opener:
            is_deeper = _is_deeper(block, self._opener)
            if self._is_indented and not is_deeper:
                self._inner = None
            self._is_indented = self._is_indented or is_deeper
        return self._inner or block.lead_in


def _without_sign(own: str, start: int, end: int) -> tuple[int, int]:
    """Return the span of a statement without the number or bullet that it begins with."""
    sign, _, words = own.partition(" ")
    return (end - len(words) if words and is_sign(sign) else start, end)


def _is_deeper(block: Block, opener: Block) -> bool:
    """Return whether an item is printed further right than the one that opens its list."""
    if block.box is None or opener.box is None:
        return False
    return block.box[0] > opener.box[0] + _INDENT
