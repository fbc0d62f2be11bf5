"""Where tables lie that neither a caption nor rules announce: rows of cells with gaps in common.

A table that goes on over a page has its caption on the page before; leaflets print doses without
any. Two gaps that rows share mark a table; one gap is as often a list or two columns of text, so
the first cell must then be an amount or age.
"""

from __future__ import annotations

import re
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from clinrag_core.parse.pdf.columns import Segment, box_of, column_edges, printed_lines
from clinrag_core.parse.pdf.page import Box, contains, union
from clinrag_core.parse.pdf.regions import LEADERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.parse.pdf.page import Page

_LEAST_ROWS = 3  # of cells
_CELLS = 3  # of a row: two gaps
_FAR = 3.5  # type sizes between the base lines of two rows
_TEXT = 22  # characters of the median cell: columns of running text are as long
_GOES_ON = 0.3  # of the lines begin in small letters: cells of wrapped text
_WORDED = 0.5  # of the rows begin with a word: those of a chart begin with numbers
_WORDS = 6  # of a row without gaps: more are text between two tables
_PROSE = 12  # of a cell: more are text next to a label
_SHORT = 5  # words of a cell of two columns
_LIST_MARK = re.compile(r"(?:[•▪◦–□☐●]|\(?\d{1,3}[.)]|\(?[a-z][.)])(?:\s|$)")
_AMOUNT = re.compile(r"[<>≤≥]?\s?\d[\d.,\s–-]*(?:to\s\d+\s?)?[a-zµ%][\w/]*(?:\s\w+){0,3}$", re.I)

Lines = list[list[Segment]]


def open_regions(page: Page, taken: Sequence[Box]) -> list[Box]:
    """Return the boxes of tables outside the boxes `taken`, from the top."""
    spans = [
        span
        for line in page.lines
        if not line.turned and not any(contains(box, line.box) for box in taken)
        for span in line.spans
        if span.text.strip()
    ]
    found: list[Box] = []
    for run in _runs(printed_lines(spans)):
        if _is_open_table(run):
            x0, y0, x1, y1 = union([box_of(s) for line in run for s in line])
            found.append((x0 - 1, y0 - 1, x1 + 1, y1 + 1))
    return found


def _runs(lines: Lines) -> list[Lines]:
    """Return stretches of lines that begin and end with a row of cells, without text between."""
    runs: list[Lines] = []
    run: Lines = []
    above: Segment | None = None
    for line in lines:
        size = line[0][0].size
        near = above is not None and line[0][0].base - above[0].base <= _FAR * size
        alone = len(line) == 1
        longest = max(map(_words, line))
        if run and (not near or longest > _PROSE or (alone and longest > _WORDS)):
            runs.append(run)
            run = []
        if (run or not alone) and longest <= _PROSE:
            run.append(line)
        above = line[0]
    runs.append(run)
    for run in runs:
        while run and len(run[-1]) == 1 and not _is_rest(run):
            run.pop()
    return [run for run in runs if sum(len(line) > 1 for line in run) >= _LEAST_ROWS]


def _is_rest(run: Lines) -> bool:
    """True if the last line goes on with a cell of the row above it, right of the first column."""
    last = run[-1][0]
    above = run[-2] if len(run) > 1 else []
    inside = len(above) > 1 and box_of(last)[0] >= box_of(above[0])[2]
    return inside and _text(last)[:1].islower()


def _is_open_table(run: Lines) -> bool:
    """True if lines have the cells of a table: full rows beginning with words, no list or prose."""
    edges = column_edges(run)
    texts = [[_text(s) for s in line] for line in run]
    if any(LEADERS.search(text) for row in texts for text in row):
        return False
    if len(edges) == 1:
        return _is_dosing(texts)
    full = [row for row in texts if len(row) >= _CELLS]
    if len(edges) < _CELLS - 1 or len(full) < _LEAST_ROWS:
        return False
    worded = sum(any(map(str.isalpha, row[0])) for row in full)
    listed = sum(bool(_LIST_MARK.match(text)) for row in texts for text in row)
    return worded >= _WORDED * len(full) and listed < _LEAST_ROWS and not _is_prose(texts)


def is_wrapped(region: Box, page: Page) -> bool:
    """True if the lines in a region go on below each other: which rows they make is not known.

    A column whose first cell begins in small letters has only such cells.
    """
    lines = [i for i in page.lines if not i.turned and contains(region, i.box)]
    lines.sort(key=lambda i: i.y0)
    go_on = 0
    for line in lines:
        above = [i for i in lines if i.y0 < line.y0 and i.x0 < line.x1 and i.x1 > line.x0]
        go_on += line.text[:1].islower() and bool(above) and not above[0].text[:1].islower()
    return go_on >= _GOES_ON * len(lines)


def _is_prose(texts: list[list[str]]) -> bool:
    return median(len(text) for row in texts for text in row) >= _TEXT


def _is_dosing(texts: list[list[str]]) -> bool:
    """True if most rows of two columns give an amount or age and what is given for it."""
    rows = [row for row in texts if len(row) > 1]
    right = sum(
        len(row) == 2  # noqa: PLR2004 - columns
        and bool(_AMOUNT.match(row[0]))
        and any(map(str.isdigit, row[1]))
        and max(len(cell.split()) for cell in row) <= _SHORT
        for row in rows
    )
    return right >= _LEAST_ROWS and right >= len(rows) - 1


def _words(segment: Segment) -> int:
    return len(_text(segment).split())


def _text(segment: Segment) -> str:
    parts = [segment[0].text]
    for a, b in pairwise(segment):
        parts += [" " if b.box[0] - a.box[2] > 0.1 * b.size else "", b.text]
    return "".join(parts).strip()
