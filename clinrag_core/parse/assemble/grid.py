"""Cells of a table -> a rectangular grid with header, row groups and merged cells.

Empty rows are layout and are left out. A last row that spans the table and begins with the sign of
a note is a note: as a cell under a column's header it would be wrong.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clinrag_core.model.table import MergedCell
from clinrag_core.parse.assemble.flow import RAISED
from clinrag_core.parse.assemble.header import header_by_content, lower_levels
from clinrag_core.parse.assemble.raised import is_note

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.parse.assemble.flow import Piece, Row

# More columns than any printed table has: a larger span is a typing error or an attack.
MAX_COLUMNS = 100
_NOTE = re.compile(r"[*†‡§¶#]|[a-z]\s+(?=[A-Z0-9(=<≥≤])|[a-z]\)\s")


@dataclass(frozen=True, slots=True)
class TableGrid:
    """Rows of equal length, still marked, and what is known of them."""

    rows: tuple[tuple[str, ...], ...]
    header_rows: int
    group_rows: tuple[int, ...]
    merged: tuple[MergedCell, ...]
    notes: tuple[str, ...]
    sources: tuple[int, ...]  # of each row, its position among the rows of the piece


@dataclass(slots=True)
class _Line:
    """A row on its way into the grid."""

    texts: dict[int, str]
    width: int
    own: list[str]
    header: bool
    source: int


def lay_out(piece: Piece, *, repeat: bool) -> TableGrid:
    """Return the grid of a table's cells.

    With `repeat`, the text of a cell that spans rows is written in each of them, so that every row
    is complete wherever the table is cut; else it is written once.
    """
    lines, merged = _placed(piece.rows, repeat=repeat)
    lines, merged = _without_empty(lines, merged)
    width = max((line.width for line in lines), default=0)
    notes: list[str] = []
    while lines and width > 1 and _is_note_row(lines[-1], width):
        notes.insert(0, lines.pop().own[0])
    merged = [  # without the rows of notes that were cut off
        m.model_copy(update={"rows": min(m.rows, len(lines) - m.row)})
        for m in merged
        if m.row < len(lines)
    ]
    rows = tuple(tuple(line.texts.get(c, "") for c in range(width)) for line in lines)
    header = piece.header_rows
    if header is None:
        marked = next((i for i, line in enumerate(lines) if not line.header), len(lines))
        header = marked or header_by_content(rows, captioned=bool(piece.caption))
        header = lower_levels(rows, header, merged)
    header = min(_to_end_of_corner(header, merged, width), len(rows))
    header = _without_group(rows, header)
    sources = tuple(line.source for line in lines)
    groups = _groups(rows, header, merged)
    return TableGrid(rows, header, groups, tuple(merged), tuple(notes), sources)


def _placed(rows: Sequence[Row], *, repeat: bool) -> tuple[list[_Line], list[MergedCell]]:
    """Return each row's cells in the columns that cells from above leave free, and merged cells."""
    lines: list[_Line] = []
    merged: list[MergedCell] = []
    covered: dict[int, tuple[int, str]] = {}  # column -> rows still covered, text to repeat
    for index, row in enumerate(rows):
        texts = {c: text for c, (_, text) in covered.items()}
        below = {c: (left - 1, text) for c, (left, text) in covered.items() if left > 1}
        column = 0
        for cell in row:
            while column in covered:
                column += 1
            down = min(cell.rows, len(rows) - index)
            across = min(cell.columns, MAX_COLUMNS)
            if down > 1 or across > 1:
                merged.append(MergedCell(row=index, column=column, rows=down, columns=across))
            for offset in range(across):
                text = "" if offset else cell.text
                texts[column + offset] = text
                if down > 1:
                    below[column + offset] = (down - 1, text if repeat else "")
            column += across
        filled = [cell for cell in row if cell.text]
        header = bool(filled) and all(cell.header for cell in filled)
        width = max(texts, default=-1) + 1
        lines.append(_Line(texts, width, [cell.text for cell in filled], header, index))
        covered = below
    return lines, merged


def _without_empty(
    lines: list[_Line], merged: list[MergedCell]
) -> tuple[list[_Line], list[MergedCell]]:
    """Return the lines with text that begins in them, and the merged cells on those rows."""
    if all(line.own for line in lines):
        return lines, merged
    kept = [i for i, line in enumerate(lines) if line.own]
    place = {old: new for new, old in enumerate(kept)}
    out: list[MergedCell] = []
    for m in merged:
        inside = [place[r] for r in range(m.row, m.row + m.rows) if r in place]
        if m.row in place and (len(inside) > 1 or m.columns > 1):
            out.append(m.model_copy(update={"row": place[m.row], "rows": len(inside)}))
    return [lines[i] for i in kept], out


def _is_note_row(line: _Line, width: int) -> bool:
    (first, *more) = line.own
    if more or line.texts.get(0) != first or line.width < width:
        return False
    return is_note(first) if first.startswith(RAISED) else bool(_NOTE.match(first))


def _to_end_of_corner(header: int, merged: Sequence[MergedCell], width: int) -> int:
    """Return the number of header rows with those that the cell above the row labels reaches."""
    ends = (m.rows for m in merged if m.row == m.column == 0 < header and m.columns < width)
    return max((header, *ends))


def _without_group(rows: Sequence[tuple[str, ...]], header: int) -> int:
    """Return the number of header rows without the first group, if others follow in the body."""
    alone = [bool(row[0]) and not any(row[1:]) for row in rows]
    return header - 1 if header > 1 and alone[header - 1] and any(alone[header:-1]) else header


def _groups(
    rows: Sequence[tuple[str, ...]], header: int, merged: Sequence[MergedCell]
) -> tuple[int, ...]:
    """Return rows below the header with text in the first column only, and rows after them.

    A row into which a cell from above reaches has that cell's text: it is data.
    """
    reached = {n for m in merged if m.column > 0 for n in range(m.row + 1, m.row + m.rows)}
    single = [bool(row[0]) and not any(row[1:]) for row in rows]
    last = max((i for i, alone in enumerate(single) if not alone), default=-1)
    return tuple(i for i in range(header, last) if single[i] and i not in reached)
