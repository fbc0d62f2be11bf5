"""HTML tables: which are data, which only arrange the page; data tables as grids.

A cell that spans rows is repeated in each of them, so that every row says what it is about
wherever it is cut; a cell that spans columns is written once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

Element = Any

_MAX_SPAN = 1_000
_MAX_CELLS = 200_000
_BLOCKS_OF_PAGES = ("h1", "h2", "h3", "h4", "h5", "h6", "form", "main", "article")


@dataclass(frozen=True, slots=True)
class Grid:
    """A data table."""

    rows: tuple[tuple[str, ...], ...]
    header_rows: int
    caption: str


def is_data_table(table: Element) -> bool:
    """Whether a table holds data; the others only arrange the page and are walked through."""
    if table.get("role") in ("presentation", "none"):
        return False
    if any(table.find(f".//{tag}") is not None for tag in _BLOCKS_OF_PAGES):
        return False
    if any(t.text_content().strip() for t in table.iterfind(".//table")):
        return False
    rows = [[c for c in _cells(r) if c.text_content().strip()] for r in _rows(table)]
    filled = [r for r in rows if r]
    if max((len(r) for r in filled), default=0) < 2 or len(filled) < 2:
        return False
    if table.find(".//th") is not None or table.find("./caption") is not None:
        return True
    paired = sum(len(r) >= 2 for r in filled)
    longest = max(len(c.text_content().split()) for r in filled for c in r)
    return paired * 2 >= len(filled) and longest <= 150


def read_table(table: Element, cell_text: Callable[[Element], str]) -> Grid:
    """Read a data table.

    Args:
        table: the element.
        cell_text: text of one cell on one line.
    """
    caption_element = table.find("./caption")
    caption = cell_text(caption_element) if caption_element is not None else ""
    rows: list[list[str]] = []
    heads: list[bool] = []
    hanging: dict[int, tuple[int, str]] = {}
    for row in _rows(table):
        cells, hanging = _row(row, hanging, cell_text)
        if any(cells):
            rows.append(cells)
            heads.append(_is_head(row))
        if sum(len(r) for r in rows) > _MAX_CELLS:
            break
    width = max((len(r) for r in rows), default=0)
    if not caption and len(rows) > 1 and _only_first(rows[0]) and width > 1:
        caption = rows[0][0]
        rows, heads = rows[1:], heads[1:]
    header_rows = next((i for i, head in enumerate(heads) if not head), 0)
    grid = tuple(tuple(r + [""] * (width - len(r))) for r in rows)
    return Grid(grid, header_rows, caption)


def _row(
    row: Element, hanging: dict[int, tuple[int, str]], cell_text: Callable[[Element], str]
) -> tuple[list[str], dict[int, tuple[int, str]]]:
    cells: list[str] = []
    still: dict[int, tuple[int, str]] = {}

    def fill() -> None:
        while len(cells) in hanging:
            left, text = hanging[len(cells)]
            if left > 1:
                still[len(cells)] = (left - 1, text)
            cells.append(text)

    for cell in _cells(row):
        fill()
        text = cell_text(cell)
        down, across = _span(cell, "rowspan"), _span(cell, "colspan")
        if down > 1:
            still[len(cells)] = (down - 1, text)
            still |= {len(cells) + i: (down - 1, "") for i in range(1, across)}
        cells.extend([text] + [""] * (across - 1))
    fill()
    return cells, still


def _rows(table: Element) -> list[Element]:
    found: list[Element] = []
    for child in table:
        if child.tag == "tr":
            found.append(child)
        elif child.tag in ("thead", "tbody", "tfoot"):
            found.extend(r for r in child if r.tag == "tr")
    return found


def _cells(row: Element) -> list[Element]:
    return [c for c in row if c.tag in ("td", "th")]


def _is_head(row: Element) -> bool:
    parent = row.getparent()
    if parent is not None and parent.tag == "thead":
        return True
    cells = _cells(row)
    return bool(cells) and all(c.tag == "th" for c in cells)


def _only_first(row: list[str]) -> bool:
    return bool(row[0]) and not any(row[1:])


def _span(cell: Element, name: str) -> int:
    text = (cell.get(name) or "1").strip()
    return min(max(int(text), 1), _MAX_SPAN) if text.isdigit() and len(text) < 9 else 1
