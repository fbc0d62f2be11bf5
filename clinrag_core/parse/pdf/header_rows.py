"""How many rows at the top of a printed table are its header.

Publishers set headings apart: on a fill, in bold, in another colour. Where nothing sets the first
row apart it is a header only if its words cannot be data: a dose under a wrong heading is worse
than one without.
"""

from __future__ import annotations

import re
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.parse.pdf.page import Box, Fill, Span, area, contains
from clinrag_core.text.units import units_of

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_ROWS = 4  # of a header
_CONTENT_ROWS = 3  # of a header that nothing but its words shows
_HEADED = 2  # rows at most that a title and the headings below it take
_BAND = re.compile(rf"(?<!/)\b(?:kgs?|{units_of('time')})\b(?!/)", re.IGNORECASE)
_VALUE = re.compile(r"(?:yes|no|none)$|[\d.,–-]+\s*\(\s*\d", re.IGNORECASE)
_STATED = re.compile(
    rf"^•|[<>≤≥]\s*\d|\d\s*(?:µg|{units_of('mass', 'volume', 'pressure', 'fraction')})(?!\w)",
    re.IGNORECASE,
)
_BRACKETED = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_HEADER_WORDS = 14  # of a column's title; a longer cell in the first rows is data
_THIN = 4.0  # points: lower fills are rules
_PAGE = 0.6  # of a table's area: a larger fill is its ground


class RowStyle(NamedTuple):
    """How a row is set: whether all of its words after the label are bold, and on which fill."""

    bold: bool
    fill: tuple[float, ...] | None


def row_styles(rows: Sequence[Box], words: Sequence[Span], fills: Sequence[Fill]) -> list[RowStyle]:
    """Style of each row; `words` are those of the table, `fills` those of the page."""
    whole = sum(area(r) for r in rows)
    left = min((r[0] for r in rows), default=0.0)
    grounds = [
        f for f in fills if f.filled and area(f.box) < _PAGE * whole and f.box[3] - f.box[1] > _THIN
    ]
    styles: list[RowStyle] = []
    for row in rows:
        inside = [w for w in words if contains(row, w.box, 0)]
        labels = min((w.box[0] for w in inside), default=left)
        later = [w for w in inside if w.box[0] > labels + 0.25 * (row[2] - row[0])] or inside
        letters = [w for w in later if any(c.isalnum() for c in w.text)] or later
        bold = bool(letters) and all(w.bold for w in letters)
        last = max(inside, key=lambda w: w.box[2], default=None)
        under = [f for f in grounds if last is not None and contains(f.box, last.box, 0)]
        fill = min(under, key=lambda f: area(f.box)).color if under else None
        styles.append(RowStyle(bold, tuple(round(c, 2) for c in fill) if fill else None))
    return styles


def header_rows(rows: Sequence[tuple[str, ...]], styles: Sequence[RowStyle]) -> int:
    """Return the number of header rows, by style or else words; `rows` have equal lengths."""
    return _styled(rows, styles) or _worded(rows)


def _styled(rows: Sequence[tuple[str, ...]], styles: Sequence[RowStyle]) -> int:
    """Return the number of rows at the top that are set unlike every row of data below them."""
    first = styles[0]
    count = 0
    while count < min(_MOST_ROWS, len(rows) - 1):
        style = styles[count]
        alike = style.bold if first.bold else style.fill == first.fill
        below = {
            s for s, row in zip(styles[count + 1 :], rows[count + 1 :], strict=True) if any(row[1:])
        }
        if not alike or not any(rows[count][1:]) or style in _without(below, style, styles, count):
            break
        count += 1
    return count if count and _is_apart(styles, rows, count) else 0


def _without(
    below: set[RowStyle], style: RowStyle, styles: Sequence[RowStyle], count: int
) -> set[RowStyle]:
    """Styles below a row, but for those of header rows that follow it directly."""
    following = styles[count + 1 : _MOST_ROWS]
    end = next((n for n, s in enumerate(following) if s != style), len(following))
    return below if style in styles[count + 1 + end :] else below - {style}


def _is_apart(styles: Sequence[RowStyle], rows: Sequence[tuple[str, ...]], count: int) -> bool:
    """True if no row of data below the header is set like one of its rows."""
    header = set(styles[:count])
    data = [s for s, row in zip(styles[count:], rows[count:], strict=True) if any(row[1:])]
    return bool(data) and header.isdisjoint(data)


def _worded(rows: Sequence[tuple[str, ...]]) -> int:
    """Return the number of rows of words, few numbers, up to the first that fills all columns."""
    lengths = [max(len(c.split()) for c in row) for row in rows]
    longest = max(_HEADER_WORDS, median(lengths[1:]) / 2)
    of_bands = _columns_of_bands(rows)
    count = 0
    for row, length in zip(rows[:_CONTENT_ROWS], lengths, strict=False):
        is_band = any(_BAND.search(row[column]) for column in of_bands)
        if is_band or any(_is_datum(c) for c in row) or length > longest:
            break
        count += 1
        if all(row):
            break
    if count > _HEADED and _is_alone(rows[count - 2]) and any(map(_is_alone, rows[count:])):
        count -= 2  # a row of one cell over a data row, as further down: it heads a group
    if heads_groups(rows, count):
        return 0
    return min(count, len(rows) - 1)


def _columns_of_bands(rows: Sequence[tuple[str, ...]]) -> list[int]:
    """Return the columns that have bands of weight or age in most rows: they head no column."""
    columns = list(enumerate(zip(*rows[1:], strict=True)))
    return [n for n, cells in columns if sum(map(_is_band, cells)) > len(cells) / 2]


def _is_band(cell: str) -> bool:
    return _BAND.search(cell) is not None


def heads_groups(rows: Sequence[tuple[str, ...]], count: int) -> bool:
    """True if the first rows name no column, and others further down are set like them."""
    return all(map(_is_alone, rows[:count])) and any(map(_is_alone, rows[count:]))


def _is_alone(row: tuple[str, ...]) -> bool:
    """True if only the first cell of a row has text."""
    return bool(row[0]) and not any(row[1:])


def _is_datum(cell: str) -> bool:
    """True if a cell is a value; bands of weight and age ('33-50 kg') head columns."""
    if _BAND.search(cell):
        return False
    if _VALUE.match(cell) or _STATED.search(_BRACKETED.sub("", cell)):
        return True
    return bool(re.search(r"\d", cell)) and not re.search(r"[A-Za-z]{3}", cell)
