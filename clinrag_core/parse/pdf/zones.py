"""A part of a page in two columns whose lines are not level, between what crosses the gutter.

A table or a note over both columns closes the gutter of the page, and lines of the two columns that
are set on different grids make no rows: the free stretch of the gutter shows the columns.
"""

from __future__ import annotations

from collections import Counter
from statistics import median
from typing import TYPE_CHECKING

from clinrag_core.parse.pdf.gutter import GAP, Item, middle
from clinrag_core.parse.pdf.page import Line

if TYPE_CHECKING:
    from collections.abc import Iterator

_STEP = 3.0  # points
_CANDIDATES = 4  # left edges that most lines share
_LEAST_LINES = 5  # on each side
_TEXT = 30  # characters of the median line: cells are shorter
_WIDE = 0.6  # of the column: lines of running text are wider
_OVERLAP = 0.5  # of the shorter column's height that the other is next to it
_MIN_COLUMN = 90.0  # points


def free_zone(items: list[Item]) -> tuple[float, float, float] | None:
    """Return a part of the page in two columns: x of the gutter, top and bottom; None if none."""
    lines = [i for i in items if isinstance(i, Line)]
    if len(lines) < 2 * _LEAST_LINES:
        return None
    left = min(i.x0 for i in lines)
    edges = Counter(
        round((i.x0 - GAP) / _STEP) * _STEP for i in lines if i.x0 - left >= _MIN_COLUMN
    )
    best: tuple[int, float, float, float] | None = None
    for x, count in sorted(edges.items(), key=lambda e: (-e[1], e[0]))[:_CANDIDATES]:
        if count < _LEAST_LINES:
            break
        for inside in _stretches(items, lines, x):
            if _are_columns(inside, x) and (best is None or len(inside) > best[0]):
                best = len(inside), x, min(i.y0 for i in inside), max(i.y1 for i in inside)
    return best[1:] if best is not None else None


def _stretches(items: list[Item], lines: list[Line], x: float) -> Iterator[list[Line]]:
    """Yield the lines between two items that cross x, from the top."""
    crossing = sorted((i.box[1], i.box[3]) for i in items if i.box[0] < x - 1 and i.box[2] > x + 1)
    top = float("-inf")
    for start, end in [*crossing, (float("inf"), float("inf"))]:
        inside = [i for i in lines if top <= middle(i) <= start]
        if len(inside) >= 2 * _LEAST_LINES:
            yield inside
        top = max(top, end)


def _are_columns(lines: list[Line], x: float) -> bool:
    """True if both sides of x are running text, next to each other."""
    sides = [i for i in lines if i.x1 <= x + GAP], [i for i in lines if i.x0 >= x - GAP]
    if any(len(side) < _LEAST_LINES for side in sides):
        return False
    for side in sides:
        width = max(i.x1 for i in side) - min(i.x0 for i in side)
        if median(len(i.text) for i in side) < _TEXT:
            return False
        if median(i.x1 - i.x0 for i in side) < _WIDE * width:
            return False
    spans = [(min(i.y0 for i in side), max(i.y1 for i in side)) for side in sides]
    both = min(b for _, b in spans) - max(a for a, _ in spans)
    return both >= _OVERLAP * min(b - a for a, b in spans)
