"""What introduces the items of a list, of list blocks and of bullets inside a paragraph."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.text.list_signs import has_bullet

if TYPE_CHECKING:
    from clinrag_core.model.section import Block, Section

_OPEN = re.compile(r"\b(?:to|should|must|can|may|will|by)\W*$", re.IGNORECASE)
_SENTENCE = re.compile(
    r"\W*[A-Z][\w-]*(?:\s[\w()/,-]+){0,8}?\s(?:is|are|was|were|has|have|can|may|must|should|will)\b"
    r".*\.\W*$",
    re.DOTALL,
)


class BulletLeads:
    """Follows a section: which words introduce the bullets that come next."""

    def __init__(self, section: Section) -> None:
        self._section = section
        self._lead: tuple[int, int] | None = None

    def of(self, block: Block, start: int, end: int) -> tuple[int, int] | None:
        """Return the lead-in of a statement of a block, None if it has none.

        A sentence is no item of a list whose lead-in wants a verb ("The aims are to:").
        """
        own = self._section.text[start:end]
        if block.kind == "list_item":
            lead = block.lead_in
        elif has_bullet(own):
            lead = self._lead
        else:
            self._lead = (start, end) if own.rstrip().endswith(":") else None
            return block.lead_in
        if lead is None:
            return None
        introduces = self._section.text[lead[0] : lead[1]]
        return None if _OPEN.search(introduces) and _SENTENCE.match(own) else lead
