"""Tables drawn with spaces in the text of an openFDA answer -> cells by the columns they are in.

A drawn table loses its spans: headings may begin at the left margin although they belong to the
columns of values, and notes are printed between header and data. Headings are bound only where the
number of cells and their places leave one reading; else every row is unsure, and never quoted.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.parse.assemble.flow import Cell, Piece, Row
from clinrag_core.parse.spl.xml import squeeze

if TYPE_CHECKING:
    from collections.abc import Sequence

_GAP = re.compile(r"\s{3,}")
_WIDE = re.compile(r"\s{2,}")
_NOTE = re.compile(r"\s*(?:[*†‡§¶#]|[a-z]\s+(?=[A-Z])|\w{1,3} = )")
_VALUE = re.compile(r"[(\[<>≤≥=~±-]*\s*\d|[-–—]+$|(?:na|n/a|nr|none)$", re.IGNORECASE)
CLEAR = 1.3
"""Times the widest gap inside a heading that a gap between two headings has at least."""
TOLERANCE = 12
"""Characters by which a heading may begin left of its values: it is wider than they are."""

DEEPER = 3
"""Characters by which text after a table begins further in than the labels of its rows."""
LONGEST = 12
"""Words of a line of one cell; a longer one is text after the table."""


class DrawnTable(NamedTuple):
    """The cells of a drawn table, and the notes that were printed between its rows."""

    table: Piece
    notes: tuple[str, ...]


class _Span(NamedTuple):
    """A cell with its place in the line."""

    start: int
    end: int
    text: str


def drawn_table(groups: Sequence[Sequence[str]]) -> DrawnTable:
    """Return the table of some groups of lines; blank lines were between the groups."""
    notes = [line for group in groups for line in group if is_note(line)]
    parts = [[line for line in group if not is_note(line)] for group in groups]
    parts = [part for part in parts if part]
    lines = [line for part in parts for line in part]
    head = _header_length(parts)
    data = [_cells(line) for line in lines[head:]]
    width = max((len(cells) for cells in data), default=1)
    header = _header(lines[:head], data, width)
    rows = [tuple(Cell(cell.text) for cell in _padded(cells, data, width)) for cells in data]
    if header is None:
        plain = [tuple(Cell(cell.text) for cell in _cells(line)) for line in lines[:head]]
        every = (*plain, *rows)
        unsure = tuple(range(len(every)))
        return DrawnTable(Piece("table", rows=every, header_rows=0, unsure=unsure), tuple(notes))
    cut = {row for row in range(1, len(data)) if _goes_on(data[row - 1], data[row])}
    unsure = tuple(sorted(len(header) + at for row in cut for at in (row - 1, row)))
    piece = Piece("table", rows=(*header, *rows), header_rows=len(header), unsure=unsure)
    return DrawnTable(piece, tuple(notes))


def is_drawn(line: str) -> bool:
    """Return whether a line has several cells."""
    return len(_cells(line)) > 1


def has_values(lines: Sequence[str]) -> bool:
    """Return whether one of some lines is a row of values."""
    return any(_is_row(_cells(line)) for line in lines)


def cut_at_end(groups: Sequence[list[str]]) -> tuple[list[list[str]], list[str]]:
    """Return the lines of a table, and those after it: single cells set in further than its rows.

    "Kidney" alone under the values is a cell of them.
    """
    cells_of = [_cells(line) for group in groups for line in group]
    rows = [cells for cells in cells_of if _is_row(cells)] or [c for c in cells_of if len(c) > 1]
    if not rows:
        return list(groups), []
    labels = max(cells[0].start for cells in rows)
    values = min(cells[1].start for cells in rows)
    last = groups[-1]
    end = max((n + 1 for n, line in enumerate(last) if len(_cells(line)) > 1), default=0)
    while end < len(last):
        start, _, text = _cells(last[end])[0]
        if labels + DEEPER <= start < values - 1 or len(text.split()) > LONGEST:
            break
        end += 1
    return [*groups[:-1], last[:end]], last[end:]


def _is_row(cells: Sequence[_Span]) -> bool:
    return len(cells) > 1 and all(_VALUE.match(cell.text) for cell in cells[1:])


def is_note(line: str) -> bool:
    """Return whether a line is a note on a table: it has a sign or explains an abbreviation."""
    return bool(_NOTE.match(line)) and not _GAP.search(line.strip())


def _cells(line: str) -> list[_Span]:
    """Return the cells of a line with their places."""
    found: list[_Span] = []
    at = len(line) - len(line.lstrip())
    for gap in [*_GAP.finditer(line.rstrip(), at), None]:
        end = gap.start() if gap else len(line.rstrip())
        found.append(_Span(at, end, squeeze(line[at:end])))
        at = gap.end() if gap else end
    return found


def _header_length(parts: Sequence[Sequence[str]]) -> int:
    """Return how many lines come before the first row of values; a first group without any."""
    lines = [line for part in parts for line in part]
    first = next((n for n, line in enumerate(lines) if _is_row(_cells(line))), None)
    if first is None:
        return len(parts[0]) if len(parts) > 1 else 0
    while first and not _WIDE.search(lines[first - 1].strip()):  # the first group of rows
        first -= 1
    return first


def _header(
    lines: Sequence[str], data: Sequence[list[_Span]], width: int
) -> tuple[Row, ...] | None:
    """Return the header rows; None if what heads each column is not known."""
    full = [cells for cells in data if len(cells) == width]
    if not lines or width == 1 or not full or any(_is_ambiguous(cells) for cells in full):
        return None
    values = min(cells[1].start for cells in full)
    if len(lines) == 2:  # noqa: PLR2004 - a heading over all values, and theirs at the margin
        above, below = _split(lines[0], 2), _split(lines[1], width - 1)
        if above and below and below[0].start < values - TOLERANCE:
            first = (Cell(above[0].text, rows=2), Cell(above[1].text, columns=width - 1))
            return (first, tuple(Cell(cell.text) for cell in below))
    rows: list[Row] = []
    for line in lines:
        beside = line[: max(values - TOLERANCE, 0)].strip() == ""
        cells = _split(line, width - 1 if beside else width)
        if cells is None or not _is_above(cells, full, width):
            return None
        corner = (Cell(""),) if beside else ()
        rows.append((*corner, *(Cell(cell.text) for cell in cells)))
    return tuple(rows)


def _split(line: str, count: int) -> list[_Span] | None:
    """Return a line cut at its widest gaps; None if they are not clearly wider than the others."""
    gaps = sorted(_WIDE.finditer(line.strip()), key=lambda gap: gap.start() - gap.end())
    chosen, rest = gaps[: count - 1], gaps[count - 1 :]
    if len(chosen) < count - 1:
        return None
    if chosen and rest and _length(chosen[-1]) < CLEAR * _length(rest[0]):
        return None
    offset = len(line) - len(line.lstrip())
    ends = sorted((gap.start(), gap.end()) for gap in chosen)
    starts = [0, *(end for _, end in ends)]
    stops = [*(start for start, _ in ends), len(line.strip())]
    return [
        _Span(offset + a, offset + b, squeeze(line.strip()[a:b]))
        for a, b in zip(starts, stops, strict=True)
    ]


def _length(gap: re.Match[str]) -> int:
    return gap.end() - gap.start()


def _is_above(cells: Sequence[_Span], full: Sequence[list[_Span]], width: int) -> bool:
    """Return whether each heading is nearer to the values of its column than to any others."""
    middles = [
        sum(row[column].start + row[column].end for row in full) / (2 * len(full))
        for column in range(width)
    ]
    own = range(width - len(cells), width)
    return all(
        column == 0 or min(range(1, width), key=lambda c: abs(middles[c] - at)) == column
        for column, cell in zip(own, cells, strict=True)
        for at in [(cell.start + cell.end) / 2]
    )


def _is_ambiguous(cells: Sequence[_Span]) -> bool:
    """Return whether a cell of values may be two: several figures with text between them."""
    return any(re.search(r"\)\s+[<>-]?\d", cell.text) for cell in cells[1:])


def _padded(cells: Sequence[_Span], data: Sequence[list[_Span]], width: int) -> list[_Span]:
    """Return the cells of a row in their columns: one that begins below values has no label."""
    full = [row for row in data if len(row) == width]
    empty = _Span(0, 0, "")
    if len(cells) < width and width > 1 and cells[0].start >= min(r[1].start for r in full) - 1:
        return [*([empty] * (width - len(cells))), *cells]
    return [*cells, *([empty] * (width - len(cells)))]


def _goes_on(above: Sequence[_Span], below: Sequence[_Span]) -> bool:
    """Return whether a row goes on with the label above it, which was broken."""
    return above[0].text[:1].isupper() and below[0].text[:1].islower()
