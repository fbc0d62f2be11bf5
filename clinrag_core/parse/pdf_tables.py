"""Tables of a PDF: where to look, which finds to believe, and what their cells say.

MuPDF finds grids by ruled lines; it also finds charts, boxes and highlighted prose. Cell text is
written from the page's own characters, so raised calls to notes never fuse with a dose and
no-break spaces are kept apart from letters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clinrag_core.parse.pdf_page import Box, Grid, Span, contains, make_line
from clinrag_core.parse.pdf_groups import normal_bullet

if TYPE_CHECKING:
    from clinrag_core.parse.pdf_hyphens import Vocabulary
    from clinrag_core.parse.pdf_page import Fill, Page

_MIN_RULE = 40.0
_THIN = 3.0
_EMPTY = 0.5
_CHART_NUMBER = re.compile(r"^[\d.,%\s-]{1,6}$")


@dataclass(frozen=True, slots=True)
class Found:
    """A table with its place."""

    box: Box
    rows: tuple[tuple[str, ...], ...]
    header_rows: int
    columns: tuple[float, ...]  # left edges of the columns


def may_hold_table(page: Page) -> bool:
    """Whether rules or cell fills on a page suggest a table (cheap; before `find_tables`)."""
    across = 0
    levels: set[int] = set()
    down: set[int] = set()
    cells = 0
    for fill in page.fills:
        x0, y0, x1, y1 = fill.box
        width, height = x1 - x0, y1 - y0
        if height <= _THIN and width >= _MIN_RULE:
            across += 1
            levels.add(round(y0 / 3))
        elif width <= _THIN and height >= 8:
            down.add(round(x0 / 3))
        elif width >= 20 and 8 <= height < 0.6 * page.height and width < 0.95 * page.width:
            cells += _is_cell(fill)
            levels.add(round(y0 / 3))
            down.add(round(x0 / 3))
    return len(levels) >= 3 and (len(down) >= 2 or cells >= 4)


def _is_cell(fill: Fill) -> int:
    return int(fill.filled and min(fill.color) < 0.99) or int(not fill.filled)


def believable(grid: Grid, page: Page) -> bool:
    """Whether a grid can be a table: at least two columns and two rows with text inside."""
    if len(grid.cells) < 2 or max(len(r) for r in grid.cells) < 2:
        return False
    inside = [line for line in page.lines if contains(grid.box, line.box)]
    return len(inside) >= 3


def read_grid(grid: Grid, characters: list[Span], number: int, vocabulary: Vocabulary) -> Found | None:
    """Text of a grid's cells; None where it is no table (a box, a chart, a contents page)."""
    rows: list[tuple[str, ...]] = []
    boxes = [[c for c in row] for row in grid.cells]
    texts = _cell_texts(boxes, characters, number, vocabulary)
    for row in texts:
        if any(row):
            rows.append(row)
    rows = _without_empty_columns(rows)
    if not _is_table(rows):
        return None
    columns = tuple(sorted({round(c[0]) for row in grid.cells for c in row if c is not None}))
    return Found(grid.box, tuple(rows), _header_rows(rows), tuple(float(c) for c in columns))


def _cell_texts(
    boxes: list[list[Box | None]], characters: list[Span], number: int, vocabulary: Vocabulary
) -> list[tuple[str, ...]]:
    held: dict[tuple[int, int], list[Span]] = {}
    flat = [
        (box, (i, j)) for i, row in enumerate(boxes) for j, box in enumerate(row) if box is not None
    ]
    for char in characters:
        x, y = (char.box[0] + char.box[2]) / 2, (char.box[1] + char.box[3]) / 2
        for box, key in flat:
            if box[0] <= x < box[2] and box[1] <= y < box[3]:
                held.setdefault(key, []).append(char)
                break
    return [
        tuple(_cell(held.get((i, j), []), number, vocabulary) for j in range(len(row)))
        for i, row in enumerate(boxes)
    ]


def _cell(characters: list[Span], number: int, vocabulary: Vocabulary) -> str:
    """Text of a cell on one line."""
    rows: list[list[Span]] = []
    for char in characters:
        row = rows[-1] if rows else None
        if row is not None and _same_line(row, char):
            row.append(char)
        else:
            rows.append([char])
    rows = _merge_rows(rows)
    text = ""
    soft = False
    for row in sorted(rows, key=lambda r: max(r, key=lambda c: c.size).base):
        line = make_line(row, number)
        if line is not None:
            text = vocabulary.join(text, line.text, soft=soft)
            soft = line.soft
    return normal_bullet(text).replace("\t", " ")


def _same_line(row: list[Span], char: Span) -> bool:
    largest = max(row, key=lambda c: c.size)
    return abs(char.base - largest.base) < 0.6 * max(largest.size, char.size)


def _merge_rows(rows: list[list[Span]]) -> list[list[Span]]:
    """Pieces of one printed line may come apart in content order."""
    merged: list[list[Span]] = []
    for row in rows:
        largest = max(row, key=lambda c: c.size)
        for other in merged:
            if _same_line(other, largest) and abs(
                max(other, key=lambda c: c.size).base - largest.base
            ) < 0.45 * largest.size:
                other.extend(row)
                break
        else:
            merged.append(row)
    return merged


def _without_empty_columns(rows: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    width = max((len(r) for r in rows), default=0)
    padded = [r + ("",) * (width - len(r)) for r in rows]
    kept = [j for j in range(width) if any(r[j] for r in padded)]
    return [tuple(r[j] for j in kept) for r in padded]


def _is_table(rows: list[tuple[str, ...]]) -> bool:
    if len(rows) < 2 or len(rows[0]) < 2:
        return False
    cells = [c for r in rows for c in r]
    filled = [c for c in cells if c]
    # Rows that hold one cell are headings inside a table: they do not count as empty cells.
    several = [r for r in rows if sum(bool(c) for c in r) > 1]
    if len(several) < 2:
        return False
    inner = [c for r in several for c in r]
    if sum(not c for c in inner) > _EMPTY * len(inner):
        return False
    if sum("....." in c or ". . . ." in c for c in filled) * 4 > len(filled):
        return False
    numbers = sum(bool(_CHART_NUMBER.match(c)) for c in filled)
    worded = any(sum(any(ch.isalpha() for ch in c) for c in r) >= 2 for r in rows[:3])
    return worded or numbers < 0.6 * len(filled)


def _header_rows(rows: list[tuple[str, ...]]) -> int:
    """Rows of column titles: words, hardly a number, up to the first that is filled like data."""
    count = 0
    for row in rows[:3]:
        filled = [c for c in row if c]
        if any(re.search(r"\d", c) and not re.search(r"[A-Za-z]{3}", c) for c in filled):
            break
        if any(len(c.split()) > 14 for c in filled):
            break
        count += 1
        if len(filled) == len(row):
            break
    return min(count, len(rows) - 1) if count < 3 or len(rows) > 3 else 1
