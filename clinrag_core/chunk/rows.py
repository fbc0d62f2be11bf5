"""A table row as a statement: every cell with its headings, row group and label.

A row is quoted only if it is known what heads each of its cells: a dose under the wrong heading is
worse than none.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.model.statement import FramePart

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clinrag_core.model.section import Section
    from clinrag_core.model.table import Table

PAIR = 2  # columns of a table in which the first cell heads the second
_SAME_AS_ABOVE = re.compile(r"(?:[\"″〃]|''|as above|same as above|ditto|idem)\W*", re.IGNORECASE)


class BoundRow(NamedTuple):
    """A row in words, with the parts of the table that head its cells."""

    said: str
    frame: tuple[FramePart, ...]
    is_sure: bool
    """Whether every cell has a heading of its own."""


def bind_row(section: Section, table: Table, row: int) -> BoundRow:
    """Return a data row as `group: heading: cell; heading: cell`, with the spans of all of it."""
    cells = table.cells(row)
    filled = [column for column, text in enumerate(cells) if text]
    headings = {column: " – ".join(table.header(column)) for column in filled}
    frame = [
        FramePart(kind="row_group", start=a, end=b)
        for group in _group_rows(table, row)
        for a, b in [_cell_span(table, group, 0)]
    ]
    for column in filled:
        for a, b in _heading_spans(table, column):
            frame.append(FramePart(kind="heading", start=a, end=b, column=column))
        if not table.rows[row][column]:
            a, b = _cell_span(table, _row_of_merged(table, row, column), column)
            frame.append(FramePart(kind="heading", start=a, end=b, column=column))
    pairs = [f"{headings[c]}: {cells[c]}" if headings[c] else cells[c] for c in filled]
    is_pair = len(cells) == PAIR and not any(headings.values()) and len(filled) == PAIR
    said = ": ".join(cells) if is_pair else "; ".join(pairs)
    groups = table.groups(row)
    return BoundRow(
        ": ".join([*groups, said]),
        tuple(dict.fromkeys(frame)),
        (is_pair or _is_sure(cells, filled, headings)) and _is_grouped_surely(table, row),
    )


def repeats_header(table: Table, row: int) -> bool:
    """Return whether a row prints the headings once more, as tables over several pages do."""
    filled = [(column, text) for column, text in enumerate(table.rows[row]) if text]
    return all(text in table.header(column) for column, text in filled)


def _is_sure(cells: Sequence[str], filled: Sequence[int], headings: dict[int, str]) -> bool:
    """Return whether a row has a label, and each value a heading that no other value has."""
    labels = next((c for c in filled if headings[c]), 1) or 1  # columns before it head the row
    values = [column for column in filled if column >= labels]
    own = [headings[column] for column in values]
    return (
        bool(cells[0])
        and all(own)
        and len(set(own)) == len(own)
        and not any(_SAME_AS_ABOVE.fullmatch(cells[column]) for column in filled)
    )


def _is_grouped_surely(table: Table, row: int) -> bool:
    """Return whether the rows that head a row surely do.

    A cell over the whole width heads what comes after it. A row with nothing but a label may also
    be one whose values are absent, unless all rows of the table are in such groups.
    """
    groups = tuple(_group_rows(table, row))
    width = len(table.rows[row])
    wide = {m.row for m in table.merged if m.columns >= width - 1}
    all_grouped = len(table.group_rows) > 1 and table.group_rows[0] == table.header_rows
    return all_grouped or wide.issuperset(groups)


def _group_rows(table: Table, row: int) -> Iterator[int]:
    names = table.groups(row)
    above = [group for group in table.group_rows if group < row]
    yield from above[len(above) - len(names) :]


def _row_of_merged(table: Table, row: int, column: int) -> int:
    """Return the row in which the cell begins that reaches down to a place of the grid."""
    return next(m.row for m in table.merged if m.column == column and m.row < row < m.row + m.rows)


def _heading_spans(table: Table, column: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of the header cells above a column, from the top."""
    for row in range(table.header_rows):
        begin, at = row, column
        for m in table.merged:
            if m.row <= row < m.row + m.rows and m.column <= column < m.column + m.columns:
                begin, at = m.row, m.column
        if at < len(table.rows[begin]) and table.rows[begin][at]:
            yield _cell_span(table, begin, at)


def _cell_span(table: Table, row: int, column: int) -> tuple[int, int]:
    """Return the span of a cell in the section's text: cells of a row are joined by tabs."""
    before = sum(len(cell) + 1 for cell in table.rows[row][:column])
    start = table.row_spans[row][0] + before
    return start, start + len(table.rows[row][column])
