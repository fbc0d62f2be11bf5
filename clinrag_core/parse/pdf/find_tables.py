"""Tables of a page, from the best witness there is: its tags, its rules, the alignment of its words.

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
from clinrag_core.parse.pdf.page import area, contains
from clinrag_core.parse.pdf.regions import lines_within, region_of, table_captions
from clinrag_core.parse.pdf.tables import PdfTable, believable, is_table, read_grid, without_notes
from clinrag_core.parse.pdf.tagged import grid_of, tagged_tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.parse.pdf.hyphens import Vocabulary
    from clinrag_core.parse.pdf.page import Box, Line, Page, RuledGrid
    from clinrag_core.parse.pdf.reader import PdfFile

_FARTHEST = 250.0  # points: questions of GRADE tables are between caption and grid
_SAME_PLACE = 0.5  # of the smaller of two tables is in the other: they are readings of one


def page_tables(file: PdfFile, page: Page, vocabulary: Vocabulary) -> list[PdfTable]:
    """Return the tables of a page; the lines that go into them are removed from it."""
    ruled = [(without_notes(g, page), 0) for g in find_grids(page.fills) if believable(g, page)]
    captions = table_captions(page)
    if not ruled and not captions:
        return []
    structure, turn = file.structure(page.number)
    tagged = [g for t in tagged_tables(structure, turn) if (g := grid_of(t)) is not None]
    grids = [grid for grid, _ in (*ruled, *tagged)]
    characters = file.characters(page.number, [g.box for g in grids]) if grids else []

    def read(grids: Sequence[tuple[RuledGrid, int]]) -> list[PdfTable]:
        tables: list[PdfTable] = []
        for grid, header in grids:
            inside = [i for i in page.lines if contains(grid.box, i.box)]
            if len(inside) <= 1:
                continue
            table = read_grid(grid, inside, characters, page.fills, vocabulary)
            if table is not None:
                tables.append(replace(table, header_rows=max(table.header_rows, header)))
        return tables

    tables = reconciled(read(tagged), read(ruled))
    tables += _aligned(file, page, captions, tables, vocabulary)
    for caption in captions:
        under = [t for t in tables if _is_under(caption, t, captions)]
        if under:
            min(under, key=lambda t: t.box[1]).caption = caption
    for table in tables:
        page.lines = [i for i in page.lines if not contains(table.box, i.box)]
    return tables


def _aligned(
    file: PdfFile,
    page: Page,
    captions: Sequence[Line],
    known: Sequence[PdfTable],
    vocabulary: Vocabulary,
) -> list[PdfTable]:
    """Return the tables under captions that no other witness has seen."""
    tables: list[PdfTable] = []
    for caption in captions:
        region = region_of(caption, captions, page)
        if region is None or any(_is_under(caption, t, captions) for t in (*known, *tables)):
            continue
        inside = [i for i in lines_within(page, region) if i is not caption]
        words = words_in(file.characters(page.number, [region]), [i.box for i in inside])
        found = read_aligned(region, words, page.fills, page.number, vocabulary) if words else None
        if found is None:
            continue
        laid_out = lay_out(Piece("table", rows=found.rows), repeat=True)
        if len(laid_out.rows) <= 1 or not is_table(list(laid_out.rows)):
            continue
        tables.append(
            PdfTable(
                page.number,
                found.box,
                found.rows,
                found.header_rows,
                sorted({round(b[0]) for b in found.boxes}),
                laid_out.rows[0],
                tuple((page.number, b) for b in found.boxes),
                found.unsure,
            )
        )
    return tables


def _is_under(caption: Line, table: PdfTable, captions: Sequence[Line]) -> bool:
    """True if a table is the first thing that a caption can head."""
    x0, y0, x1, _ = table.box
    if not -1 <= y0 - caption.y0 <= _FARTHEST or x0 > caption.x1 or x1 < caption.x0:
        return False
    return not any(caption.y1 < o.y0 < y0 and x0 < o.x1 and o.x0 < x1 for o in captions)


def reconciled(tagged: Sequence[PdfTable], ruled: Sequence[PdfTable]) -> list[PdfTable]:
    """Return the tables of two witnesses, those that both have once.

    A ruled table knows its spans, so it is kept where both say the same. Else the tagged one is
    taken, unless it mixes rows up that the rules tell apart; rows that differ are unsure.
    """
    tables = list(ruled)
    for table in tagged:
        others = [other for other in tables if _is_same_place(table.box, other.box)]
        chosen, against = table, others
        if len(others) == 1:
            (other,) = others
            same = not _differing(other, [table]) and len(other.rows) >= len(table.rows)
            if same or len(other.unsure) < len(table.unsure):
                chosen, against = other, [table]
        unsure = sorted({*chosen.unsure, *_differing(chosen, against)})
        header = max(t.header_rows for t in (chosen, *against))
        tables = [t for t in tables if all(t is not other for other in others)]
        tables.append(
            replace(chosen, unsure=tuple(unsure), header_rows=min(header, len(chosen.rows) - 1))
        )
    return sorted(tables, key=lambda t: (t.box[1], t.box[0]))


def _differing(table: PdfTable, others: Sequence[PdfTable]) -> list[int]:
    """Rows of a table whose texts are no row of the others, where those reach."""
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
