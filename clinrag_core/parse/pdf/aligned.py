"""A table by the alignment of its words: what a reader does where no rules divide the cells.

Columns are the gaps that lines share. Rows are the bands between rules, else the printed lines;
lines of wrapped text are joined only where the label shows where a row begins, and such rows are
marked unsure, because nothing on the page confirms them.
"""

from __future__ import annotations

import re
from itertools import pairwise
from statistics import median, quantiles
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.parse.assemble.flow import Cell
from clinrag_core.parse.pdf.columns import Segment, box_of, column_edges, printed_lines
from clinrag_core.parse.pdf.page import Box, Fill, Span, make_line, union

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.parse.assemble.flow import Row
    from clinrag_core.parse.pdf.hyphens import Vocabulary

_RULE = 3.0  # points: a lower fill is a rule
_ACROSS = 0.75  # of the width of a table: what bounds rows
_PITCH = 1.35  # of the usual distance of lines: a new row
_WORDY = 2.5  # words of a cell: such cells are wrapped
_EMPTY_LABELS = (0.25, 0.95)  # share of the lines without a label in a table of wrapped cells
_DENSE = 0.9  # of the lines fill nearly every column: each is a row
_FULL = 0.5  # of the columns: a line with more of them filled begins a row
_LEAST = 2  # rows and columns
_HEADER_LINES = 6
_TITLE_LINES = 4
_TITLE_SIZE = 1.12  # of the usual type size
_TITLE_WORDS = 6  # of a line of one segment over the columns: a title
_SPACED = 1.6  # letters of a word on average: letter-spaced capitals
_SPACED_TITLE = 2.2  # of a line in a colour of its own
_OVER = 2.0  # points by which a segment may run over the edge of its column
_LIST_MARK = re.compile(r"[^\w\s]|\(?\d{1,2}[.)]|\(?[a-z][.)]")
_MARKS = 0.8  # of the entries of the first column: it is a list
_WHITE = 0.985  # of white: printers' ground
_SAME = 4.0  # points between a rule and the line on it


class AlignedTable(NamedTuple):
    """Rows of cells with their boxes; the header rows are on top."""

    rows: tuple[Row, ...]
    boxes: tuple[Box, ...]
    header_rows: int
    unsure: tuple[int, ...]
    box: Box


class _Printed(NamedTuple):
    """A printed line: its segments and the columns that each covers, from and to."""

    segments: list[Segment]
    columns: list[tuple[int, int]]

    @property
    def filled(self) -> set[int]:
        return {c for first, last in self.columns for c in range(first, last + 1)}

    @property
    def box(self) -> Box:
        return union([box_of(s) for s in self.segments])

    @property
    def base(self) -> float:
        return self.segments[0][0].base

    @property
    def bold(self) -> bool:
        words = [w for s in self.segments for w in s if any(c.isalnum() for c in w.text)]
        return bool(words) and all(w.bold for w in words)


def read_aligned(
    region: Box, words: Sequence[Span], fills: Sequence[Fill], number: int, vocabulary: Vocabulary
) -> AlignedTable | None:
    """Return the table of a region; None if its words are in no columns."""
    lines = _without_titles(printed_lines(words))
    edges = _without_bullets(lines, column_edges(lines))
    if not edges:
        return None
    printed = [_Printed(line, [_columns_of(s, edges) for s in line]) for line in lines]
    first = next((n for n, p in enumerate(printed) if len(p.segments) > 1), len(printed))
    printed = printed[first:] if first <= 1 and not printed[0].bold else printed
    printed = _without_notes(printed, len(edges) + 1)
    levels = _levels(region, fills)
    heads = _header_lines(printed, levels, fills)
    body = printed[heads:]
    if len(body) < _LEAST:
        return None
    groups, guessed = _grouped(body, levels, len(edges) + 1)
    if len(groups) < _LEAST:
        return None
    rows = _header(printed[:heads], len(edges) + 1, number, vocabulary) if heads else []
    header = len(rows)
    guessed |= not header or _is_torn(rows)
    boxes = [union([p.box for p in printed[:heads]]) for _ in rows]
    unsure: list[int] = []
    for group in groups:
        row, torn = _row(group, len(edges) + 1, number, vocabulary)
        if torn or (guessed and len(group) > 1):
            unsure.append(len(rows))
        rows.append(row)
        boxes.append(union([p.box for p in group]))
    left, right = min(b[0] for b in boxes), max(b[2] for b in boxes)
    whole = [(left, b[1], right, b[3]) for b in boxes]
    if guessed:
        unsure = list(range(header, len(rows)))
    return AlignedTable(tuple(rows), tuple(whole), header, tuple(unsure), union(whole))


def _without_bullets(lines: Sequence[list[Segment]], edges: list[float]) -> list[float]:
    """Edges without the first if nothing but bullets and numbers of a list are left of it."""
    if not edges:
        return edges
    left = [line[0] for line in lines if box_of(line[0])[2] < edges[0]]
    marks = sum(len(s) == 1 and bool(_LIST_MARK.fullmatch(s[0].text.strip())) for s in left)
    return edges[1:] if left and marks >= _MARKS * len(left) else edges


