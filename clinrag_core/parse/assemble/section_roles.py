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
    from collections.abc import Sequence

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
