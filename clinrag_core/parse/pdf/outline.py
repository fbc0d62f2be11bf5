"""The outline (bookmarks) of a PDF: whether it is one, and which lines its entries name.

Word processors write reference fields and invalid destinations into outlines; an outline counts
only where most of its entries are found, letter by letter, on the pages they point to.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.model.document import ParseWarning
from clinrag_core.parse.assemble.wording import letters

if TYPE_CHECKING:
    from clinrag_core.parse.pdf.groups import Group
    from clinrag_core.parse.pdf.reader import Entry

_JUNK = re.compile(r"^(?:_[A-Za-z]+\w*|(?:table|figure|equation|cite|page)[.:]\w+|bookmark\d*)$")
_LEAST = 4  # entries found in the text: fewer may match by chance
_SHARE = 0.5  # of the entries: an outline of which less is found is of another edition


def real_entries(entries: tuple[Entry, ...], pages: int) -> tuple[list[Entry], list[ParseWarning]]:
    """Return entries that may be headings, and warnings about the others."""
    junk = [e for e in entries if _JUNK.match(e.title) or not e.title]
    lost = [e for e in entries if e not in junk and not 1 <= e.page <= pages]
    problems = (
        ("outline_junk", "are not headings", junk),
        ("outline_invalid_destination", "point to no page", lost),
    )
    warnings = [
        ParseWarning(
            code=code,
            message=f"{len(dropped)} of {len(entries)} outline entries {what}",
            place=dropped[0].title[:80],
        )
        for code, what, dropped in problems
        if dropped
    ]
    return [e for e in entries if e not in junk and e not in lost], warnings


def match_outline(entries: list[Entry], groups: list[Group]) -> dict[int, int]:
    """Outline level from 1 of the groups that its entries name, by index of the group.

    Empty if too few of the entries (from `real_entries`) name a group.
    """
    by_page: dict[int, list[tuple[int, str]]] = {}
    for index, group in enumerate(groups):
        by_page.setdefault(group.first.page, []).append((index, letters(group.text)))
    matched: dict[int, int] = {}
    for entry in entries:
        wanted = letters(entry.title)
        near = (
            index
            for page in (entry.page, entry.page + 1, entry.page - 1)
            for index, text in by_page.get(page, ())
            if index not in matched and same_title(wanted, text)
        )
        if (index := next(near, None)) is not None:
            matched[index] = entry.level
    if len(matched) < _LEAST or len(matched) < _SHARE * len(entries):
        return {}
    top = min(matched.values())
    return {index: level - top + 1 for index, level in matched.items()}


def same_title(wanted: str, text: str) -> bool:
    """True if one of two titles, as `letters`, begins or ends the other and has 3/4 of it."""
    short, long = sorted((wanted, text), key=len)
    if not short or len(short) < 0.75 * len(long):
        return False
    return long.startswith(short) or long.endswith(short)
