"""The role of a section, from its heading, from the group of its code or from the one above it.

A role flows down to subsections that read like it. What heads a chapter is guessed in many formats:
a guideline whose chapters are filed under 'Acknowledgements' must not leave the index.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.lexicon.loader import Expression, load_table
from clinrag_core.model.base import Record
from clinrag_core.model.section import SectionGroup, SectionRole
from clinrag_core.parse.assemble.wording import is_caption

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from collections.abc import Set as AbstractSet

ROLES: dict[SectionGroup | None, SectionRole] = {
    "product_data": "product_data",
    "recent_changes": "highlights",
    "references": "references",
}
"""Roles of the groups of coded sections; all others are body."""

_CHAPTER = re.compile(
    r"^(?:(?:chapter|section|part)\s+\w+|\d{1,2}(?:\.\d{1,2})*[.)]?\s+[A-Z])", re.IGNORECASE
)
_REFERENCE = re.compile(r"\b(?:19|20)\d\d\b|\bet al\b|https?://|\bdoi\b", re.IGNORECASE)
_PEOPLE = 0.3
"""Share of words with a capital: lists of people and thanks have .43 or more in the reference
corpus, of 761 sections of body text 19 in 20 have less than .26."""
_LEAST_PROSE = 40  # words: below, a sentence of thanks looks like one about care


_NAME = re.compile(
    r"(?:\W|\d)*((?:[A-Z][\w.’'-]*|de|da|van|von|der|den|al|el|la)"
    r"(?: (?:[A-Z][\w.’'-]*|de|da|van|von|der|den|al|el|la)){1,4})(?=\W*$|,|\W*\()"
)
_LONG_WORD = re.compile(r"[^\W\d_]{3,}")
_OF_PEOPLE = re.compile(
    r"(?-i:\b[A-Z]\. ?[A-Z])|\b(?:dr|prof|professor|mr|mrs|ms|md|mph|phd|nurse|physician|student"
    r"|director|chair|officer|editor|author|member|advocate|provider|academic|society|universit\w+"
    r"|institut\w+|ministry|hospital|department|program(?:me)?|agency|laboratory|foundation"
    r"|control)\b",
    re.IGNORECASE,
)
"""What lists of people say of most of them; a list of brand names says it of none."""
_LEAST_PEOPLE = 4  # items of a list of people
_ARE_PEOPLE = 0.8
"""Share of the items that are names, by judgement: a cell of a torn table is among them."""


class SectionTitleTable(Record):
    """The words of `lexicons/section_titles.toml`."""

    role: dict[SectionRole, Expression]


def role_of(title: str) -> SectionRole | None:
    """Return the role that a heading gives its section, None if it gives none."""
    roles = load_table("section_titles", SectionTitleTable).role
    folded = title.casefold()
    return next((role for role, pattern in roles.items() if pattern.match(folded)), None)


def flows_down(title: str) -> bool:
    """Return False for titles that no role of the section above them holds for: chapters."""
    return not (_CHAPTER.match(title) or is_caption(title))


def reads_like(role: SectionRole, texts: Sequence[str]) -> bool:
    """Return True if a subsection's text may have the role of the section above it."""
    if role == "references":
        return 2 * sum(bool(_REFERENCE.search(text)) for text in texts) >= len(texts)
    if role != "front_matter":
        return True
    words = [w for text in texts for w in text.split()[1:] if w[:1].isalpha()]
    capitals = sum(w[0].isupper() for w in words)
    return len(words) < _LEAST_PROSE or capitals >= _PEOPLE * len(words)


def lists_people(items: Sequence[str], ordinary: Callable[[], AbstractSet[str]]) -> bool:
    """Return True if a list is of people: "• A. B. Oyelaran (professional society)".

    `ordinary` gives the words that the document prints in small letters. A name has none of them;
    names of diseases and drugs do, wherever the document speaks of them.
    """
    if len(items) < _LEAST_PEOPLE:
        return False
    named = [match[1] for item in items if (match := _NAME.match(item))]
    of_people = sum(bool(_OF_PEOPLE.search(item)) for item in items)
    if len(named) < _ARE_PEOPLE * len(items) or 2 * of_people < len(items):
        return False
    words = ordinary()
    people = [n for n in named if not any(w.casefold() in words for w in _LONG_WORD.findall(n))]
    return len(people) >= _ARE_PEOPLE * len(items)
