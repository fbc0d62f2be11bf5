"""HTML tables: which are data, which only arrange the page; the cells of data tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clinrag_core.parse.assemble.flow import Cell, Row

if TYPE_CHECKING:
    from collections.abc import Callable

Element = Any

_MAX_ROWS_SPANNED = 1_000
"""Rows that one cell may span, as in browsers: a larger number would fill the memory."""
_MAX_CELLS = 200_000
"""Of one table, spans counted: a table above it is cut."""
_LEAST = 2  # a grid has two rows and two columns at least
_BLOCKS_OF_PAGES = ("h1", "h2", "h3", "h4", "h5", "h6", "form", "main", "article")


def is_data_table(table: Element) -> bool:
    """True if a table contains data; the others only arrange the page and are walked through."""
    if table.get("role") in ("presentation", "none"):
        return False
    if any(_outside_caption(e, table) for tag in _BLOCKS_OF_PAGES for e in table.iter(tag)):
        return False
    if any(t.text_content().strip() for t in table.iterfind(".//table")):
        return False
    filled = [n for r in _rows(table) if (n := sum(bool(c.text_content().strip()) for c in r))]
    if max(filled, default=0) < _LEAST or len(filled) < _LEAST:
        return False
    if table.find(".//th") is not None or table.find("./caption") is not None:
        return True
    return sum(n >= _LEAST for n in filled) >= len(filled) / 2


def _outside_caption(element: Element, table: Element) -> bool:
    """True if an element is in a cell of a table: publishers set the caption as a heading."""
    return not any(e.tag == "caption" and e.getparent() is table for e in element.iterancestors())


def read_table(table: Element, cell_text: Callable[[Element], str]) -> tuple[tuple[Row, ...], str]:
    """Return rows of cells of a data table, and its caption.

    The caption is the `caption` element, else the text of a first row with only one filled cell.
    `cell_text` gives the text of one cell on one line.
    """
    element = table.find("./caption")
    caption = cell_text(element) if element is not None else ""
    rows: list[Row] = []
    size = 0
    for row in _rows(table):
        cells = tuple(_cell(c, cell_text) for c in row)
        size += sum(c.rows * c.columns for c in cells)
        if size > _MAX_CELLS:
            break
        rows.append(cells)
    filled = [row for row in rows if any(c.text for c in row)]
    if not caption and len(filled) > 1 and sum(bool(c.text) for c in filled[0]) == 1:
        first = filled[0]
        if first[0].text and first[0].rows == 1 and sum(c.columns for c in first) > 1:
            return tuple(r for r in rows if r is not first), first[0].text
    return tuple(rows), caption


def _cell(cell: Element, cell_text: Callable[[Element], str]) -> Cell:
    parent = cell.getparent()
    header = cell.tag == "th" or parent.getparent().tag == "thead"
    return Cell(cell_text(cell), _span(cell, "rowspan"), _span(cell, "colspan"), header)


def _rows(table: Element) -> list[list[Element]]:
    """Return the cells of each row, nested tables excluded."""
    parts = [table, *(e for e in table if e.tag in ("thead", "tbody", "tfoot"))]
    rows = [row for part in parts for row in part if row.tag == "tr"]
    return [[c for c in row if c.tag in ("td", "th")] for row in rows]


def _span(cell: Element, name: str) -> int:
    text = (cell.get(name) or "1").strip()[:9]
    return min(max(int(text), 1), _MAX_ROWS_SPANNED) if text.isdigit() else 1
