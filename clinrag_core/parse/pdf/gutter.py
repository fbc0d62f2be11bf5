"""Gutters: where a page, or a part of it, is set in two columns."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from clinrag_core.parse.pdf.page import Box, Line

if TYPE_CHECKING:
    from clinrag_core.parse.pdf.tables import PdfTable

_STEP = 2.0  # points
_CROSSING = 0.12  # share of the text height that may cross a gutter
_SIDE = 0.18  # share of the characters each side must have
_LEAST_LINES = 4  # on each side
_WIDE = 0.5  # of the column: lines of running text are wider
GAP = 6.0  # points: narrower than any gutter
_MIN_COLUMN = 90.0  # points: four columns on A4
_LEAST_ROWS = 5  # that have both sides filled
_SAME_ROW = 4  # points between the middles of what is printed in one row, or between two rows
_NEAR = 0.9  # of a line's height between it and the next of its column
_TEXT_LINE = 30  # characters of a line of text; cells are shorter


@dataclass(slots=True)
class LayoutUnit:
    """Something placed as a unit: a table, a box with lines, or lines next to the text."""

    box: Box
    lines: list[Line] = field(default_factory=list[Line])
    table: PdfTable | None = None
    aside: bool = False


Item = Line | LayoutUnit


def zone_of(items: list[Item]) -> tuple[float, float, float] | None:
    """Return a part of the page in two columns: x of its gutter, its top and bottom.

    Both columns must be lists or long text: two columns of short lines may be the rows of an
    unruled table, which must not be torn apart.
    """
    rows = _y_rows(items)
    gaps = Counter(
        round((b.box[0] - GAP) / 3) * 3
        for row in rows
        for a, b in pairwise(row)
        if b.box[0] - a.box[2] > 2 * GAP
    )
    for x, count in gaps.most_common(4):
        if count < _LEAST_ROWS:
            break
        run = _longest_run(rows, float(x))
        lines = [i for row in run for i in row if isinstance(i, Line)]
        if len(run) >= _LEAST_ROWS:
            left = min(i.x0 for i in lines)
            if _is_gutter(lines, float(x), left) and _is_text(lines, float(x)):
                return float(x), min(i.y0 for i in lines), max(i.y1 for i in lines)
    return None


def _y_rows(items: list[Item]) -> list[list[Item]]:
    rows: list[list[Item]] = []
    for item in sorted(items, key=lambda i: (middle(i), i.box[0])):
        if rows and abs(middle(rows[-1][0]) - middle(item)) < _SAME_ROW:
            rows[-1].append(item)
        else:
            rows.append([item])
    return [sorted(row, key=lambda i: i.box[0]) for row in rows]


def _longest_run(rows: list[list[Item]], x: float) -> list[list[Item]]:
    """Longest run of rows that nothing crosses at x and that have both sides filled often."""
    best: list[list[Item]] = []
    run: list[list[Item]] = []
    for row in [*rows, None]:
        if row is not None and not any(_crosses(i, x) for i in row):
            run.append(row)
            continue
        first = _first_of_columns(run, x)
        run = run[first:]
        last = max((n for n, r in enumerate(run) if _both(r, x)), default=-1)
        # The longer column ends in rows without the other, set no further apart.
        while last + 1 < len(run) and run[last + 1][0].box[1] - run[last][0].box[3] < _SAME_ROW:
            last += 1
        run = run[: last + 1]
        if sum(_both(r, x) for r in run) > sum(_both(r, x) for r in best):
            best = run
        run = []
    return best


def _both(row: list[Item], x: float) -> bool:
    return row[0].box[2] <= x + GAP and row[-1].box[0] >= x - GAP


def _first_of_columns(run: list[list[Item]], x: float) -> int:
    """Return the index of the row in which two columns begin; the right may begin higher.

    Of rows of the left column alone above the first row of both nothing is known; they are read
    first in any case.
    """
    both = next((n for n, row in enumerate(run) if _both(row, x)), len(run))
    first = n = both
    while 0 < n < len(run) and _is_close(run[n - 1], run[n]):
        n -= 1
        first = n if run[n][0].box[0] >= x - GAP else first
    return first


def _is_close(row: list[Item], below: list[Item]) -> bool:
    gap = min(i.box[1] for i in below) - max(i.box[3] for i in row)
    return gap < _NEAR * _height(row[0])


def _is_text(lines: list[Line], x: float) -> bool:
    sides = ([i for i in lines if i.x1 <= x + GAP], [i for i in lines if i.x0 >= x - GAP])
    if all(sum(i.text.startswith("•") for i in side) > 1 for side in sides):
        return True
    return all(median(len(i.text) for i in side) >= _TEXT_LINE for side in sides)


def gutter_of(items: list[Item]) -> float | None:
    """X of the clearest gutter; None if the items are one column."""
    left = min(i.box[0] for i in items)
    right = max(i.box[2] for i in items)
    lines = [i for i in items if isinstance(i, Line)]
    room = right - left - 2 * _MIN_COLUMN
    if room < 0 or len(lines) < 2 * _LEAST_LINES:
        return None
    steps = (left + _MIN_COLUMN + _STEP * n for n in range(int(room / _STEP) + 1))
    crossed, _, x = min(
        (sum(_height(i) for i in items if _crosses(i, x)), abs(x - (left + right) / 2), x)
        for x in steps
    )
    if crossed > _CROSSING * sum(_height(i) for i in items):
        return None
    return x if _is_gutter(lines, x, left) else None


def _is_gutter(lines: list[Line], x: float, left: float) -> bool:
    """True if both sides of x have enough text, and the left one is not a column of row labels."""
    a = [i for i in lines if i.box[2] <= x + GAP]
    b = [i for i in lines if i.box[0] >= x - GAP]
    if min(len(a), len(b)) < _LEAST_LINES:
        return False
    chars = [sum(len(i.text) for i in side) for side in (a, b)]
    if min(chars) < _SIDE * sum(chars):
        return False
    # Short left lines are labels of rows, not a column.
    return median(i.box[2] - i.box[0] for i in a) >= _WIDE * (x - left)


def middle(item: Item) -> float:
    """Y by which an item is placed: the middle of a line, the top of a unit."""
    return (item.box[1] + item.box[3]) / 2 if isinstance(item, Line) else item.box[1]


def _crosses(item: Item, x: float) -> bool:
    return item.box[0] < x - 1 and item.box[2] > x + 1


def _height(item: Item) -> float:
    return item.box[3] - item.box[1]
