"""Pieces of prose that are no statement: sub-headings without markup, and text that is broken.

A sub-heading says nothing alone and heads the text after it; text with a bracket left open was cut
in a sentence or woven from two columns.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.text.brackets import closes_brackets
from clinrag_core.text.list_signs import is_item
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.units import AMOUNT

if TYPE_CHECKING:
    from clinrag_core.model.section import Block, Section

LONGEST_TITLE = 14
"""Words of a sub-heading, as `parse` takes for titles that no markup confirms."""
_END = re.compile(r"[.!?:;,…][\"'”’)\]*†‡\d]*\s*$")
_LISTS = re.compile(r":\s+\S|\[see\b", re.IGNORECASE)
_SIGNS = re.compile(r"[\s\d.()•·*–—-]*")
_SAYS = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|may|can|cannot|could|must|should|shall|will|would"
    r"|do|does|did|not|never|occurs?|causes?|includes?|requires?|recommended|contraindicated"
    r"|indicated|you|your)\b",
    re.IGNORECASE,
)
_ORDERS = re.compile(
    r"(?:avoid|give|take|start|stop|continue|discontinue|monitor|administer|reduce|increase|consider"
    r"|use|test|treat|refer|store|keep|ask|call|check|assess|advise|inform|obtain|perform|repeat)\b",
    re.IGNORECASE,
)
_INSTRUCTS = re.compile(
    r"\b(?:should|must|contraindicated|not be|is not|are not|recommended|advised)\b.*\.\s*$",
    re.IGNORECASE | re.DOTALL,
)
_FEWEST_WORDS = 8  # of a footnote that is a sentence of its own


def is_sub_heading(
    section: Section, block: Block, following: Block | None, before: Block | None = None
) -> bool:
    """Return whether a block is a line that heads what comes after it, printed without markup.

    A few words without a verb, an order, an amount or a full stop; a list item is one only where
    prose comes after it and no item before it: the last of several items is no heading.
    """
    text = section.text_of(block)
    words = text.split()
    own = text[_SIGNS.match(text).end() :]  # pyright: ignore[reportOptionalMemberAccess] - matches all
    if not 0 < len(words) <= LONGEST_TITLE or not own[:1].isupper() or _END.search(text):
        return False
    if (
        _LISTS.search(own)
        or _SAYS.search(own)
        or _ORDERS.match(own)
        or AMOUNT.search(fold_chars(own))
    ):
        return False
    if block.kind == "list_item":
        is_alone = before is None or before.kind != "list_item"
        return is_alone and following is not None and following.kind == "paragraph"
    return block.kind == "paragraph" and not is_item(text)


def can_be_headed(section: Section, following: Block | None) -> bool:
    """Return whether a block is prose or a list that a sub-heading can head."""
    if following is None:
        return False
    text = section.text_of(following)
    return following.kind == "list_item" or (
        following.kind == "paragraph" and bool(_END.search(text))
    )


def is_instruction(note: str) -> bool:
    """Return whether a footnote is a sentence that says what to do, by itself."""
    return bool(_INSTRUCTS.search(note)) and len(note.split()) >= _FEWEST_WORDS


def is_broken(text: str) -> bool:
    """Return whether a text was cut or woven: one of its brackets lacks the other, or no word."""
    return not closes_brackets(text) or not any(map(str.isalpha, text))
