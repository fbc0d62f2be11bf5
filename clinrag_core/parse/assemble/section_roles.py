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
_REFERENCES = re.compile(
    r"^(?:[\dA-Z]{1,3}[.)]?\s+)?(?:annex\s+\w+[.:]?\s+)?"
    r"(?:references?(?:\s+(?:cited|list))?|bibliography|literature\s+cited|works\s+cited|"
    r"reference\s+list|list\s+of\s+references|(?:recommended\s+|suggested\s+)?further\s+reading|"
    r"(?:recommended|suggested)\s+reading)\W*$",
    re.IGNORECASE,
)
_CONTENTS = re.compile(
    r"^(?:table\s+of\s+)?contents(?:\s+page)?\W*$|^list\s+of\s+(?:tables|figures|boxes|annexes)\b",
    re.IGNORECASE,
)
_FRONT = re.compile(
    r"^(?:acknowledge?ments?|copyright|contributors|about\s+the\s+authors?|suggested\s+citation|"
    r"cataloguing[\s-]in[\s-]publication)\b",
    re.IGNORECASE,
)
# Headings that are body wherever an outline or a layout slip files them.
_BODY = re.compile(
    r"^(?:[\dA-Z]{1,3}(?:\.\d+)*[.)]?\s+)?(?:executive\s+summary|summary|introduction|background|"
    r"recommendations?|abbreviations|list\s+of\s+abbreviations|acronyms|glossary|definitions?|"
    r"methods|"
    r"scope|objectives?|standards?|treatment|diagnosis|prevention|annex|appendix|key\s+points)\b",
    re.IGNORECASE,
)


def role_of(title: str) -> SectionRole | None:
    """Return the role that a heading gives its section, None if it gives none."""
    if _REFERENCES.match(title):
        return "references"
    if _CONTENTS.match(title):
        return "contents"
    if _FRONT.match(title):
        return "front_matter"
    return "body" if _BODY.match(title) else None
