"""How many rows at the top of a table are its header, where nothing but their content says so.

A third of the tables of real labels mark no header at all. A row is read as a header only where it
cannot be data, since a wrong heading above a dose is worse than none.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clinrag_core.model.table import MergedCell

    Rows = Sequence[tuple[str, ...]]

# Header rows: more of them would be data. No table of the seven guidelines tried reaches it.
MOST_LEVELS = 4
_LONGEST = 200  # characters of a heading; cells of prose are longer
_VALUE = re.compile(
    r"[(\[<>≤≥~±−–-]*\s*\d|[-−–—]+$|(?:yes|no|none|nr|na|n/a|nd|ne)\b|[↑↓↔]", re.IGNORECASE
)
_COUNT = re.compile(r"\(?\s*n\s*=\s*[\d,]+|\(?%\)?$|n\s*\(%\)", re.IGNORECASE)
_OF_PEOPLE = re.compile(
    r"\b(?:numbers?|no|totals?|patients|subjects|participants|women|sample|size|randomi[sz]ed|n)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[.;:!?]$")


def header_by_content(rows: Rows, *, captioned: bool) -> int:
    """Return the number of header rows; 0 if no row is surely one.

    Headings hold no values, and one of these holds: their corner is empty; the cells below them are
    mostly values; the table has a caption, three columns or more and a heading over each. A first
    row of one cell above such a row heads the whole table.
    """
    titled = len(rows) > 1 and not any(rows[0][1:])
    first = int(titled)
    levels = first
    while levels < min(first + MOST_LEVELS, len(rows) - 1) and _is_level(
        rows[levels], is_first=levels == first
    ):
        levels += 1
    body = [row for row in rows[levels:] if any(row[1:])]
    if levels == first or not body:
        return 0
    cells = [cell for row in body for cell in row[1:] if cell]
    values = sum(map(_is_value, cells))
    corner, top = rows[first][0], rows[first]
    # Two cells are a name and its value as often as two column titles.
    named = len(top) > 2 and all(top) and not any(map(_SENTENCE.search, top))  # noqa: PLR2004
    is_header = not corner or 2 * values >= len(cells) or (named and (captioned or titled))
    return levels if is_header else 0


def lower_levels(rows: Rows, header: int, merged: Iterable[MergedCell]) -> int:
    """Return the number of header rows with those below headings that span several columns.

    "Placebo" over two columns needs "baseline" and "week 24" below it; so do counts of patients.
    """
    cells = tuple(merged)
    width = len(rows[0]) if rows else 0
    spanning = {m.row + m.rows - 1 for m in cells if 1 < m.columns < width}
    while 0 < header < len(rows) - 1 and (
        _is_level(rows[header], is_first=header - 1 in spanning)
        or _counts_people(rows[header - 1], rows[header:])
        or _repeats(rows[header], [m for m in cells if m.row + m.rows == header])
    ):
        header += 1
    return header


def _counts_people(above: tuple[str, ...], body: Rows) -> bool:
    """Return whether a row names the labels and counts people, below headings without a name.

    "Adverse reaction | (n = 333) | (n = 351)" is a header, "Number of patients | n = 333" is data,
    and where a later row counts again each count is of the rows below it.
    """
    counting = [
        row
        for row in body
        if row[0] and any(row[1:]) and all(_COUNT.match(cell) for cell in row[1:] if cell)
    ]
    return not above[0] and counting == [body[0]] and not _OF_PEOPLE.search(body[0][0])


def _repeats(row: tuple[str, ...], above: Iterable[MergedCell]) -> bool:
    """Return whether each heading that spans columns has the same different words below it."""
    spanning = [m for m in above if m.columns > 1 and m.column > 0]
    below = {row[m.column : m.column + m.columns] for m in spanning}
    (first, *others) = below or {()}
    return (
        len(spanning) > 1
        and not others
        and len(set(first)) == len(first)
        and all(re.search("[A-Za-z]", cell) for cell in first)
    )


def _is_level(row: tuple[str, ...], *, is_first: bool) -> bool:
    """Return whether a row holds headings; below the first, counts under an empty corner."""
    own = [cell for cell in row[1:] if cell]
    if not own or any(_is_value(cell) or len(cell) > _LONGEST for cell in own):
        return False
    return is_first or (not row[0] and all(map(_COUNT.match, own)))


def _is_value(cell: str) -> bool:
    return _VALUE.match(cell) is not None and _COUNT.match(cell) is None
