"""Pieces of prose that are no statement: sub-headings without markup, and text that is broken.

A sub-heading says nothing alone and heads the text after it; text with a bracket left open was cut
in a sentence or woven from two columns.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.chunk.units import without_cross_references
from clinrag_core.facts.intervals import intervals
from clinrag_core.parse.assemble.wording import is_caption
from clinrag_core.text.brackets import closes_brackets
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.list_signs import is_item
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.units import AMOUNT

if TYPE_CHECKING:
    from clinrag_core.model.section import Block, Section

LONGEST_TITLE = 14
"""Words of a sub-heading, as `parse` takes for titles that no markup confirms."""
_END = lazy_re(r"[.!?:;,…][\"'”’)\]*†‡\d]*\s*$")
_LISTS = lazy_re(r":\s*[^\s:]|\[see\b", re.IGNORECASE)
_SIGNS = lazy_re(r"[\s\d.()•·*–—-]*")
_SAYS = lazy_re(
    r"(?<!^)\b(?:recommended|contraindicated|indicated)\b"  # "Recommended Dosage" is a title
    r"|\b(?:is|are|was|were|be|been|has|have|had|may|can|cannot|could|must|should|shall|will|would"
    r"|do|does|did|not|never|occurs?|causes?|includes?|requires?|you|your)\b",
    re.IGNORECASE,
)
_ORDERS = lazy_re(
    r"(?:avoid|give|take|start|stop|continue|discontinue|monitor|administer|reduce|increase|consider"
    r"|use|test|treat|refer|store|keep|ask|call|check|assess|advise|inform|obtain|perform|repeat)\b",
    re.IGNORECASE,
)
_INSTRUCTS = lazy_re(
    r"\b(?:should|must|contraindicated|not be|is not|are not|recommended|advised)\b.*\.\s*$"
    r"|(?:^|[.;,]\s)\W*(?:administer|initiate|reduce|increase|give|take|avoid|do not|discontinue"
    r"|continue|resume|withhold|monitor|use|calculate)\b.*\.\s*$",
    re.IGNORECASE | re.DOTALL,
)
_GLUED = lazy_re(r"[a-z]{4}[A-Z][a-z]{3}")  # headings of columns without a space: "DrugRisk of"
_OF_PEOPLE = ("age", "weight", "kidney")
_REFERS = lazy_re(r"\(\s*\d+(?:\.\d+)+\s*\)\s*\.?\s*$")
"""The reference that ends an item of a label's highlights: "Nursing mothers (4.4)."."""
_FEWEST_WORDS = 8  # of a footnote that is a sentence of its own


def may_be_title(text: str) -> bool:
    """Return whether a text has the shape of a title: few words, a capital, no end."""
    own = _own_words(text)
    is_short = 0 < len(own.split()) <= LONGEST_TITLE
    return is_short and own[:1].isupper() and not _END.search(own)


def is_like_title(text: str) -> bool:
    """Return whether a line may head what comes after it: no label of a list, no caption."""
    return may_be_title(text) and not _LISTS.search(_own_words(text)) and not is_caption(text)


def is_title(text: str) -> bool:
    """Return whether a line is surely a title: no verb, order or list, and no amount.

    An age, a weight or a kidney function is no amount: "Children 3 to 11 Years of Age".
    """
    own = _own_words(text)
    if not may_be_title(text) or _GLUED.search(own):
        return False
    if _LISTS.search(own) or _SAYS.search(own) or _ORDERS.match(own):
        return False
    folded = fold_chars(own)
    amounts = [match.start() for match in AMOUNT.finditer(folded)]
    people = [one for one in intervals(folded) if one.of in _OF_PEOPLE] if amounts else []
    return all(any(one.start <= at < one.end for one in people) for at in amounts)


def _own_words(text: str) -> str:
    """Return a text without the numbers and signs that it opens with, and without references."""
    own = text[_SIGNS.match(text).end() :]  # pyright: ignore[reportOptionalMemberAccess] - matches all
    shortened = without_cross_references(own)
    return own if shortened == own else shortened.rstrip(" .")


def is_sub_heading(
    section: Section, block: Block, following: Block | None, before: Block | None = None
) -> bool:
    """Return whether a block is a line that heads what comes after it, printed without markup.

    A list item is one only where prose comes after it and no item before it: the last of several
    items is no heading, nor is a term that refers to the section on it.
    """
    text = section.text_of(block)
    if not is_title(text) or _REFERS.search(text):
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
