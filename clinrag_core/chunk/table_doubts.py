"""Which rows of a table are never quoted because the grid itself is in doubt.

A parser may cut a printed row into lines, weave two columns or take a data row for a header. Each
rule here is a shape of such a grid that was seen above a wrong figure.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from clinrag_core.chunk.comparisons import compared_row, compares
from clinrag_core.chunk.rows import PAIR, heading_row, label_row, prints_heading
from clinrag_core.facts.quantities import Quantity, quantities
from clinrag_core.parse.assemble.wording import ends_sentence, is_caption
from clinrag_core.text.brackets import closes_brackets
from clinrag_core.text.expressions import lazy_re

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clinrag_core.model.table import Table

_UNLABELLED = 1 / 3
"""Share of the rows without a label above which a printed table was cut into lines: .5 and .7 in
two such tables of the reference corpus, at most .1 in the others read from pages."""
_BARE = lazy_re(r"(?:[\s\d.,:;%<>=≤≥≈~±×()\[\]/–—−*†‡§-]|\bto\b)*|na|n/a|nr|ns", re.IGNORECASE)
_NUMBER = lazy_re(r"\d")
_SEVERAL = lazy_re(r"[<>≤≥]?\d[\d.,]*\s?%?\*?(?:\s+[<>≤≥]?\d[\d.,]*\s?%?\*?)+")
_MAXIMUM = lazy_re(
    r"\bmax(?:imum)?\b[^.;]{0,20}\bdos(?:e|age)\b|\bmax(?:imum)? daily\b", re.IGNORECASE
)
_COUNT = lazy_re(r"\(?\s*n\s*=\s*\d", re.IGNORECASE)
_PROSE = 6  # words of a cell that is more than a term
_LEAST_REPEATED = 2  # cells of a row that print their heading again
_GOES_ON = lazy_re(r"(?:the|and|of|to|in|with|for|that|which|by|from|as|at|on)\s")


def doubtful_rows(table: Table, *, is_drawn: bool) -> frozenset[int]:
    """Return the rows whose cells may not belong to their label or headings.

    `is_drawn` is whether the grid was read from rules and spaces of a page, not from markup.
    """
    data = [
        row
        for row in range(table.header_rows, len(table.rows))
        if row not in table.group_rows and any(table.rows[row])
    ]
    drawn_badly = is_drawn and (
        _header_is_cut(table) or _header_reaches_data(table) or _is_cut_into_lines(table, data)
    )
    if drawn_badly or _continues_header(table):
        return frozenset(data)
    return frozenset(
        (
            *(row for row in data if row in table.unsure_rows),
            *_ambiguous(table, data),
            *_of_the_row_above(table, data),
            *_captions(table, data),
            *(row for row in data if is_drawn and not table.cells(row)[0]),
            *_of_other_headings(table, data),
            *_stacked(table, data),
            *_cut(table, data),
            *_titles_of_pairs(table, data),
            *_above_maximum(table, data),
        )
    )


def _above_maximum(table: Table, data: Sequence[int]) -> Iterator[int]:
    """Yield the rows of which a cell has more than the cell under "maximum dose" allows."""
    limits = [
        column
        for column in range(len(table.rows[0]))
        if any(_MAXIMUM.search(row[column]) for row in table.rows[: table.header_rows])
    ]
    for row in data:
        cells = table.cells(row)
        most = [q for column in limits for q in _doses(cells[column])]
        others = [
            q
            for column, cell in enumerate(cells[1:], 1)
            if column not in limits
            for q in _doses(cell)
        ]
        if any(q.unit == m.unit and q.values[-1] > m.values[-1] for q in others for m in most):
            yield row


def _doses(cell: str) -> list[Quantity]:
    """Return the plain amounts of a cell, not those per kilogram."""
    return [q for q in quantities(cell) if q.kind == "dose" and "kg" not in q.per]


def _header_is_cut(table: Table) -> bool:
    """Return whether a heading has part of another cell, so that a bracket is left open."""
    header = table.rows[: table.header_rows]
    return not all(closes_brackets(cell) for row in header for cell in row)


def _continues_header(table: Table) -> bool:
    """Return whether a label in the header is of the labels' series: "Step 1" over "Step 2"."""
    labels = [row[0] for row in table.rows[table.header_rows :]]
    series = {_without_number(label) for label in labels if _NUMBER.search(label)}
    corners = (row[0] for row in table.rows[: table.header_rows] if _NUMBER.search(row[0]))
    return any(_without_number(corner) in series for corner in corners)


def _header_reaches_data(table: Table) -> bool:
    """Return whether a cell of the header goes on below it: one of the two is read wrongly."""
    return any(m.row < table.header_rows < m.row + m.rows for m in table.merged)


def _is_cut_into_lines(table: Table, data: Sequence[int]) -> bool:
    """Return whether printed rows were cut: labels are missing, or cells go on in the next row."""
    unlabelled = [row for row in data if not table.cells(row)[0]]
    if len(unlabelled) > _UNLABELLED * len(data):
        return True
    return any(_cut(table, data))


