"""Short texts side by side: labels of pictures, cells of wrapped text without rules.

Rows of a column are joined where they are level; these would be read across. What tells them from
the rows of a table is their wording: below each other, the lines of every text go on in small
letters.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from clinrag_core.parse.pdf.page import Box, union

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.parse.pdf.page import Line

_GAP = 0.8  # em between two texts side by side
_PITCH = 1.6  # em between the lines of one text
_FEWEST = 2  # texts that go on below each other: a label next to wrapped text has one

Column = list["Line"]


def islands(rows: Sequence[list[Line]]) -> list[tuple[range, list[Column]]]:
    """Return runs of rows, from the top, that are texts side by side, with the lines of each text.

    `rows` are the pieces of each printed row of a column, from the top.
    """
    found: list[tuple[range, list[Column]]] = []
    start = 0
    while start < len(rows):
        columns = _columns(rows[start])
        end = start + 1
        while columns and end < len(rows) and _goes_on(columns, rows[end]):
            for piece in rows[end]:
                columns[_column_of(columns, piece)].append(piece)
            end += 1
        if sum(len(column) > 1 for column in columns) >= _FEWEST:
            found.append((range(start, end), columns))
        start = end
    return found


def _columns(row: Sequence[Line]) -> list[Column]:
    """Return the pieces of a row as the first lines of texts; none if they are close together."""
    pieces = sorted(row, key=lambda i: i.x0)
    apart = all(b.x0 - a.x1 >= _GAP * max(a.size, b.size) for a, b in pairwise(pieces))
    return [[piece] for piece in pieces] if apart and len(pieces) > 1 else []


def _goes_on(columns: Sequence[Column], row: Sequence[Line]) -> bool:
    """True if every piece of a row goes on with the text above it, next to no other text."""
    taken = [_column_of(columns, piece) for piece in row]
    return len(set(taken)) == len(taken) and all(
        n >= 0
        and piece.text[:1].islower()
        and 0 < piece.y1 - columns[n][-1].y1 <= _PITCH * piece.size
        and piece.area == columns[n][-1].area
        for n, piece in zip(taken, row, strict=True)
    )


def _column_of(columns: Sequence[Column], piece: Line) -> int:
    """Return the text that a piece is below; -1 if it is below none or reaches into another."""
    boxes: list[Box] = [union([i.box for i in column]) for column in columns]
    under = [n for n, box in enumerate(boxes) if piece.x0 < box[2] and piece.x1 > box[0]]
    if len(under) != 1:
        return -1
    near = _GAP * piece.size
    others = [box for n, box in enumerate(boxes) if n != under[0]]
    clear = all(piece.x1 + near <= box[0] or piece.x0 - near >= box[2] for box in others)
    return under[0] if clear else -1
