"""The role of a section, from its heading or from the group of its code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clinrag_core.model.section import SectionGroup, SectionRole

ROLES: dict[SectionGroup | None, SectionRole] = {
    "product_data": "product_data",
    "recent_changes": "highlights",
    "references": "references",
}
"""Roles of the groups of coded sections; all others are body."""
_TITLES: dict[SectionRole, str] = {
    "references": r"^(?:[\dA-Z]{1,3}[.)]?\s+)?(?:annex\s+\w+[.:]?\s+)?"
    r"(?:references?(?:\s+(?:cited|list))?|bibliography|literature\s+cited|works\s+cited|"
    r"reference\s+list|list\s+of\s+references|(?:recommended\s+|suggested\s+)?further\s+reading|"
    r"(?:recommended|suggested)\s+reading)\W*$",
    "contents": r"^(?:table\s+of\s+)?contents(?:\s+page)?\W*$|"
    r"^list\s+of\s+(?:tables|figures|boxes|annexes)\b",
    "front_matter": r"^(?:acknowledge?ments?|copyright|contributors|about\s+the\s+authors?|"
    r"suggested\s+citation|cataloguing[\s-]in[\s-]publication)\b",
    # Headings that are body wherever an outline or a layout slip files them.
    "body": r"^(?:[\dA-Z]{1,3}(?:\.\d+)*[.)]?\s+)?(?:executive\s+summary|summary|introduction|"
    r"background|recommendations?|abbreviations|list\s+of\s+abbreviations|acronyms|glossary|"
    r"definitions?|methods|scope|objectives?|standards?|treatment|diagnosis|prevention|annex|"
    r"appendix|key\s+points)\b",
}
_TITLE_OF = {role: re.compile(pattern, re.IGNORECASE) for role, pattern in _TITLES.items()}


def role_of(title: str) -> SectionRole | None:
    """Return the role that a heading gives its section, None if it gives none."""
    return next((role for role, pattern in _TITLE_OF.items() if pattern.match(title)), None)
