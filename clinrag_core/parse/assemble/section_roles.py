"""The role of a section, from its heading or from the group of its code."""

from __future__ import annotations

from clinrag_core.lexicon.loader import Expression, load_table
from clinrag_core.model.base import Record
from clinrag_core.model.section import SectionGroup, SectionRole

ROLES: dict[SectionGroup | None, SectionRole] = {
    "product_data": "product_data",
    "recent_changes": "highlights",
    "references": "references",
}
"""Roles of the groups of coded sections; all others are body."""


class SectionTitleTable(Record):
    """The words of `lexicons/section_titles.toml`."""

    role: dict[SectionRole, Expression]


def role_of(title: str) -> SectionRole | None:
    """Return the role that a heading gives its section, None if it gives none."""
    roles = load_table("section_titles", SectionTitleTable).role
    folded = title.casefold()
    return next((role for role, pattern in roles.items() if pattern.match(folded)), None)
