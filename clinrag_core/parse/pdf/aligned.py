"""A table by the alignment of its words: what a reader does where no rules divide the cells.

Columns are the gaps that lines share. Rows that nothing on the page confirms are marked unsure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.parse.assemble.flow import Cell
from clinrag_core.parse.pdf.columns import Segment, column_edges, printed_lines
from clinrag_core.parse.pdf.page import Box, Fill, Span, make_line, union
from clinrag_core.parse.pdf.table_lines import (
    PrintedLine,
    columns_of,
    grouped_rows,
    header_lines,
    row_levels,
    without_bullets,
    without_notes,
    without_titles,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.parse.assemble.flow import Row
    from clinrag_core.parse.pdf.hyphens import Vocabulary

_LEAST = 2  # rows and columns


class AlignedTable(NamedTuple):
    """Rows of cells with their boxes; the header rows are on top."""

    rows: tuple[Row, ...]
    boxes: tuple[Box, ...]
    header_rows: int
    unsure: tuple[int, ...]
    box: Box


def read_aligned(
    region: Box, words: Sequence[Span], fills: Sequence[Fill], number: int, vocabulary: Vocabulary
) -> AlignedTable | None:
    """Return the table of a region; None if its words are in no columns."""
    lines = without_titles(printed_lines(words))
    edges = without_bullets(lines, column_edges(lines))
    if not edges:
        return None
    printed = [PrintedLine(line, [columns_of(s, edges) for s in line]) for line in lines]
    first = next((n for n, p in enumerate(printed) if len(p.segments) > 1), len(printed))
    printed = printed[first:] if first <= 1 and not printed[0].bold else printed
    printed = without_notes(printed, len(edges) + 1)
    levels = row_levels(region, fills)
    heads = header_lines(printed, levels)
    body = printed[heads:]
    if len(body) < _LEAST:
        return None
    groups, guessed = grouped_rows(body, levels, len(edges) + 1)
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


def _row(
    lines: Sequence[PrintedLine], width: int, number: int, vocabulary: Vocabulary
) -> tuple[Row, bool]:
    """Return cells of a row, and whether text of several columns may be mixed in one of them."""
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
    """Return the text of the segments of one cell, line by line."""
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
    lines: Sequence[PrintedLine], width: int, number: int, vocabulary: Vocabulary
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
