"""Tables of a PDF: which grids to believe.

Rules also draw charts, boxes and forms, which are dropped here: a number torn from a chart must not
pass for a dose.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from clinrag_core.parse.assemble.flow import Piece, plain_rows
from clinrag_core.parse.assemble.grid import lay_out
from clinrag_core.parse.pdf.cells import cell_texts, spanning, split_wide_cells, words_in
from clinrag_core.parse.pdf.page import Box, RuledGrid, Span, contains

if TYPE_CHECKING:
    from clinrag_core.parse.assemble.flow import Row
    from clinrag_core.parse.pdf.hyphens import Vocabulary
    from clinrag_core.parse.pdf.page import Line, Page

_LEAST_LINES = 3  # of text in a table: with fewer it is a box that a rule divides
_EMPTY = 0.5  # of the cells of a table at most; forms to be filled in have more
_CHART = 0.6  # of the cells of a chart's grid are bare numbers, and no row contains two words
_HEADER_ROWS = 3
_HEADED = 2  # rows at most that a title and the headings below it take
_CHART_NUMBER = re.compile(r"^[\d.,%\s-]{1,6}$")
_BAND = re.compile(r"(?<!/)\b(?:kgs?|years?|yrs?|months?|weeks?|days?)\b(?!/)", re.IGNORECASE)
_VALUE = re.compile(r"(?:yes|no|none)$|[\d.,–-]+\s*\(\s*\d", re.IGNORECASE)
_HEADER_WORDS = 14  # of a column's title; a longer cell in the first rows is data
_NOTE_WORDS = 20  # of a note below a table
_NOTE_WIDTH = 0.7  # of the table: lines of a note run over the columns


@dataclass(slots=True)
class PdfTable:
    """A table with its place; rows of the next page may be added to it."""

    page: int
    box: Box
    rows: tuple[Row, ...]
    header_rows: int
    lefts: list[int]  # left edges of the cells, in points
    first_row: tuple[str, ...]


def believable(grid: RuledGrid, page: Page) -> bool:
    """True if a grid can be a table: at least two columns and two rows with text inside."""
    if len(grid.cells) <= 1 or max(len(r) for r in grid.cells) <= 1:
        return False
    inside = [line for line in page.lines if contains(grid.box, line.box)]
    return len(inside) >= _LEAST_LINES


def without_notes(grid: RuledGrid, page: Page) -> RuledGrid:
    """A grid without the notes under it that a closing rule drew into its open rows."""
    cells, left = list(grid.cells), grid.open_rows
    width = grid.box[2] - grid.box[0]
    while left:
        row = next(c for c in cells[-1] if c is not None)
        inside = [i for i in page.lines if contains(row, i.box)]
        prose = sum(len(i.text.split()) for i in inside) > _NOTE_WORDS
        if inside and not (prose and max(i.x1 - i.x0 for i in inside) > _NOTE_WIDTH * width):
            break
        cells.pop()
        left -= 1
    bottom = max(c[3] for row in cells for c in row if c is not None)
    return RuledGrid((*grid.box[:3], bottom), tuple(cells), left)


def read_grid(
    grid: RuledGrid, lines: list[Line], characters: list[Span], vocabulary: Vocabulary
) -> PdfTable | None:
    """Table of a grid; None if it is not a table but a box, a form or a chart.

    Only the text of `lines`, which are in the grid, goes into its cells; `characters` are those of
    the page.
    """
    words = words_in(characters, [i.box for i in lines])
    boxes = split_wide_cells(grid, words)
    texts = cell_texts(boxes, words, lines[0].page, vocabulary)
    columns = [j for j, column in enumerate(zip(*texts, strict=True)) if any(column)]
    filled = [tuple(row[j] for j in columns) for row in texts if any(row)]
    if not _is_table(filled):
        return None
    if len(texts) == len(boxes):
        kept = [[row[j] for j in columns] for row in boxes]
        rows = spanning(kept, [[row[j] for j in columns] for row in texts])
    else:  # ruled rows were cut into printed rows
        rows = plain_rows(filled)
    texts = list(lay_out(Piece("table", rows=rows), repeat=True).rows)
    lefts = sorted({round(c[0]) for row in grid.cells for c in row if c is not None})
    return PdfTable(lines[0].page, grid.box, rows, _header_rows(texts), lefts, texts[0])


def _is_table(rows: list[tuple[str, ...]]) -> bool:
    """True if several columns contain text, and it is no form or chart."""
    if len(rows) <= 1 or len(rows[0]) <= 1:
        return False
    filled = [c for r in rows for c in r if c]
    # A row with one cell is a heading inside the table: its empty cells do not count.
    several = [r for r in rows if sum(bool(c) for c in r) > 1]
    if len(several) <= 1:
        return False
    inner = [c for r in several for c in r]
    if sum(not c for c in inner) > _EMPTY * len(inner):
        return False
    numbers = sum(bool(_CHART_NUMBER.match(c)) for c in filled)
    worded = any(sum(any(ch.isalpha() for ch in c) for c in r) > 1 for r in rows[:_HEADER_ROWS])
    return worded or numbers < _CHART * len(filled)


def _header_rows(rows: list[tuple[str, ...]]) -> int:
    """Rows of column titles: words, hardly a number, up to the first that fills every column."""
    lengths = [max(len(c.split()) for c in row) for row in rows]
    longest = max(_HEADER_WORDS, median(lengths[1:]) / 2)
    count = 0
    for row, length in zip(rows[:_HEADER_ROWS], lengths, strict=False):
        if any(_is_datum(c) for c in row) or length > longest:
            break
        count += 1
        if all(row):
            break
    if count > _HEADED and _is_alone(rows[count - 2]) and any(map(_is_alone, rows[count:])):
        count -= 2  # a row of one cell over a data row, as further down: it heads a group
    return min(count, len(rows) - 1)


def _is_alone(row: tuple[str, ...]) -> bool:
    """True if only the first cell of a row has text."""
    return bool(row[0]) and not any(row[1:])


def _is_datum(cell: str) -> bool:
    """True if a cell is a value; bands of weight and age ('33-50 kg') head columns."""
    if _BAND.search(cell):
        return False
    if _VALUE.match(cell):
        return True
    return bool(re.search(r"\d", cell)) and not re.search(r"[A-Za-z]{3}", cell)
