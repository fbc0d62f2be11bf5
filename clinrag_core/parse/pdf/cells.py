"""Characters of a page -> text of table cells.

Cells are written from characters, not words: a word of MuPDF may run across a cell border, and
raised calls to notes must be known by their size. If a rule between columns is missing in a row,
its text is cut at the column edges that the header has.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.parse.assemble.flow import Cell
from clinrag_core.parse.pdf.page import Box, Line, RuledGrid, Span, centre, make_line, union
from clinrag_core.text.brackets import closes_brackets
from clinrag_core.text.list_signs import normal_bullet

if TYPE_CHECKING:
    from clinrag_core.parse.assemble.flow import Row
    from clinrag_core.parse.pdf.hyphens import Vocabulary

_VALUE = re.compile(r"[\d<>≤≥~±]|[—–-]{1,2}$")  # begins a dose, or is the dash for none
_STEP = 8.0  # points: height of a search band
_LEVEL = 2.5  # points between the bottoms of lines of one row, set in sizes a point or two apart
_SAME_LINE = 0.3  # of the type size: further apart are two lines
_SMALL = 0.85  # of the type size: what is set so small and high is a call to a note
_VALUE_WORDS = 3  # a line of a value: '10-20 mg IV'
_CELL_GAP = 0.7  # em: text of two cells is further apart than two words


def words_in(characters: list[Span], boxes: list[Box]) -> list[Span]:
    """Return runs of characters without white space whose centre is in a box, in content order."""
    rows: dict[int, list[Box]] = {}
    for box in boxes:
        for step in range(int(box[1] // _STEP), int(box[3] // _STEP) + 1):
            rows.setdefault(step, []).append(box)
    runs: list[list[Span]] = []
    fresh = True
    for char in characters:
        last = runs[-1][-1] if runs else None
        if not char.text.strip():
            if last is not None and not fresh and char.base == last.base:
                runs[-1].append(replace(char, box=last.box))  # a narrow space is a space
            fresh = True
            continue
        middle = (char.box[1] + char.box[3]) / 2
        if not any(_contains(b, char) for b in rows.get(int(middle // _STEP), ())):
            fresh = True
            continue
        if fresh or last is None or not _same_run(last, char):
            runs.append([char])
        else:
            runs[-1].append(char)
        fresh = False
    return [
        replace(run[0], text="".join(c.text for c in run), box=union([c.box for c in run]))
        for run in runs
    ]


def split_wide_cells(grid: RuledGrid, words: list[Span]) -> list[list[Box | None]]:
    """Return cells of a grid; a cell that spans columns without need is cut at their edges.

    A cell is cut at the edges of other rows' cells where every line of its text has a gap wider
    than a word space, and only if several parts then contain text.
    """
    edges = [*sorted({c[0] for row in grid.cells for c in row if c is not None}), grid.box[2]]
    out: list[list[Box | None]] = []
    for row in grid.cells:
        present = [c for c in row if c is not None]
        full = len(present) >= len(edges) - 1
        out.append([*row] if full else _aligned(present, edges, words))
    return out


class CellRow(NamedTuple):
    """The texts of a row's cells on one line each, and its place; '' for a merged cell."""

    texts: tuple[str, ...]
    box: Box
    unsure: bool = False  # several printed rows that could not be separated


