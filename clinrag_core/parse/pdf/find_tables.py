"""Tables of a page, from the best witness there is: its rules, else the alignment of its words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.parse.pdf.lattice import find_grids
from clinrag_core.parse.pdf.page import contains
from clinrag_core.parse.pdf.tables import PdfTable, believable, read_grid, without_notes

if TYPE_CHECKING:
    from clinrag_core.parse.pdf.hyphens import Vocabulary
    from clinrag_core.parse.pdf.page import Page
    from clinrag_core.parse.pdf.reader import PdfFile


def page_tables(file: PdfFile, page: Page, vocabulary: Vocabulary) -> list[PdfTable]:
    """Return the tables of a page; the lines that go into them are removed from it."""
    grids = [without_notes(g, page) for g in find_grids(page.fills) if believable(g, page)]
    if not grids:
        return []
    characters = file.characters(page.number, [g.box for g in grids])
    tables: list[PdfTable] = []
    for grid in grids:
        inside = [i for i in page.lines if contains(grid.box, i.box)]
        table = (
            read_grid(grid, inside, characters, page.fills, vocabulary) if len(inside) > 1 else None
        )
        if table is not None:
            ids = {id(line) for line in inside}
            page.lines = [i for i in page.lines if id(i) not in ids]
            tables.append(table)
    return tables