def _cut(table: Table, data: Sequence[int]) -> Iterator[int]:
    """Yield rows of which a cell goes on in the next row, and those next rows."""
    for row in data:
        pairs = zip(table.rows[row - 1], table.rows[row], strict=True) if row - 1 in data else ()
        if any(_goes_on(above, below) for above, below in pairs):
            yield from (row - 1, row)


def _titles_of_pairs(table: Table, data: Sequence[int]) -> Iterator[int]:
    """Yield a first row that names the two columns ("Age", "Dose") and is not marked as a header.

    Its cells are words without figures, and all cells below it on the right say more.
    """
    first, others = (
        (table.rows[data[0]], [table.rows[row] for row in data[1:]]) if data else ((), [])
    )
    if table.header_rows or len(first) != PAIR or not others:
        return
    is_named = all(0 < len(cell.split()) < PAIR and not _NUMBER.search(cell) for cell in first)
    if is_named and all(len(row[1].split()) > PAIR or _NUMBER.search(row[1]) for row in others):
        yield data[0]


def _goes_on(above: str, below: str) -> bool:
    """Return whether a cell goes on with the words of the cell above it.

    Cells that all begin in lower case are written so.
    """
    if not above or ends_sentence(above):
        return False
    if _GOES_ON.fullmatch(f"{above.rsplit(maxsplit=1)[-1]} "):
        return True
    are_prose = min(len(above.split()), len(below.split())) >= _PROSE
    goes_on = _GOES_ON.match(below) or (are_prose and below[:1].islower())
    return above[:1].isupper() and bool(goes_on)


def _ambiguous(table: Table, data: Sequence[int]) -> Iterator[int]:
    """Yield rows that only their figures tell apart: the same group, label and words.

    Indents are lost, or a cell with two lines ("Zolumycin 40 mg / Its metabolite") heads two rows.
    """
    keys: dict[int, tuple[object, ...]] = {}
    for row in data:
        label, *cells = table.cells(row)
        words = [cell for cell in cells if not _BARE.fullmatch(cell)]
        if not words or (
            any(map(_BARE.fullmatch, filter(None, cells))) and not _BARE.fullmatch(label)
        ):
            keys[row] = (table.groups(row), label, label_row(table, row), *words)
    seen = Counter(keys.values())
    yield from (row for row, key in keys.items() if seen[key] > 1)


def _of_the_row_above(table: Table, data: Sequence[int]) -> Iterator[int]:
    """Yield rows that compare what a row above names, where it is unsure which of them."""
    for row in data:
        is_below = row - 1 in data
        if is_below and compares(table, row) and compared_row(table, row) is None:
            yield row


def _captions(table: Table, data: Sequence[int]) -> Iterator[int]:
    """Yield rows that are the caption of another table."""
    for row in data:
        texts = [cell for cell in table.rows[row] if cell]
        if len(texts) == 1 and is_caption(texts[0]):
            yield row


def _of_other_headings(table: Table, data: Sequence[int]) -> Iterator[int]:
    """Yield the rows below a second header, and below a second of the titles over a header.

    A table printed in parts names its columns again ("AUC (ng/mL)" after "AUC (mcg/mL)"), counts
    its patients again, or has a row with nothing but a heading over several of its columns.
    """
    wide = {m.row: m.column for m in table.merged if m.columns > 1 and m.column > 0}
    header = table.rows[: table.header_rows]
    titled = len(header) > 1 and any(
        row[0] and not any(row[1:]) and not is_caption(row[0]) for row in header
    )
    starts = [*table.group_rows[:1]] if titled else []
    for row in data:
        cells = [(column, cell) for column, cell in enumerate(table.rows[row]) if cell]
        same = sum(prints_heading(table, column, cell) for column, cell in cells)
        again = table.rows[row : row + len(header)]
        in_part = _LEAST_REPEATED <= same < len(cells)
        is_heading = row in wide and len(cells) == 1 and not _NUMBER.search(cells[0][1])
        counts = bool(header) and _counts_people(header[-1]) and _counts_people(table.rows[row])
        if is_heading and heading_row(table, row + 1, wide[row]) == row:
            yield row  # it is known what it heads
        elif (
            counts
            or is_heading
            or in_part
            or (header and again[0] == header[0] and again != header)
        ):
            starts.append(row)
    yield from (row for row in data if starts and row >= min(starts))


def _counts_people(row: Sequence[str]) -> bool:
    """Return whether each value of a row is a number of patients, as below names of groups."""
    values = [cell for cell in row[1:] if cell]
    return bool(row[0] and values) and all(map(_COUNT.match, values))


def _stacked(table: Table, data: Sequence[int]) -> Iterator[int]:
    """Yield rows with several figures in a cell, and rows whose label is a number of patients.

    Several printed rows whose lines are lost, and cells that moved to the left.
    """
    for row in data:
        plain = [re.sub(r"\([^()]*\)", " ", cell).strip() for cell in table.rows[row][1:]]
        if any(map(_SEVERAL.fullmatch, plain)) or _COUNT.match(table.rows[row][0]):
            yield row


def _without_number(label: str) -> str:
    return " ".join(re.sub(r"[\d.]+", "#", label).casefold().split()[:2])