def cell_texts(
    boxes: list[list[Box | None]], words: list[Span], number: int, vocabulary: Vocabulary
) -> list[CellRow]:
    """Return rows of texts; a ruled row may give several (see `_printed_rows`)."""
    inside: dict[tuple[int, int], list[Span]] = {}
    flat = [(c, (i, j)) for i, row in enumerate(boxes) for j, c in enumerate(row) if c is not None]
    bands: dict[int, list[tuple[Box, tuple[int, int]]]] = {}  # a grid may have 20,000 cells
    for box, key in flat:
        for step in range(int(box[1] // _STEP), int(box[3] // _STEP) + 1):
            bands.setdefault(step, []).append((box, key))
    for word in words:
        near = bands.get(int(centre(word.box)[1] // _STEP), ())
        key = next((k for box, k in near if _contains(box, word)), None)
        if key is None:  # on a rule, or the table's outline is ragged
            key = min((_distance(box, word), k) for box, k in flat)[1]
        inside.setdefault(key, []).append(word)
    rows: list[CellRow] = []
    for i, row in enumerate(boxes):
        cells = [_lines(inside.get((i, j), []), number) for j in range(len(row))]
        rows.extend(_printed_rows(cells, row, vocabulary))
    return rows


def _printed_rows(
    cells: list[list[Line]], boxes: list[Box | None], vocabulary: Vocabulary
) -> list[CellRow]:
    """Return a ruled row as the rows that are printed in it.

    Doses are often set line by line in one ruled row: 'Children', 'Adults' next to two doses. If
    every line break is deliberate and the lines of the columns are level, each line is a row; what
    heads them ('Isoniazid') is repeated in each.
    """
    levels = _levels(cells, boxes)
    present = [c for c in boxes if c is not None]
    left, right = min(c[0] for c in present), max(c[2] for c in present)
    if levels is None:
        # A cell that reaches down is of the row in which it begins.
        top, bottom = min(c[1] for c in present), min(c[3] for c in present)
        texts = tuple(vocabulary.join_lines(lines) for lines in cells)
        return [CellRow(texts, (left, top, right, bottom), any(map(_is_stacked, cells)))]
    rows: list[CellRow] = []
    label = ""
    for level in levels:
        row = [next((i.text for i in c if _is_level(i, level)), "") for c in cells]
        if not any(row[1:]) and not rows:
            label = row[0]
            continue
        if label and row[0]:
            row[0] = f"{label} {row[0]}"
        printed = [i.box for c in cells for i in c if _is_level(i, level)]
        top, bottom = min(b[1] for b in printed), max(b[3] for b in printed)
        rows.append(CellRow(tuple(normal_bullet(t) for t in row), (left, top, right, bottom)))
    return rows


def _levels(cells: list[list[Line]], boxes: list[Box | None]) -> list[float] | None:
    """Bottoms of the lines of a row's fullest cell; None if the row is wrapped text."""
    fullest = max(cells, key=len)
    broken = sum(len(c) > 1 for c in cells)
    if broken <= 1 or len(cells[0]) != len(fullest):
        return None
    levels = [i.y1 for i in fullest]
    for lines, box in zip(cells, boxes, strict=True):
        if box is None:
            continue
        if not all(any(_is_level(i, level) for level in levels) for i in lines):
            return None
        for a, b in pairwise(lines):
            # Under a label of the first column, its parts are indented.
            indented = lines is cells[0] and b.x0 > lines[0].x0 + 3 and b.text[:1].isupper()
            values = _VALUE.match(a.text) and _VALUE.match(b.text)
            if not (indented or values or _is_deliberate(a, b, box)):
                return None
    return levels


def _is_stacked(lines: list[Line]) -> bool:
    """True if a cell holds several values, one a line: those of rows that were not separated."""
    starts = 0
    for above, line in pairwise([None, *lines]):
        goes_on = above is not None and (
            above.text.endswith((",", "-", "–", "/", " to", " or", " and", "±", "<", ">", "≥", "≤"))
            or not closes_brackets(above.text)
        )
        starts += line is not None and line.text[:1].isdigit() and not goes_on
    words = sum(len(line.text.split()) for line in lines)
    first = lines[0].text[:1] if lines else ""
    return starts > 1 and first.isdigit() and words <= _VALUE_WORDS * len(lines)


def _is_level(line: Line, level: float) -> bool:
    return abs(line.y1 - level) < _LEVEL


def _is_deliberate(line: Line, following: Line, box: Box) -> bool:
    """True if a line ends although the next word would have fitted."""
    if line.text.endswith((",", "-", "/", "–")) or following.text[:1].islower():
        return False
    return box[2] - line.x1 > following.first_word_width + 0.3 * line.size


def spanning(boxes: list[list[Box | None]], texts: list[list[str]]) -> tuple[Row, ...]:
    """Return cells with the rows and columns that they span; one without text spans none.

    A row without text in its cells repeats the texts that span it, so it is not lost; `boxes` and
    `texts` are changed there.
    """
    columns = zip(*boxes, strict=True)
    lefts = [min((c[0] for c in column if c is not None), default=0.0) for column in columns]
    bare = [not any(row) for row in texts]
    covered: set[tuple[int, int]] = set()
    rows: list[Row] = []
    for i, row in enumerate(boxes):
        cells: list[Cell] = []
        for j, box in enumerate(row):
            if (i, j) in covered:
                continue
            down = across = 1
            if box is not None and texts[i][j]:
                while i + down < len(boxes) and _reaches(box, boxes[i + down], j):
                    if bare[i + down]:
                        boxes[i + down][j], texts[i + down][j] = box, texts[i][j]
                        break
                    down += 1
                while j + across < len(row) and lefts[j + across] < box[2] - 2:
                    across += 1
            covered.update((i + r, j + c) for r in range(down) for c in range(across))
            cells.append(Cell(texts[i][j], down, across))
        rows.append(tuple(cells))
    return tuple(rows)


def _reaches(box: Box, below: list[Box | None], column: int) -> bool:
    """True if a cell reaches down to the bottom of a row that has no cell in its column."""
    bottoms = [c[3] for c in below if c is not None]
    return bool(bottoms) and below[column] is None and box[3] >= min(bottoms) - 2


def _aligned(present: list[Box], edges: list[float], words: list[Span]) -> list[Box | None]:
    """Return a row's cells on the header's columns; None if a cell spans."""
    row: list[Box | None] = [None] * (len(edges) - 1)
    for cell in present:
        inside = [w for w in words if _contains(cell, w)]
        cuts = [e for e in edges[1:-1] if cell[0] + 2 < e < cell[2] - 2 and _is_free(e, inside)]
        parts = [
            (left, cell[1], right, cell[3])
            for left, right in zip([cell[0], *cuts], [*cuts, cell[2]], strict=True)
        ]
        if sum(any(_contains(p, w) for w in inside) for p in parts) <= 1:
            parts = [cell]
        for part in parts:
            column = max((j for j, e in enumerate(edges[:-1]) if e <= part[0] + 2), default=0)
            row[column] = part
    return row


def _is_free(edge: float, words: list[Span]) -> bool:
    """True if no line of text runs over a column edge."""
    lines: dict[int, list[Span]] = {}
    for word in words:
        lines.setdefault(round(word.base / 2), []).append(word)
    for line in lines.values():
        left = [w.box[2] for w in line if w.box[0] < edge]
        right = [w.box[0] for w in line if w.box[2] > edge]
        if left and right and min(right) - max(left) < _CELL_GAP * line[0].size:
            return False
    return True


def _contains(cell: Box, word: Span) -> bool:
    x, y = centre(word.box)
    return cell[0] <= x < cell[2] and cell[1] <= y < cell[3]


def _distance(cell: Box, word: Span) -> float:
    x, y = centre(word.box)
    across = max(cell[0] - x, x - cell[2], 0.0)
    down = max(cell[1] - y, y - cell[3], 0.0)
    return across + 4 * down


def _same_run(last: Span, char: Span) -> bool:
    """True if a character belongs to the run of the one before it in content order."""
    if char.base != last.base or char.size != last.size:
        return False
    if char.bold != last.bold or char.font != last.font:
        return False
    gap = char.box[0] - last.box[2]
    # The halves of a ligature overlap; a real gap is a space that was not written.
    return -1.2 * char.size < gap < 0.25 * char.size


def _lines(words: list[Span], number: int) -> list[Line]:
    """Return lines of a cell; raised words go with the line that they are raised above."""
    rows: list[list[Span]] = []
    for word in sorted(words, key=lambda w: -w.size):
        for row in rows:
            main = row[0]
            above = main.base - word.base
            raised = word.size < _SMALL * main.size and 0 <= above < main.size
            if raised or abs(above) < _SAME_LINE * main.size:
                row.append(word)
                break
        else:
            rows.append([word])
    lines = [make_line(row, number) for row in sorted(rows, key=lambda r: r[0].base)]
    return [line for line in lines if line is not None]
