"""Tables of a PDF: which grids to believe.

Rules also draw charts, boxes and forms, which are dropped here: a number torn from a chart must not
pass for a dose.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clinrag_core.parse.assemble.flow import Piece, plain_rows
from clinrag_core.parse.assemble.grid import lay_out
from clinrag_core.parse.pdf.bands import split_bands
from clinrag_core.parse.pdf.cells import CellRow, cell_texts, spanning, split_wide_cells, words_in
from clinrag_core.parse.pdf.header_rows import header_rows, heads_groups, row_styles
from clinrag_core.parse.pdf.padding import without_padding
from clinrag_core.parse.pdf.page import Box, RuledGrid, Span, contains, union

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.parse.assemble.flow import Row
    from clinrag_core.parse.pdf.hyphens import Vocabulary
    from clinrag_core.parse.pdf.page import Fill, Line, Page

_LEAST_LINES = 3  # of text in a table: with fewer it is a box that a rule divides
_EMPTY = 0.5  # of the cells of a table at most; forms to be filled in have more
_CHART = 0.6  # of the cells of a chart's grid are bare numbers, and no row contains two words
_FIRST_ROWS = 3  # in which a chart without words is recognised
_CHART_NUMBER = re.compile(r"^[\d.,%\s-]{1,6}$")
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
    places: tuple[tuple[int, Box], ...]  # page and box of each row
    unsure: tuple[int, ...] = ()  # positions of rows that may be mixed up, never quoted
    caption: Line | None = None  # line above it in which its caption begins

    def extend(self, other: PdfTable) -> None:
        """Add the rows of a table that continues this one.

        A first row without a label goes on with the last one here: that label is of both.
        """
        self.unsure += tuple(len(self.rows) + n for n in other.unsure)
        if _is_cut_row(self, other):
            label, *rest = self.rows[-1]
            self.rows = (*self.rows[:-1], (label._replace(rows=2), *rest), other.rows[0][1:])
            self.rows += other.rows[1:]
        else:
            self.rows += other.rows
        self.places += other.places
        if heads_groups(
            lay_out(Piece("table", rows=self.rows), repeat=True).rows, self.header_rows
        ):
            self.header_rows = 0

    def part(self, start: int, end: int) -> PdfTable:
        """Return a table of the rows from `start` up to `end`, without caption and header."""
        boxes = [box for _, box in self.places[start:end]]
        return PdfTable(
            self.page,
            union(boxes),
            self.rows[start:end],
            0,
            self.lefts,
            tuple(cell.text for cell in self.rows[start]),
            self.places[start:end],
            tuple(n - start for n in self.unsure if start <= n < end),
        )


def _is_cut_row(above: PdfTable, below: PdfTable) -> bool:
    """True if a page break cut a row: its rest has text in other columns, and no label."""
    width = len(above.first_row)
    last, first = above.rows[-1], below.rows[0]
    if (
        below.page == above.places[-1][0]
        or len(last) != width
        or len(first) != width
        or last[0].rows > 1
        or first[0].rows > 1
    ):
        return False
    return bool(last[0].text) and not first[0].text and any(cell.text for cell in first)


def believable(grid: RuledGrid, page: Page) -> bool:
    """True if a grid can be a table: at least two columns and two rows with text inside."""
    if len(grid.cells) <= 1 or max(len(r) for r in grid.cells) <= 1:
        return False
    inside = [line for line in page.lines if contains(grid.box, line.box)]
    return len(inside) >= _LEAST_LINES


def without_notes(grid: RuledGrid, page: Page) -> RuledGrid:
    """Return a grid without the notes under it that a closing rule drew into its open rows."""
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
    grid: RuledGrid,
    lines: Sequence[Line],
    characters: list[Span],
    fills: list[Fill],
    vocabulary: Vocabulary,
) -> PdfTable | None:
    """Table of a grid; None if it is not a table but a box, a form or a chart.

    Only the text of `lines`, which are in the grid, goes into its cells; `characters` are those of
    the page. Turned lines are column titles, whole.
    """
    words = words_in(characters, [i.box for i in lines if not i.turned])
    if not words:
        return None
    grid = without_padding(grid, words)
    boxes = split_bands(split_wide_cells(grid, words), words)
    found = cell_texts(boxes, words, lines[0].page, vocabulary)
    if len(found) == len(boxes):
        found = _with_titles(found, boxes, [i for i in lines if i.turned])
    texts = [row.texts for row in found]
    columns = [j for j, column in enumerate(zip(*texts, strict=True)) if any(column)]
    filled = [tuple(row[j] for j in columns) for row in texts if any(row)]
    if not is_table(filled):
        return None
    places = tuple((lines[0].page, row.box) for row in found)
    if len(texts) == len(boxes):
        kept = [[row[j] for j in columns] for row in boxes]
        rows = spanning(kept, [[row[j] for j in columns] for row in texts])
    else:  # ruled rows were cut into printed rows
        rows = plain_rows(filled)
        found = [row for row in found if any(row.texts)]
        places = tuple((lines[0].page, row.box) for row in found)
    laid_out = lay_out(Piece("table", rows=rows), repeat=True)
    styles = row_styles([places[i][1] for i in laid_out.sources], words, fills)
    lefts = sorted({round(c[0]) for row in grid.cells for c in row if c is not None})
    return PdfTable(
        lines[0].page,
        grid.box,
        rows,
        header_rows(laid_out.rows, styles),
        lefts,
        laid_out.rows[0],
        places,
        tuple(n for n, row in enumerate(found) if row.unsure),
    )


def _with_titles(
    rows: list[CellRow], boxes: list[list[Box | None]], turned: list[Line]
) -> list[CellRow]:
    """Return rows with the turned lines in their cells, where those are empty."""
    out = [list(row.texts) for row in rows]
    for line in sorted(turned, key=lambda i: (i.x0, -i.y1)):
        for i, cells in enumerate(boxes):
            for j, cell in enumerate(cells):
                if cell is not None and contains(cell, line.box, 0) and not rows[i].texts[j]:
                    out[i][j] = f"{out[i][j]} {line.text}".strip()
    return [row._replace(texts=tuple(t)) for row, t in zip(rows, out, strict=True)]


def is_table(rows: list[tuple[str, ...]]) -> bool:
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
    worded = any(sum(any(ch.isalpha() for ch in c) for c in r) > 1 for r in rows[:_FIRST_ROWS])
    return worded or numbers < _CHART * len(filled)
