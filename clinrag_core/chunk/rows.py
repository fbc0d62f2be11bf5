"""A table row as a statement: every cell with its headings, row group and label.

A row is quoted only if it is known what heads each of its cells: a dose under the wrong heading is
worse than none.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.chunk.comparisons import compared_row
from clinrag_core.model.statement import FramePart
from clinrag_core.text.expressions import lazy_re

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clinrag_core.model.table import Table

PAIR = 2  # columns of a table in which the first cell heads the second
LONGEST_LABEL = 12  # words of such a first cell; a longer one is text of its own
LARGEST_SHARE = 3
"""Times the rows of the largest other group that a group may have; a larger one has lost its end.
In the reference corpus 2.8 and 4.3 were right, 4 and 14 wrong."""
_SAME_AS_ABOVE = lazy_re(r"(?:[\"″〃]|''|as above|same as above|ditto|idem)\W*", re.IGNORECASE)

_TITLE = lazy_re(r"[A-Z]{3,}(?: [A-Z]{2,}){1,4}(?=\W|$)")
"""Words in capitals at the start of a cell."""
_NUMBER = lazy_re(r"\d")
_BRACKETED = lazy_re(r"[(\[].*\d.*[)\]]\W*")
_FEWEST_BRACKETED = 2
"""Intervals in brackets below plain figures that make a row the second line of the one above."""


class BoundRow(NamedTuple):
    """A row in words, with the parts of the table that head its cells."""

    said: str
    frame: tuple[FramePart, ...]
    is_sure: bool
    """Whether every cell has a heading of its own."""


def bind_row(table: Table, row: int) -> BoundRow:
    """Return a data row as `group: heading: cell; heading: cell`, with the spans of all of it.

    The second line of a row is part of it.
    """
    cells = table.cells(row)
    if is_second_line(table, row + 1):
        below = table.rows[row + 1]
        cells = tuple(" ".join(filter(None, pair)) for pair in zip(cells, below, strict=True))
    labelled = label_row(table, row)
    if labelled is not None:
        cells = (table.rows[labelled][0], *cells[1:])
    filled = [column for column, text in enumerate(cells) if text]
    groups = table.groups(row)
    headings = {column: _heading(table, row, column) for column in filled}
    is_alone = len(filled) == 1 and (row, 0, len(cells)) in {
        (m.row, m.column, m.columns) for m in table.merged
    }
    if is_alone or (groups and _is_sibling(headings[filled[0]], groups[-1])):
        headings[filled[0]] = ""
    above = list(_group_rows(table, row))
    if (compared := compared_row(table, row)) is not None:
        groups = (*groups, table.cells(compared)[0])
        above.append(compared)
    frame = [
        FramePart(kind="row_group", start=a, end=b)
        for group in above
        for a, b in [_cell_span(table, group, 0)]
    ]
    for column in filled:
        for a, b in _spans_above(table, row, column):
            frame.append(FramePart(kind="heading", start=a, end=b, column=column))
        if not table.rows[row][column]:
            labels = labelled if labelled is not None and column == 0 else None
            from_row = _row_of_merged(table, row, column) if labels is None else labels
            a, b = _cell_span(table, from_row, column)
            frame.append(FramePart(kind="heading", start=a, end=b, column=column))
    pairs = [f"{headings[c]}: {cells[c]}" if headings[c] else cells[c] for c in filled]
    is_pair = (
        len(filled) == PAIR
        and (len(cells) == PAIR or (filled[0] == 0 and not table.header_rows))
        and not any(headings.values())
        and len(cells[0].split()) <= LONGEST_LABEL
    )
    said = ": ".join(cells[column] for column in filled) if is_pair else "; ".join(pairs)
    return BoundRow(
        ": ".join([*groups, said]),
        tuple(dict.fromkeys(frame)),
        (is_pair or _is_sure(cells, filled, headings, _listed(table)))
        and _is_grouped_surely(table, row),
    )


def _columns(table: Table, row: int, column: int) -> range:
    """Return the columns that the cell of a data row covers."""
    across = (m.columns for m in table.merged if (m.row, m.column) == (row, column) and column > 0)
    return range(column, column + next(across, 1))


def _heading(table: Table, row: int, column: int) -> str:
    """Return what heads a cell, all headings above it if it covers several columns."""
    if (anew := heading_row(table, row, column)) is not None:
        return table.rows[anew][_listed(table).start - 1]
    above = [table.header(below) for below in _columns(table, row, column)]
    return " and ".join(dict.fromkeys(" – ".join(names) for names in above if names))


def heading_row(table: Table, row: int, column: int) -> int | None:
    """Return the row in the body that heads a cell anew: a heading alone over all listed values.

    "After dialysis, in addition" over the five columns that "Dose regimen" heads at the top.
    """
    listed = _listed(table)
    if not listed or column not in range(listed.start - 1, listed.stop):
        return None
    rows = [
        m.row
        for m in table.merged
        if (m.column, m.columns) == (listed.start - 1, len(listed) + 1)
        and table.header_rows <= m.row < row
        and sum(map(bool, table.rows[m.row])) == 1
    ]
    return max(rows, default=None)


def _is_sibling(heading: str, group: str) -> bool:
    """Return whether the heading of the labels names a group like that of the row.

    "Primary endpoints" in the header heads the rows up to the group "Secondary endpoints" only.
    """
    own, other = (re.findall(r"\w+", text.casefold()) for text in (heading, group))
    if not own or not other or own == other:
        return False
    return own[-1].rstrip("s") in ("endpoint", other[-1].rstrip("s"))


def is_second_line(table: Table, row: int) -> bool:
    """Return whether a row goes on with the row above: intervals in brackets under estimates.

    Tables of interactions print "1.04 / (0.98, 1.10)" as two rows, the drug over its dose.
    """
    if not table.header_rows < row < len(table.rows) or {row - 1, row} & set(table.group_rows):
        return False
    pairs = [(a, b) for a, b in zip(table.rows[row - 1], table.rows[row], strict=True) if b][1:]
    under = [a for a, b in pairs if _BRACKETED.fullmatch(b)]
    plain = [a for a in under if _NUMBER.search(a) and not _BRACKETED.search(a)]
    return bool(table.rows[row][0]) and len(under) == len(plain) >= _FEWEST_BRACKETED


def repeats_header(table: Table, row: int) -> bool:
    """Return whether a row prints the headings once more, as tables over several pages do."""
    filled = [(column, text) for column, text in enumerate(table.rows[row]) if text]
    return all(prints_heading(table, column, text) for column, text in filled)


def prints_heading(table: Table, column: int, text: str) -> bool:
    """Return whether a cell is the heading of its column, one level of it or all in one."""
    heading = table.header(column)
    return text in (*heading, " ".join(heading))


def _listed(table: Table) -> range:
    """Return the columns of a list of values under the one heading that spans columns."""
    width = len(table.rows[0])
    wide = [m for m in table.merged if m.row == 0 and 1 < m.columns < width and m.column > 0]
    if table.header_rows != 1 or len(wide) != 1:
        return range(0)
    return range(wide[0].column + 1, wide[0].column + wide[0].columns)


def _is_sure(
    cells: Sequence[str], filled: Sequence[int], headings: dict[int, str], listed: range
) -> bool:
    """Return whether a row has a label, and each value a heading that no other value has.

    Values in `listed` columns are more of what the heading to their left says.
    """
    labels = next((c for c in filled if headings[c]), 1) or 1  # columns before it head the row
    values = [column for column in filled if column >= labels]
    own = [headings[c] or _own_title(cells[c]) for c in values if c not in listed]
    return (
        bool(cells[0])
        and all(own)
        and len(set(own)) == len(own)
        and not any(_SAME_AS_ABOVE.fullmatch(cells[column]) for column in filled)
    )


def _own_title(cell: str) -> str:
    """Return the title that a cell begins with itself: "FIRST CHOICE − Pharyngitis"."""
    match = _TITLE.match(cell)
    return match.group() if match else ""


def _is_grouped_surely(table: Table, row: int) -> bool:
    """Return whether the rows that head a row surely do.

    A cell over the whole width heads what comes after it. A row with nothing but a label may also
    be one whose values are absent, unless all rows of the table are in such groups.
    """
    groups = tuple(_group_rows(table, row))
    width = len(table.rows[row])
    wide = {m.row for m in table.merged if m.columns >= width - 1}
    all_grouped = len(table.group_rows) > 1 and table.group_rows[0] == table.header_rows
    return wide.issuperset(groups) or (all_grouped and not _is_oversized(table, groups[-1]))


def _is_oversized(table: Table, group: int) -> bool:
    """Return whether a group has so many more rows than any other that its end is unknown."""
    starts = [*table.group_rows, len(table.rows)]
    sizes = {a: b - a - 1 for a, b in pairwise(starts)}
    own = sizes.pop(group)
    return own > LARGEST_SHARE * max(sizes.values())


def _group_rows(table: Table, row: int) -> Iterator[int]:
    names = table.groups(row)
    above = [group for group in table.group_rows if group < row]
    yield from above[len(above) - len(names) :]


def label_row(table: Table, row: int) -> int | None:
    """Return the row above whose label a row without one has, if its second cell is worded.

    Tables that name a drug once give its further doses below it, without a merged cell.
    """
    cells = table.cells(row)
    if cells[0] or len(cells) <= PAIR or not re.search("[A-Za-z]{2}", cells[1]):
        return None
    above = range(row - 1, table.header_rows - 1, -1)
    nearest = next((r for r in above if table.rows[r][0]), None)
    return None if nearest in table.group_rows else nearest


def _row_of_merged(table: Table, row: int, column: int) -> int:
    """Return the row in which the cell begins that reaches down to a place of the grid."""
    return next(m.row for m in table.merged if m.column == column and m.row < row < m.row + m.rows)


def _spans_above(table: Table, row: int, column: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of what heads a cell of a data row."""
    if (anew := heading_row(table, row, column)) is not None:
        yield _cell_span(table, anew, _listed(table).start - 1)
        return
    for below in _columns(table, row, column):
        yield from _heading_spans(table, below)


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
