"""Paragraphs that were read across columns or cells: their lines share a gap.

What no reader of gaps could resolve is left as lines of text. It must not pass for prose, so the
pages are named (warning `columns_mixed`).
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from clinrag_core.parse.pdf.groups import Group
from clinrag_core.text.list_signs import is_sign

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clinrag_core.parse.pdf.page import Line

_GAP = 1.2  # em: no line of a paragraph has such a space, but for a label and its text
_SHARED = 0.8  # em that gaps of two lines have in common
_LETTERS = 2  # on either side of a gap: bullets and numbers of items have fewer


def woven_pages(pages: Iterable[Iterable[object]]) -> list[int]:
    """Return the pages that have such a paragraph, in order."""
    groups = (entry for page in pages for entry in page if isinstance(entry, Group))
    return sorted({group.first.page for group in groups if is_woven(group)})


def is_woven(group: Group) -> bool:
    """True if two lines of a group, one below the other, have a wide gap at the same place."""
    return any(
        a.page == b.page and b.y0 > a.y0 and _share_gap(a, b)
        for a, b in pairwise(group.lines)
        if not (a.entry or b.entry)
    )


def _share_gap(above: Line, below: Line) -> bool:
    needed = _SHARED * below.size
    return any(
        min(a[1], b[1]) - max(a[0], b[0]) >= needed for a in _gaps(above) for b in _gaps(below)
    )


def _gaps(line: Line) -> Iterator[tuple[float, float]]:
    """Wide gaps of a line with words on both sides."""
    inked = [s for s in line.spans if s.text.strip()]
    for n, (a, b) in enumerate(pairwise(inked), 1):
        if b.box[0] - a.box[2] < _GAP * line.size:
            continue
        left = "".join(s.text for s in inked[:n]).strip()
        right = "".join(s.text for s in inked[n:]).strip()
        if min(map(_letters, (left, right))) >= _LETTERS and not is_sign(left):
            yield a.box[2], b.box[0]


def _letters(text: str) -> int:
    return sum(map(str.isalpha, text))
