"""Ruled bands of a table that hold several printed rows -> one row of cells for each.

Tables of drugs rule off the classes only: the class is printed once, the drugs, doses and
frequencies line by line next to it. A dose then belongs to the drug on its line, not to the band.
"""

from __future__ import annotations

from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from clinrag_core.parse.pdf.page import Box, Span, by_line, centre, contains

if TYPE_CHECKING:
    from collections.abc import Sequence

Cells = list[Box | None]

_LEVEL = 0.35  # of the type size between the base lines of one printed row
_FULL = 0.9  # share of the lines of a band that fill nearly every column
_NEAR = 3.5  # points between the base lines of a row set in sizes a point or two apart
_LEAST_LINES = 2  # a band of one printed row is not split
_ALIGNED_LINES = 4  # rows of a band whose columns have as many lines each
_ROOM = 0.3  # of the type size left at the end of a line after the next word
_MOSTLY = 2 / 3  # of the lines of a column: a long entry may fill its line


def split_bands(rows: Sequence[Cells], words: Sequence[Span]) -> list[Cells]:
    """Return rows of cells, bands of several printed rows split; the label spans its rows."""
    out: list[Cells] = []
    for row in rows:
        present = [c for c in row if c is not None]
        if not present:
            out.append(row)
            continue
        top, bottom = min(c[1] for c in present), max(c[3] for c in present)
        inside = [w for w in words if top <= centre(w.box)[1] <= bottom]
        for cut in _without_group(row, inside):
            out += _parts(cut, inside)
    return out


def _without_group(row: Cells, words: Sequence[Span]) -> list[Cells]:
    """Return a band cut off a bold last line of its label: the title of the rows below."""
    present = [c for c in row if c is not None]
    if len(present) != len(row) or len(row) <= 1:
        return [row]
    labels = _lines([w for w in words if contains(present[0], w.box, 0)])
    others = [w for c in present[1:] for w in words if contains(c, w.box, 0)]
    if len(labels) < _LEAST_LINES or not others or not all(w.bold for w in labels[-1]):
        return [row]
    top = min(w.box[1] for w in labels[-1])
    before = [w for line in labels[:-1] for w in line]
    if any(w.bold for w in before) or max(w.box[3] for w in (*others, *before)) > top + _NEAR:
        return [row]
    body: Cells = [(c[0], c[1], c[2], top) for c in present]
    title: Cells = [(c[0], top, c[2], c[3]) for c in present]
    return [body, title]


def _parts(row: Cells, words: Sequence[Span]) -> list[Cells]:
    """Return the printed rows of a band; the band alone if its cells may be wrapped text."""
    present = [c for c in row if c is not None]
    if len(present) != len(row) or len(row) <= 1 or len({round(c[3]) for c in present}) > 1:
        return [row]
    columns = [_lines([w for w in words if contains(c, w.box, 0)]) for c in present]
    levels = _levels([line for lines in columns[1:] for line in lines])
    if len(levels) < _LEAST_LINES or not _is_dense(columns, levels):
        return [row]
    others = list(zip(columns[1:], present[1:], strict=True))
    are_rows = any(_is_deliberate(*c) for c in others) or _is_aligned(columns[1:], levels)
    if not are_rows or any(map(_is_wrapped, columns[1:])):
        return [row]
    labels = _levels(columns[0])
    own = len(labels) == len(levels) and all(_level_of(b, levels) is not None for b in labels)
    if not own and not _is_one_label(columns[0], levels):
        return [row]
    size = median(w.size for lines in columns for line in lines for w in line)
    top, bottom = present[0][1], present[0][3]
    cuts = [top, *(a + 0.25 * size for a in levels[:-1]), bottom]
    out: list[Cells] = []
    for index, (y0, y1) in enumerate(pairwise(cuts)):
        cells: Cells = [(c[0], y0, c[2], y1) for c in present]
        if not own:
            cells[0] = present[0] if index == 0 else None
        out.append(cells)
    return out


def _lines(words: Sequence[Span]) -> list[list[Span]]:
    """Return words of a cell by printed line, raised ones with the line below them."""
    lines = by_line(words, _is_on)
    return sorted((sorted(i, key=lambda w: w.box[0]) for i in lines), key=_base)


def _is_on(word: Span, main: Span) -> bool:
    raised = main.size - word.size > 0.15 * main.size and 0 <= main.base - word.base < main.size
    return raised or abs(main.base - word.base) <= _LEVEL * main.size


def _base(line: Sequence[Span]) -> float:
    return max(line, key=lambda w: w.size).base


def _levels(lines: Sequence[list[Span]]) -> list[float]:
    """Base lines of printed rows, from the top."""
    levels: list[float] = []
    for line in sorted(lines, key=_base):
        if not levels or _base(line) - levels[-1] > _LEVEL * line[0].size:
            levels.append(_base(line))
    return levels


def _level_of(base: float, levels: Sequence[float]) -> int | None:
    near = min(range(len(levels)), key=lambda n: abs(levels[n] - base))
    return near if abs(levels[near] - base) <= _NEAR else None


def _is_dense(columns: Sequence[list[list[Span]]], levels: Sequence[float]) -> bool:
    """True if nearly every printed row fills every column after the first."""
    others = columns[1:]
    bases = [{_level_of(_base(line), levels) for line in lines} for lines in others]
    full = sum(sum(n in column for column in bases) == len(others) for n in range(len(levels)))
    return len(others) > 1 and full >= _FULL * len(levels)


def _is_deliberate(lines: Sequence[list[Span]], cell: Box) -> bool:
    """True if most lines of a cell end although the next word would have fitted, all of a kind."""
    if len(lines) < _LEAST_LINES or len({line[0].text[:1].isdigit() for line in lines}) > 1:
        return False
    room = [
        cell[2] - above[-1].box[2] > below[0].box[2] - below[0].box[0] + _ROOM * above[0].size
        for above, below in pairwise(lines)
    ]
    return sum(room) >= _MOSTLY * len(room)


def _is_wrapped(lines: Sequence[list[Span]]) -> bool:
    """True if a line of a cell goes on with the line above: in lower case, or after a comma."""
    small = [line[0].text[:1].islower() for line in lines]
    return (any(small[1:]) and not all(small)) or any(
        line[-1].text.endswith((",", "-")) for line in lines[:-1]
    )


def _is_aligned(columns: Sequence[list[list[Span]]], levels: Sequence[float]) -> bool:
    """True if all columns have as many lines, too many for chance, and one begins them in capitals.

    Wrapped text of one column has lines that begin with any word.
    """
    if len(levels) < _ALIGNED_LINES or any(len(lines) != len(levels) for lines in columns):
        return False
    return any(all(line[0].text[:1].isupper() for line in lines) for lines in columns)


def _is_one_label(lines: Sequence[list[Span]], levels: Sequence[float]) -> bool:
    """True if the first column has one label: fewer lines than there are rows."""
    return len(lines) < len(levels)
