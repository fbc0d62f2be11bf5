"""Tables that the file itself names: grids from the structure tree of a tagged PDF.

The tree gives tables, rows and cells with the box of their text; spans and empty cells are not in
it, so a cell finds its columns by its place. A tree that contradicts the page is not believed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from clinrag_core.parse.pdf.page import Box, RuledGrid, union

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.parse.pdf.geometry import Turn

_STRUCT = re.compile(r'<struct [^>]*?bbox="([^"]*)"[^>]*? std="([^"]*)"[^>]*>|</struct>')
_LEAST = 2  # rows and columns of a grid
_FARTHEST = 1e5  # points: cells without text have boxes without end
_SLACK = 3.0  # points by which boxes of text may touch their neighbours


@dataclass(frozen=True, slots=True)
class TaggedCell:
    """A cell as tagged; no box if it has no text."""

    box: Box | None
    header: bool


@dataclass(slots=True)
class TaggedTable:
    """The rows of a table as tagged."""

    rows: list[list[TaggedCell]] = field(default_factory=list[list[TaggedCell]])


def tagged_tables(structure: str, turn: Turn) -> list[TaggedTable]:
    """Return the tables of a page from MuPDF's XML of its structure; inner tables are cells."""
    stack: list[str] = []
    tables: list[TaggedTable] = []
    for match in _STRUCT.finditer(structure):
        if match[2] is None:
            if stack:
                stack.pop()
            continue
        inner = stack.count("Table") > 1 or "TD" in stack or "TH" in stack
        if match[2] == "Table" and not inner and "Table" not in stack:
            tables.append(TaggedTable())
        elif tables and "Table" in stack and not inner:
            if match[2] == "TR":
                tables[-1].rows.append([])
            elif match[2] in ("TD", "TH") and tables[-1].rows:
                cell = TaggedCell(_box(match[1], turn), match[2] == "TH")
                tables[-1].rows[-1].append(cell)
        stack.append(match[2])
    return tables


def grid_of(table: TaggedTable) -> tuple[RuledGrid, int] | None:
    """Return the grid of a tagged table and its header rows; None if it contradicts itself.

    Columns are those of the rows with the most cells; a cell of a shorter row is in the columns
    that its text covers.
    """
    # Cells of a row that goes on from the page before are tagged in another order.
    rows = [_from_left(row) for row in table.rows]
    kept = [row for row in rows if row]
    columns = _columns(kept)
    tops = [min(c.box[1] for c in row if c.box) for row in kept]
    if len(kept) < _LEAST or len(columns) < _LEAST or tops != sorted(tops):
        return None
    lowest = max(c.box[3] for row in kept for c in row if c.box)
    bottoms = [*(t - 0.5 for t in tops[1:]), lowest + 1]
    left = min(a for a, _ in columns) - 1
    right = max(b for _, b in columns) + 1
    inner = [(a[1] + b[0]) / 2 for a, b in pairwise(columns)]
    edges = [left, *inner, right]
    cells: list[list[Box | None]] = []
    owners: list[tuple[int, int] | None] = [None] * len(columns)  # row and column of a cell
    ends: list[float] = [0.0] * len(columns)  # foot of the text of that cell
    for n, (row, top, bottom) in enumerate(zip(kept, tops, bottoms, strict=True)):
        placed = _placed(row, columns)
        if placed is None:
            return None
        taken = {c for first, (last, _) in placed.items() for c in range(first, last)}
        missing = [c for c in range(len(columns)) if c not in taken]
        own = _edges_of(row, placed, edges)
        goes_on = n > 0 and any(ends[c] > top + _SLACK for c in missing)
        out: list[Box | None] = [None] * len(columns)
        for first, (last, foot) in placed.items():
            out[first] = (own[first], top - 0.5, own[last], bottom)
            for column in range(first, last):
                owners[column], ends[column] = (n, first), foot
        for column in missing:
            owner = owners[column]
            if not goes_on or owner is None:
                out[column] = (own[column], top - 0.5, own[column + 1], bottom)
                owners[column], ends[column] = (n, column), top
            elif (above := cells[owner[0]][owner[1]]) is not None:
                cells[owner[0]][owner[1]] = (*above[:3], bottom)
        cells.append(out)
    header = next((n for n, row in enumerate(kept) if not all(c.header for c in row)), len(kept))
    box = union([c for row in cells for c in row if c is not None])
    return RuledGrid(box, tuple(map(tuple, cells))), min(header, len(kept) - 1)


def _from_left(row: Sequence[TaggedCell]) -> list[TaggedCell]:
    placed = [(c.box[0], n, c) for n, c in enumerate(row) if c.box is not None]
    return [cell for _, _, cell in sorted(placed, key=lambda p: p[:2])]


def _box(numbers: str, turn: Turn) -> Box | None:
    try:
        x0, y0, x1, y1 = map(float, numbers.split())
    except ValueError:
        return None
    if max(map(abs, (x0, y0, x1, y1))) > _FARTHEST or x1 <= x0 or y1 <= y0:
        return None
    return turn.box((x0, y0, x1, y1))


def _columns(rows: Sequence[Sequence[TaggedCell]]) -> list[tuple[float, float]]:
    """Left and right edge of the text of each column; none if rows disagree about them."""
    most = max((len(row) for row in rows), default=0)
    full = [row for row in rows if len(row) == most]
    columns = [
        (min(c.box[0] for c in column if c.box), max(c.box[2] for c in column if c.box))
        for column in zip(*full, strict=True)
    ]
    apart = all(a[1] <= b[0] + _SLACK for a, b in pairwise(columns))
    return columns if apart else []


def _edges_of(
    row: Sequence[TaggedCell], placed: dict[int, tuple[int, float]], edges: Sequence[float]
) -> list[float]:
    """Edges of the columns in a row, moved where the text of a cell runs over them."""
    own = list(edges)
    for cell, (first, (last, _)) in zip(row, placed.items(), strict=True):
        assert cell.box is not None  # noqa: S101 - rows hold cells with text only
        own[first] = min(own[first], cell.box[0] - 0.5)
        for column in range(last, len(own)):
            own[column] = max(own[column], cell.box[2] + 0.5)
    return own


def _placed(
    row: Sequence[TaggedCell], columns: Sequence[tuple[float, float]]
) -> dict[int, tuple[int, float]] | None:
    """First column of each cell of a row -> the column after its last, and the foot of its text.

    None if two cells are in one column.
    """
    placed: dict[int, tuple[int, float]] = {}
    end = 0
    for cell in row:
        assert cell.box is not None  # noqa: S101 - rows hold cells with text only
        inside = [
            n
            for n, (left, right) in enumerate(columns)
            if min(cell.box[2], right) - max(cell.box[0], left) > min(_SLACK, right - left - 0.1)
        ]
        first = inside[0] if inside else None
        if first is None or first < end:
            return None
        end = inside[-1] + 1
        placed[first] = (end, cell.box[3])
    return placed
