"""Tables of a page, from the best witness there is: tags, rules, the alignment of words.

Where two witnesses give a grid and a row of one is not in the other, nobody knows which is right:
the row is searchable and never quoted.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from clinrag_core.parse.assemble.flow import Piece
from clinrag_core.parse.assemble.grid import lay_out
from clinrag_core.parse.assemble.wording import letters
from clinrag_core.parse.pdf.aligned import read_aligned
from clinrag_core.parse.pdf.cells import words_in
from clinrag_core.parse.pdf.lattice import find_grids
from clinrag_core.parse.pdf.open_tables import is_wrapped, open_regions
from clinrag_core.parse.pdf.page import area, contains
from clinrag_core.parse.pdf.regions import lines_within, region_of, table_captions
from clinrag_core.parse.pdf.tables import PdfTable, believable, is_table, read_grid, without_notes
from clinrag_core.parse.pdf.tagged import grid_of, tagged_tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.parse.pdf.hyphens import Vocabulary
    from clinrag_core.parse.pdf.page import Box, Line, Page, RuledGrid, Span
    from clinrag_core.parse.pdf.reader import PdfFile

_FARTHEST = 250.0  # points: questions of GRADE tables are between caption and grid
_SAME_PLACE = 0.5  # of the smaller of two tables is in the other: they are readings of one

_SAME_TOP = 12.0  # points: a table that begins further down has no header of the other


def page_tables(file: PdfFile, page: Page, vocabulary: Vocabulary) -> list[PdfTable]:
    """Return the tables of a page; the lines that go into them are removed from it."""
    grids = [without_notes(g, page) for g in find_grids(page.fills) if believable(g, page)]
    captions = table_captions(page)
    if not grids and not captions and not open_regions(page, []):
        return []
    reader = _TableReader(file, page, captions, vocabulary)
    tables = reader.ruled([(grid, 0) for grid in grids])
    if _need_tags(tables, grids, captions):
        tables = reconciled(reader.tagged(), tables)
    for caption in captions:
        if not any(_is_under(caption, t, captions) for t in tables):
            found = reader.aligned(caption)
            tables += [found] if found is not None else []
    for region in open_regions(page, [t.box for t in tables]):
        tables += reader.open(region, tables)
    for caption in captions:
        under = [t for t in tables if _is_under(caption, t, captions)]
        if under:
            min(under, key=lambda t: t.box[1]).caption = caption
    for table in tables:
        page.lines = [i for i in page.lines if not contains(table.box, i.box)]
    return tables


def _need_tags(
    tables: Sequence[PdfTable], grids: Sequence[RuledGrid], captions: Sequence[Line]
) -> bool:
    """True if the rules of a page leave a doubt: about a caption, an open row, the columns.

    Reading the structure of a page takes as long as all the rest of it, so a page of closed
    lattices is read without.
    """
    return (
        any(not any(_is_under(c, t, captions) for t in tables) for c in captions)
        or any(grid.open_rows for grid in grids)
        or any(t.unsure or t.header_rows >= len(t.rows) - 1 or _is_sparse(t) for t in tables)
    )


def _is_sparse(table: PdfTable) -> bool:
    """True if no row fills all columns: edges of shading were taken for columns."""
    return all(sum(bool(c.text) for c in row) < len(table.first_row) for row in table.rows)


class _TableReader:
    """Reads the grids of one page."""

    def __init__(
        self, file: PdfFile, page: Page, captions: Sequence[Line], vocabulary: Vocabulary
    ) -> None:
        self._file = file
        self._page = page
        self._captions = captions
        self._vocabulary = vocabulary

    def ruled(
        self, grids: Sequence[tuple[RuledGrid, int]], *, by_style: bool = True
    ) -> list[PdfTable]:
        """Return the tables of grids, each with the rows of header that it has at least.

        Without `by_style` these are all: a table that nothing announces may go on from the page
        before, and its first bold label is then no title of a column.
        """
        characters = self._fetched([grid.box for grid, _ in grids])
        tables: list[PdfTable] = []
        for grid, header in grids:
            inside = [i for i in self._page.lines if contains(grid.box, i.box)]
            if len(inside) <= 1:
                continue
            table = read_grid(grid, inside, characters, self._page.fills, self._vocabulary)
            if table is not None:
                table.header_rows = max(table.header_rows, header) if by_style else header
                tables.append(table)
        return tables

    def tagged(self, *, by_style: bool = True) -> list[PdfTable]:
        """Return the tables that the file names itself (see `ruled`)."""
        structure, turn = self._file.structure(self._page.number)
        grids = [g for t in tagged_tables(structure, turn) if (g := grid_of(t)) is not None]
        return self.ruled(grids, by_style=by_style)

    def aligned(self, caption: Line) -> PdfTable | None:
        """Return the table that the alignment of words under a caption shows."""
        region = region_of(caption, self._captions, self._page)
        if region is None:
            return None
        return self._read(region, [i for i in lines_within(self._page, region) if i is not caption])

    def open(self, region: Box, tables: Sequence[PdfTable]) -> list[PdfTable]:
        """Return the tables of a region that nothing announces: as tagged, else by alignment.

        Rows without column titles are unsure: what their figures are of is on another page.
        """
        tagged = [t for t in self.tagged(by_style=False) if _is_same_place(t.box, region)]
        if tagged:
            for table in tagged:
                if not table.header_rows:
                    table.unsure = tuple(range(len(table.rows)))
            return [t for t in tagged if not any(_is_same_place(t.box, o.box) for o in tables)]
        if is_wrapped(region, self._page):
            return []
        found = self._read(region, lines_within(self._page, region))
        return [found] if found is not None else []

    def _read(self, region: Box, inside: Sequence[Line]) -> PdfTable | None:
        """Return the table of the lines in a region by their alignment."""
        page = self._page
        words = words_in(self._fetched([region]), [i.box for i in inside])
        if not words:
            return None
        found = read_aligned(region, words, page.fills, page.number, self._vocabulary)
        if found is None:
            return None
        laid_out = lay_out(Piece("table", rows=found.rows), repeat=True)
        if not is_table(list(laid_out.rows)):
            return None
        return PdfTable(
            page.number,
            found.box,
            found.rows,
            found.header_rows,
            sorted({round(b[0]) for b in found.boxes}),
            laid_out.rows[0],
            tuple((page.number, b) for b in found.boxes),
            found.unsure,
        )

    def _fetched(self, boxes: list[Box]) -> list[Span]:
        """Return characters of the lines that reach into boxes."""
        return self._file.characters(self._page.number, boxes) if boxes else []


def _is_under(caption: Line, table: PdfTable, captions: Sequence[Line]) -> bool:
    """True if a table is the first thing that a caption can head."""
    x0, y0, x1, _ = table.box
    if not -1 <= y0 - caption.y0 <= _FARTHEST or x0 > caption.x1 or x1 < caption.x0:
        return False
    return not any(caption.y1 < o.y0 < y0 and x0 < o.x1 and o.x0 < x1 for o in captions)


def reconciled(tagged: Sequence[PdfTable], ruled: Sequence[PdfTable]) -> list[PdfTable]:
    """Return the tables of two witnesses, those that both have once.

    A ruled table knows its spans and empty cells, so it is kept unless it has fewer rows or no row
    fills its columns. Rows that differ are unsure.
    """
    tables = list(ruled)
    for table in tagged:
        others = [other for other in tables if _is_same_place(table.box, other.box)]
        chosen, against = table, others
        if len(others) == 1:
            (other,) = others
            if _filled(other) >= _filled(table) and not _is_sparse(other):
                chosen, against = other, [table]
        unsure = sorted({*chosen.unsure, *_differing(chosen, against)})
        level = [t for t in against if abs(t.box[1] - chosen.box[1]) < _SAME_TOP]
        header = max(t.header_rows for t in (chosen, *level))
        tables = [t for t in tables if all(t is not other for other in others)]
        tables.append(
            replace(chosen, unsure=tuple(unsure), header_rows=min(header, len(chosen.rows) - 1))
        )
    return sorted(tables, key=lambda t: (t.box[1], t.box[0]))


def _filled(table: PdfTable) -> int:
    return sum(any(cell.text for cell in row) for row in table.rows)


def _differing(table: PdfTable, others: Sequence[PdfTable]) -> list[int]:
    """Return rows of a table whose texts are no row of the others, where those reach."""
    known = {_words(other, n) for other in others for n in range(len(other.rows))}
    return [
        n
        for n, (_, box) in enumerate(table.places)
        if any(contains(other.box, box) for other in others) and _words(table, n) not in known
    ]


def _words(table: PdfTable, row: int) -> tuple[str, ...]:
    return tuple(text for cell in table.rows[row] if (text := letters(cell.text)))


def _is_same_place(a: Box, b: Box) -> bool:
    common = (max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3]))
    if common[2] <= common[0] or common[3] <= common[1]:
        return False
    return area(common) > _SAME_PLACE * min(area(a), area(b))
