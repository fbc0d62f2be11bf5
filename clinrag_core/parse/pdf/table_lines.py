"""Printed lines of a table without rules: titles, header, notes, and the row that each is of.

Rows are the bands between rules or shading, else the printed lines; lines of wrapped text are
joined where the label shows where a row begins.
"""

from __future__ import annotations

import re
from itertools import pairwise
from statistics import median, quantiles
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.parse.pdf.columns import Segment, box_of
from clinrag_core.parse.pdf.page import Box, Fill, union

if TYPE_CHECKING:
    from collections.abc import Sequence

_RULE = 3.0  # points: a lower fill is a rule
_ACROSS = 0.75  # of the width of a table: what bounds rows
_PITCH = 1.35  # of the usual distance of lines: a new row
_WORDY = 2.5  # words of a cell: such cells are wrapped
_EMPTY_LABELS = (0.25, 0.95)  # share of the lines without a label in a table of wrapped cells
_DENSE = 0.9  # of the lines fill nearly every column: each is a row
_FULL = 0.5  # of the columns: a line with more of them filled begins a row
_LEAST = 2  # rows and columns
_HEADER_LINES = 6  # printed lines of column titles: more is a body set bold
_TITLE_LINES = 4  # printed lines of a title in a frame
_TITLE_SIZE = 1.12  # of the usual type size
_TITLE_WORDS = 6  # of a line of one segment over the columns: a title
_SPACED = 1.6  # letters of a word on average: letter-spaced capitals
_SPACED_TITLE = 2.2  # of a line in a colour of its own
_OVER = 2.0  # points by which a segment may run over the edge of its column
_LIST_MARK = re.compile(r"[^\w\s]|\(?\d{1,2}[.)]|\(?[a-z][.)]")
_MARKS = 0.8  # of the entries of the first column: it is a list
_WHITE = 0.985  # of white: printers' ground
_SAME = 4.0  # points between a rule and the line on it


class PrintedLine(NamedTuple):
    """A printed line: its segments and the columns that each covers, from and to."""

    segments: list[Segment]
    columns: list[tuple[int, int]]

    @property
    def filled(self) -> set[int]:
        """Columns with text."""
        return {c for first, last in self.columns for c in range(first, last + 1)}

    @property
    def box(self) -> Box:
        """Box around its segments."""
        return union([box_of(s) for s in self.segments])

    @property
    def base(self) -> float:
        """Y of its base line."""
        return self.segments[0][0].base

    @property
    def bold(self) -> bool:
        """True if all of its words are bold."""
        words = [w for s in self.segments for w in s if any(c.isalnum() for c in w.text)]
        return bool(words) and all(w.bold for w in words)


def without_bullets(lines: Sequence[list[Segment]], edges: list[float]) -> list[float]:
    """Edges without the first if nothing but bullets and numbers of a list are left of it."""
    if not edges:
        return edges
    left = [line[0] for line in lines if box_of(line[0])[2] < edges[0]]
    marks = sum(len(s) == 1 and bool(_LIST_MARK.fullmatch(s[0].text.strip())) for s in left)
    return edges[1:] if left and marks >= _MARKS * len(left) else edges


def without_titles(lines: list[list[Segment]]) -> list[list[Segment]]:
    """Return lines without those on top that are the title printed inside the frame.

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


def without_notes(lines: list[PrintedLine], width: int) -> list[PrintedLine]:
    """Return lines without those at the foot that run over the columns: notes."""
    end = len(lines)
    while end and len(lines[end - 1].segments) == 1 and _spans(lines[end - 1]) > width / 2:
        end -= 1
    return lines[:end]


def _spans(line: PrintedLine) -> int:
    return max(last - first + 1 for first, last in line.columns)


def columns_of(segment: Segment, edges: Sequence[float]) -> tuple[int, int]:
    """First and last column that a segment covers."""
    x0, _, x1, _ = box_of(segment)
    first = sum(x0 + _OVER >= e for e in edges)
    last = sum(x1 - _OVER > e for e in edges)
    return first, max(first, last)


def row_levels(region: Box, fills: Sequence[Fill]) -> list[float]:
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


def header_lines(lines: Sequence[PrintedLine], levels: Sequence[float]) -> int:
    """Return the number of header lines: bold above a plain body, on their own fill or ruled.

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


def grouped_rows(
    lines: Sequence[PrintedLine], levels: Sequence[float], width: int
) -> tuple[list[list[PrintedLine]], bool]:
    """Return lines of the body by row, and whether the rows are a guess."""
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
        labelled = _by_label(lines)
        if len(labelled) >= _LEAST:
            return labelled, True
    return _by_line(lines, width), wordy


def _banded(lines: Sequence[PrintedLine], levels: Sequence[float]) -> list[list[PrintedLine]]:
    bands: dict[int, list[PrintedLine]] = {}
    for line in lines:
        middle = (line.box[1] + line.box[3]) / 2
        bands.setdefault(sum(middle > y for y in levels), []).append(line)
    return [bands[n] for n in sorted(bands)]


def _by_label(lines: Sequence[PrintedLine]) -> list[list[PrintedLine]]:
    """Return rows that begin where the first column begins again after a line without it."""
    rows: list[list[PrintedLine]] = [[lines[0]]]
    for above, line in pairwise(lines):
        if 0 in line.filled and 0 not in above.filled:
            rows.append([line])
        else:
            rows[-1].append(line)
    return rows


def _by_line(lines: Sequence[PrintedLine], width: int) -> list[list[PrintedLine]]:
    """Return a row for each line, but for lines that only go on with cells of the line above."""
    pitches = [b.base - a.base for a, b in pairwise(lines)]
    usual = quantiles(pitches, n=4)[0] if len(pitches) > 1 else (pitches or [0.0])[0]
    rows: list[list[PrintedLine]] = [[lines[0]]]
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
