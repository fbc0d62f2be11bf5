"""The outline (bookmarks) of a PDF: whether it is one, and which lines its entries name.

Word processors write reference fields and invalid destinations into outlines; an outline counts
only where most of its entries are found, letter by letter, on the pages they point to.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.model.document import ParseWarning

if TYPE_CHECKING:
    from clinrag_core.parse.pdf.groups import Group
    from clinrag_core.parse.pdf.reader import Entry

_JUNK = re.compile(r"^(?:_[A-Za-z]+\w*|(?:table|figure|equation|cite|page)[.:]\w+|bookmark\d*)$")
_LEAST = 4
_SHARE = 0.5


def real_entries(entries: tuple[Entry, ...], pages: int) -> tuple[list[Entry], list[ParseWarning]]:
    """Entries that may be headings, and warnings about the others."""
    junk = [e for e in entries if _JUNK.match(e.title) or not e.title]
    lost = [e for e in entries if e not in junk and not 1 <= e.page <= pages]
    warnings: list[ParseWarning] = []
    if junk:
        warnings.append(
            ParseWarning(
                code="outline_junk",
                message=f"{len(junk)} of {len(entries)} outline entries are not headings",
                place=junk[0].title,
            )
        )
    if lost:
        warnings.append(
            ParseWarning(
                code="outline_invalid_destination",
                message=f"{len(lost)} of {len(entries)} outline entries point to no page",
                place=lost[0].title[:80],
            )
        )
    dropped = {id(e) for e in (*junk, *lost)}
    return [e for e in entries if id(e) not in dropped], warnings


def match_outline(entries: list[Entry], groups: list[Group]) -> dict[int, int]:
    """Outline level of the groups that its entries name.

    Args:
        entries: from `real_entries`.
        groups: all groups of the document in order.

    Returns:
        level from 1 by index of the group; empty where the outline is not structure.
    """
    by_page: dict[int, list[int]] = {}
    for index, group in enumerate(groups):
        by_page.setdefault(group.first.page, []).append(index)
    found: dict[int, int] = {}
    for entry in entries:
        wanted = letters(entry.title)
        for page in (entry.page, entry.page + 1, entry.page - 1):
            index = next(
                (
                    i
                    for i in by_page.get(page, ())
                    if i not in found and _names(wanted, letters(groups[i].text))
                ),
                None,
            )
            if index is not None:
                found[index] = entry.level
                break
    if len(found) < _LEAST or len(found) < _SHARE * len(entries):
        return {}
    top = min(found.values())
    return {index: level - top + 1 for index, level in found.items()}


def letters(text: str) -> str:
    """Letters and digits of a text, lower case: what two settings of one title share."""
    return "".join(c for c in text.casefold() if c.isalnum())


def _names(wanted: str, text: str) -> bool:
    if not wanted or not text:
        return False
    if wanted == text:
        return True
    short, long = sorted((wanted, text), key=len)
    return len(short) >= 0.75 * len(long) and (long.startswith(short) or long.endswith(short))
