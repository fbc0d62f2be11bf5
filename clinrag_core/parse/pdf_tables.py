"""Tables of a PDF: where to look, and which finds to believe.

MuPDF finds grids by ruled lines; it also finds charts, boxes and highlighted prose, which are
dropped here: a number torn from a chart must not pass for a dose.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clinrag_core.parse.pdf_cells import cell_texts, split_wide_cells, words_in
from clinrag_core.parse.pdf_page import Box, Grid, Span, contains

if TYPE_CHECKING:
    from clinrag_core.parse.pdf_hyphens import Vocabulary
    from clinrag_core.parse.pdf_page import Fill, Page

_MIN_RULE = 40.0
_THIN = 3.0
_EMPTY = 0.5
_CHART_NUMBER = re.compile(r"^[\d.,%\s-]{1,6}$")
_HEADER_WORDS = 14


@dataclass(frozen=True, slots=True)
class Found:
    """A table with its place."""

    box: Box
    rows: tuple[tuple[str, ...], ...]
    header_rows: int
    columns: tuple[float, ...]  # left edges of the cells


def may_hold_table(page: Page) -> bool:
    """Whether rules or cell fills on a page suggest a table (cheap; before `find_tables`)."""
    levels: set[int] = set()
    down: set[int] = set()
    cells = 0
    for fill in page.fills:
        x0, y0, x1, y1 = fill.box
        width, height = x1 - x0, y1 - y0
        if height <= _THIN and width >= _MIN_RULE:
            levels.add(round(y0 / 3))
        elif width <= _THIN and height >= 8:
            down.add(round(x0 / 3))
        elif width >= 20 and 8 <= height < 0.6 * page.height and width < 0.95 * page.width:
            cells += _is_cell(fill)
            levels.add(round(y0 / 3))
            down.add(round(x0 / 3))
    return len(levels) >= 3 and (len(down) >= 2 or cells >= 4)


def _is_cell(fill: Fill) -> int:
    return int(not fill.filled or min(fill.color) < 0.99)


def believable(grid: Grid, page: Page) -> bool:
    """Whether a grid can be a table: at least two columns and two rows with text inside."""
    if len(grid.cells) < 2 or max(len(r) for r in grid.cells) < 2:
        return False
    inside = [line for line in page.lines if contains(grid.box, line.box)]
    return len(inside) >= 3


def open_bottom(grid: Grid, page: Page) -> Grid:
    """A grid with the row between its last rule and the closing rule of the table, if there is one.

    Tables ruled only across end without side lines, and MuPDF leaves their last row out.
    """
    x0, _, x1, y1 = grid.box
    rules = [
        f.box[1]
        for f in page.fills
        if f.box[3] - f.box[1] <= _THIN and f.box[0] < x0 + 12 and f.box[2] > x1 - 12
    ]
    below = [y for y in rules if y1 + 6 < y < y1 + 160]
    if not below or not any(y1 < i.y0 < min(below) and x0 <= i.x0 <= x1 for i in page.lines):
        return grid
    bottom = min(below)
    width = max(len(r) for r in grid.cells)
    last: tuple[Box | None, ...] = ((x0, y1, x1, bottom), *([None] * (width - 1)))
    return Grid((x0, grid.box[1], x1, bottom), (*grid.cells, last))


def read_grid(grid: Grid, characters: list[Span], number: int, vocabulary: Vocabulary) -> Found | None:
    """Text of a grid's cells; None where it is no table (a box, a chart, a contents page)."""
    words = words_in(characters, grid.box)
    texts = cell_texts(split_wide_cells(grid, words), words, number, vocabulary)
    rows = _without_empty_columns([row for row in texts if any(row)])
    if not _is_table(rows):
        return None
    columns = sorted({round(c[0]) for row in grid.cells for c in row if c is not None})
    return Found(grid.box, tuple(rows), _header_rows(rows), tuple(float(c) for c in columns))


def _without_empty_columns(rows: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    width = max((len(r) for r in rows), default=0)
    padded = [r + ("",) * (width - len(r)) for r in rows]
    kept = [j for j in range(width) if any(r[j] for r in padded)]
    return [tuple(r[j] for j in kept) for r in padded]


def _is_table(rows: list[tuple[str, ...]]) -> bool:
    if len(rows) < 2 or len(rows[0]) < 2:
        return False
    filled = [c for r in rows for c in r if c]
    # A row that holds one cell is a heading inside the table: its empty cells do not count.
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
    """Rows of column titles: words, hardly a number, up to the first that fills every column."""
    count = 0
    for row in rows[:3]:
        filled = [c for c in row if c]
        if any(_is_datum(c) for c in filled) or any(len(c.split()) > _HEADER_WORDS for c in filled):
            break
        count += 1
        if len(filled) == len(row):
            break
    return min(count, len(rows) - 1)


def _is_datum(cell: str) -> bool:
    return bool(re.search(r"\d", cell)) and not re.search(r"[A-Za-z]{3}", cell)