def _without_titles(lines: list[list[Segment]]) -> list[list[Segment]]:
    """Lines without those on top that are the title printed inside the frame.

    A title on a dark band has a colour of its own, above column titles that are bold as well.
    """
    colors = [{w.color for s in line for w in s} for line in lines]
    same = next((n for n, c in enumerate(colors) if c != colors[0]), 0)
    if 0 < same <= _TITLE_LINES and len(colors[0]) == 1:
        below = [w for s in lines[same] for w in s if any(c.isalnum() for c in w.text)]
        title = [w for line in lines[:same] for s in line for w in s]
        spaced = sum(len(w.text) for w in title) <= _SPACED_TITLE * len(title)
        headed = bool(below) and all(w.bold for w in below)
        if (headed or spaced) and not any(colors[0] & c for c in colors[same:]):
            lines = lines[same:]
    sizes = [w.size for line in lines for s in line for w in s]
    usual = median(sizes) if sizes else 0.0
    start = 0
    for line in lines:
        words = [w for s in line for w in s]
        letters = sum(len(w.text) for w in words) / len(words)
        long = len(line) == 1 and len(words) > _TITLE_WORDS
        large = median(w.size for w in words) > _TITLE_SIZE * usual
        if not (long or large or (letters <= _SPACED and len(words) > _TITLE_WORDS)):
            break
        start += 1
    return lines[start:]


def _without_notes(lines: list[_Printed], width: int) -> list[_Printed]:
    """Lines without those at the foot that run over the columns: notes."""
    end = len(lines)
    while end and len(lines[end - 1].segments) == 1 and _spans(lines[end - 1]) > width / 2:
        end -= 1
    return lines[:end]


def _spans(line: _Printed) -> int:
    return max(last - first + 1 for first, last in line.columns)


def _columns_of(segment: Segment, edges: Sequence[float]) -> tuple[int, int]:
    """First and last column that a segment covers."""
    x0, _, x1, _ = box_of(segment)
    first = sum(x0 + _OVER >= e for e in edges)
    last = sum(x1 - _OVER > e for e in edges)
    return first, max(first, last)


def _levels(region: Box, fills: Sequence[Fill]) -> list[float]:
    """Y of what bounds the rows of a region: rules and edges of shading over most of its width."""
    width = region[2] - region[0]
    pieces: dict[float, float] = {}
    for fill in fills:
        x0, y0, x1, y1 = fill.box
        if y1 < region[1] - 1 or y0 > region[3] + 1 or (fill.filled and min(fill.color) > _WHITE):
            continue
        covered = max(min(x1, region[2]) - max(x0, region[0]), 0.0)
        for y in {round(y0), round(y1)} if y1 - y0 > _RULE else {round((y0 + y1) / 2)}:
            pieces[y] = pieces.get(y, 0.0) + covered
    found = sorted(y for y, covered in pieces.items() if covered >= _ACROSS * width)
    return [y for n, y in enumerate(found) if n == 0 or y - found[n - 1] > _RULE]


def _header_lines(lines: Sequence[_Printed], levels: Sequence[float], fills: Sequence[Fill]) -> int:
    """Lines of column titles: bold over a body that is not, on a fill of their own, or ruled off.

    A line with figures ends them unless it is bold.
    """
    bold = 0
    while bold < len(lines) and lines[bold].bold:
        bold += 1
    several = [n for n in range(bold) if len(lines[n].segments) > 1]
    if several and bold <= _HEADER_LINES and bold < len(lines):
        # A bold label alone below them is the title of the first group.
        count = several[-1] + 1
        while count < bold and 0 not in lines[count].filled:
            count += 1
        return count
    top = lines[0].box[1]
    below = [y for y in levels if y > top + _SAME]
    if not below:
        return 0
    above = [n for n, line in enumerate(lines) if line.box[3] < below[0] + _SAME]
    count = len(above)
    worded = all(
        any(c.isalpha() for w in s for c in w.text) for line in lines[:count] for s in line.segments
    )
    return count if 0 < count <= _HEADER_LINES and count < len(lines) and worded else 0


def _grouped(
    lines: Sequence[_Printed], levels: Sequence[float], width: int
) -> tuple[list[list[_Printed]], bool]:
    """Lines of the body by row, and whether the rows are a guess."""
    top, bottom = lines[0].box[1], lines[-1].box[3]
    inner = [y for y in levels if top + _SAME < y < bottom - _SAME]
    if len(inner) >= _LEAST:
        banded = _banded(lines, inner)
        if sum(len(b) > 1 for b in banded) * 2 < len(banded):
            return banded, False
    cells = [len(s) for line in lines for s, (c, _) in zip(*line, strict=True) if c > 0]
    wordy = bool(cells) and sum(cells) / len(cells) >= _WORDY
    empty = sum(0 not in line.filled for line in lines) / len(lines)
    full = sum(len(line.filled) >= max(width - 1, _LEAST) for line in lines)
    if len(inner) >= _LEAST and full < _DENSE * len(lines):
        return _banded(lines, inner), True
    if wordy and _EMPTY_LABELS[0] <= empty <= _EMPTY_LABELS[1]:
        return _by_label(lines), True
    return _by_line(lines, width), wordy


