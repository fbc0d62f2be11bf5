"""Rows and cells of an SPL table in printed order.

The table foot is read last, as it is printed, although SPL writes it before the body; a row of one
cell there is a note.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.parse.assemble.flow import Cell
from clinrag_core.parse.spl.xml import V3, children, local, raw_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clinrag_core.acquire.spl_header import Element
    from clinrag_core.parse.assemble.flow import Row

_CELLS = frozenset({"td", "th"})


def is_layout_box(table: Element) -> bool:
    """True for a box drawn round prose (one column, no header), which is read as prose."""
    if table.find(f"{V3}thead") is not None or table.find(f".//{V3}table") is not None:
        return False
    return all(len(row) <= 1 for row in table.iter(f"{V3}tr"))


def printed_rows(table: Element) -> Iterator[tuple[str, Element]]:
    """Yield rows in printed order with the part of the table they are in."""
    parts = {"thead": 0, "tr": 1, "tbody": 1, "tfoot": 2}
    ordered = sorted((p for p in table if local(p) in parts), key=lambda p: parts[local(p)])
    for part in ordered:
        if local(part) == "tr":
            yield "tbody", part
        else:
            for row in children(part, "tr"):
                yield local(part), row


def read_rows(
    table: Element, read_cell: Callable[[Element], str]
) -> tuple[tuple[Row, ...], tuple[str, ...]]:
    """Return the rows of a table, and the notes in its foot.

    Two thirds of all label tables have no `thead`; half of those set their first row in bold,
    which makes it the header. `read_cell` returns the text of a `td` or `th` on one line.
    """
    rows: list[Row] = []
    notes: list[str] = []
    headed = False
    for part, element in printed_rows(table):
        cells = [cell for cell in element if local(cell) in _CELLS]
        texts = [read_cell(cell) for cell in cells]
        filled = [cell for cell, text in zip(cells, texts, strict=True) if text]
        if part == "tfoot" and len(filled) == 1:
            notes += filter(None, texts)
            continue
        header = part == "thead" or all(local(cell) == "th" for cell in cells)
        if filled and not headed:
            header = header or (part == "tbody" and len(filled) > 1 and all(map(_bold, filled)))
            headed = True
        rows.append(
            tuple(
                Cell(text, _span(cell, "rowspan"), _span(cell, "colspan"), header)
                for cell, text in zip(cells, texts, strict=True)
            )
        )
    return tuple(rows), tuple(notes)


def _span(cell: Element, name: str) -> int:
    value = (cell.get(name) or "").strip()
    return max(int(value), 1) if value.isdecimal() else 1


def _bold(cell: Element) -> bool:
    """True if everything printed in a cell is bold."""
    if "bold" in (cell.get("styleCode") or "").lower():
        return True
    bold = "".join(
        raw_text(content)
        for content in cell.iter(f"{V3}content")
        if (content.get("styleCode") or "").lower().startswith("bold")
    )
    return bool(bold.strip()) and len(bold.split()) >= len(raw_text(cell).split())
