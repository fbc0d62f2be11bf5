"""An SPL table to a rectangular grid.

A cell that spans rows or columns keeps its text once, in its first place; the places it covers are
empty strings. Rows that hold nothing are layout and are left out. The table foot is read last, as
it is printed, although SPL writes it before the body. A row of one cell there, or one at the end of
the body that begins with the sign of a note, is a note: under a column's header it would say what
nobody wrote.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clinrag_core.model.table import Table
from clinrag_core.parse.spl.xml import V3, Element, children, local, raw_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# More columns than any printed table has: a larger span is a typing error or an attack.
MAX_SPAN = 100
_CELLS = frozenset({"td", "th"})
_NOTE = re.compile(r"[*†‡§¶#]|[a-z]\s+(?=[A-Z0-9(=<≥≤])|[a-z]\)\s")


@dataclass(frozen=True)
class Grid:
    """Rows of equal length and how many of them are header."""

    rows: tuple[tuple[str, ...], ...]
    header_rows: int
    notes: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[str, ...]:
        """One line per row, tabs between cells."""
        return tuple("\t".join(row) for row in self.rows)

    @property
    def text(self) -> str:
        """The rows as text."""
        return "\n".join(self.lines)

    def table(self, start: int, caption: str) -> Table:
        """The record of this grid where its text starts at `start`."""
        spans: list[tuple[int, int]] = []
        for line in self.lines:
            spans.append((start, start + len(line)))
            start += len(line) + 1
        return Table(
            caption=caption,
            header_rows=self.header_rows,
            rows=self.rows,
            row_spans=tuple(spans),
        )


def printed_rows(table: Element) -> Iterator[tuple[str, Element]]:
    """Rows in printed order with the part of the table they stand in."""
    parts = {"thead": 0, "tr": 1, "tbody": 1, "tfoot": 2}
    ordered = sorted((p for p in table if local(p) in parts), key=lambda p: parts[local(p)])
    for part in ordered:
        if local(part) == "tr":
            yield "tbody", part
        else:
            for row in children(part, "tr"):
                yield local(part), row


def _span(cell: Element, name: str) -> int:
    value = (cell.get(name) or "1").strip()
    return min(max(int(value), 1), MAX_SPAN) if value.isdecimal() else 1


def _bold(cell: Element) -> bool:
    """Whether everything printed in a cell is bold."""
    if "bold" in (cell.get("styleCode") or "").lower():
        return True
    bold = "".join(
        raw_text(content)
        for content in cell.iter(f"{V3}content")
        if (content.get("styleCode") or "").lower().startswith("bold")
    )
    return bool(bold.strip()) and len(bold.split()) >= len(raw_text(cell).split())


def _is_header(part: str, cells: list[Element], texts: list[str], header_rows: int) -> bool:
    """Whether a row that only header rows precede is one itself.

    Two thirds of all label tables have no `thead`; half of those set their first row in bold.
    """
    if part == "thead" or all(local(cell) == "th" for cell in cells):
        return True
    filled = [cell for cell, text in zip(cells, texts, strict=True) if text]
    first_of_body = part == "tbody" and header_rows == 0
    return first_of_body and len(filled) > 1 and all(map(_bold, filled))


def _place(cells: list[tuple[Element, str]], covered: dict[int, int], left: int) -> dict[int, str]:
    """Put a row's cells into columns, leaving those a cell from above still covers."""
    row: dict[int, str] = {}
    column = 0
    for cell, text in cells:
        while covered.get(column, 0) > 0:
            column += 1
        down = min(_span(cell, "rowspan"), left)
        for offset in range(_span(cell, "colspan")):
            row[column + offset] = text if offset == 0 else ""
            covered[column + offset] = max(covered.get(column + offset, 0), down)
        column += _span(cell, "colspan")
    return row


def read_grid(table: Element, read_cell: Callable[[Element], str]) -> Grid:
    """Grid of a table.

    Args:
        table: the `table` element.
        read_cell: text of a `td` or `th` on one line.
    """
    source = list(printed_rows(table))
    placed: list[dict[int, str]] = []
    parts: list[str] = []
    header_rows = 0
    in_header = True
    covered: dict[int, int] = {}
    for index, (part, row) in enumerate(source):
        cells = [cell for cell in row if local(cell) in _CELLS]
        texts = [read_cell(cell) for cell in cells]
        placed_row = _place(list(zip(cells, texts, strict=True)), covered, len(source) - index)
        covered = {column: down - 1 for column, down in covered.items() if down > 1}
        if not any(texts):
            continue
        # Only rows at the top are header; a bold row further down heads a group of rows.
        in_header = in_header and _is_header(part, cells, texts, header_rows)
        header_rows += in_header
        placed.append(placed_row)
        parts.append(part)
    placed, notes = _without_notes(placed, parts)
    width = max((max(row) + 1 for row in placed if row), default=0)
    rows = tuple(tuple(row.get(column, "") for column in range(width)) for row in placed)
    return Grid(rows, min(header_rows, len(rows)), notes)


def _without_notes(
    placed: list[dict[int, str]], parts: list[str]
) -> tuple[list[dict[int, str]], tuple[str, ...]]:
    """Rows of the table proper, and the notes printed under them."""
    width = max((max(row) + 1 for row in placed if row), default=0)
    kept: list[dict[int, str]] = []
    notes: list[str] = []
    for row, part in zip(reversed(placed), reversed(parts), strict=True):
        (first, *more) = [text for text in row.values() if text]
        spans = row.get(0) == first and len(row) == width and not more
        in_foot = part == "tfoot" and not more
        if in_foot or (not kept and width > 1 and spans and _NOTE.match(first)):
            notes.append(first)
        else:
            kept.append(row)
    return kept[::-1], tuple(notes[::-1])