def _banded(lines: Sequence[_Printed], levels: Sequence[float]) -> list[list[_Printed]]:
    bands: dict[int, list[_Printed]] = {}
    for line in lines:
        middle = (line.box[1] + line.box[3]) / 2
        bands.setdefault(sum(middle > y for y in levels), []).append(line)
    return [bands[n] for n in sorted(bands)]


def _by_label(lines: Sequence[_Printed]) -> list[list[_Printed]]:
    """Rows that begin where the first column begins again after a line without it."""
    rows: list[list[_Printed]] = [[lines[0]]]
    for above, line in pairwise(lines):
        if 0 in line.filled and 0 not in above.filled:
            rows.append([line])
        else:
            rows[-1].append(line)
    return rows


def _by_line(lines: Sequence[_Printed], width: int) -> list[list[_Printed]]:
    """A row for each line, but for lines that only go on with cells of the line above."""
    pitches = [b.base - a.base for a, b in pairwise(lines)]
    usual = quantiles(pitches, n=4)[0] if len(pitches) > 1 else (pitches or [0.0])[0]
    rows: list[list[_Printed]] = [[lines[0]]]
    for pitch, (above, line) in zip(pitches, pairwise(lines), strict=True):
        label = line.segments[0][0].text if 0 in line.filled else ""
        goes_on = above.segments[0][-1].text.endswith("-") or label[:1].islower()
        partial = 0 not in line.filled and len(line.filled) <= _FULL * width
        close = pitch <= _PITCH * usual
        if close and (goes_on or partial) and not (line.bold and not above.bold):
            rows[-1].append(line)
        else:
            rows.append([line])
    return rows


def _row(
    lines: Sequence[_Printed], width: int, number: int, vocabulary: Vocabulary
) -> tuple[Row, bool]:
    """Cells of a row, and whether text of several columns may be mixed in one of them."""
    spans = {c for line in lines for c in line.columns if c[0] < c[1]}
    if len(lines) == 1 and len(lines[0].segments) == 1 and spans:
        (line,) = lines
        return (Cell(_text([line.segments[0]], number, vocabulary), columns=width),), False
    merged: list[tuple[int, int]] = []
    for first, last in sorted(spans):
        if merged and first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    cells: list[Cell] = []
    column = 0
    while column < width:
        span = next((m for m in merged if m[0] == column), (column, column))
        inside = [
            s
            for line in lines
            for s, (first, last) in zip(*line, strict=True)
            if span[0] <= first and last <= span[1]
        ]
        cells.append(Cell(_text(inside, number, vocabulary), columns=span[1] - span[0] + 1))
        column = span[1] + 1
    return tuple(cells), bool(merged)


def _text(segments: Sequence[Segment], number: int, vocabulary: Vocabulary) -> str:
    """Text of the segments of one cell, line by line."""
    by_line: dict[float, list[Span]] = {}
    for segment in segments:
        by_line.setdefault(segment[0].base, []).extend(segment)
    lines = [make_line(by_line[base], number) for base in sorted(by_line)]
    return vocabulary.join_lines([line for line in lines if line is not None])


def _is_torn(header: Sequence[Row]) -> bool:
    """True if a heading over several columns is above a column without a heading of its own."""
    if len(header) < _LEAST:
        return any(cell.columns > 1 for cell in header[0])
    column = 0
    for cell in header[0]:
        below = header[1][column : column + cell.columns]
        if cell.columns > 1 and not all(c.text for c in below):
            return True
        column += cell.columns
    return False


def _header(
    lines: Sequence[_Printed], width: int, number: int, vocabulary: Vocabulary
) -> list[Row]:
    """Header rows: headings over several columns above, those of one column joined below."""
    spanning = [
        (segment, columns)
        for line in lines
        for segment, columns in zip(*line, strict=True)
        if columns[0] < columns[1]
    ]
    own = [
        [
            segment
            for line in lines
            for segment, columns in zip(*line, strict=True)
            if columns == (column, column)
        ]
        for column in range(width)
    ]
    names = tuple(Cell(_text(column, number, vocabulary), header=True) for column in own)
    if not spanning:
        return [names]
    top: dict[tuple[int, int], list[Segment]] = {}
    for segment, (first, last) in spanning:
        key = next((k for k in top if k[0] <= last and first <= k[1]), (first, last))
        found = top.pop(key, [])
        top[min(key[0], first), max(key[1], last)] = [*found, segment]
    cells: list[Cell] = []
    column = 0
    while column < width:
        span = next((k for k in top if k[0] == column), None)
        if span is None:
            cells.append(Cell("", header=True))
            column += 1
        else:
            text = _text(top[span], number, vocabulary)
            cells.append(Cell(text, columns=span[1] - span[0] + 1, header=True))
            column = span[1] + 1
    return [tuple(cells), names] if any(c.text for c in names) else [tuple(cells)]
