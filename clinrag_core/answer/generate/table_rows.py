"""A table row as a claim: every cell with its column's heading, both of them cited.

"20 to 40 mg/kg" from a row says nothing without "twice a week" at the head of its column. A row
with figures whose headings cannot be cited is no claim.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.facts.quantities import quantities

if TYPE_CHECKING:
    from clinrag_core.model.chunk import Chunk


class Row(NamedTuple):
    """What a row says, and the spans of the passage's text that say it."""

    text: str
    spans: tuple[tuple[int, int], ...]


def row_claim(chunk: Chunk, start: int, end: int) -> Row | None:
    """Return the claim of the row at a span of a passage; None where it says nothing alone."""
    text = chunk.text[start:end]
    cells = [cell.strip() for cell in text.split("\t") if cell.strip()]
    for line in chunk.embed_text.split("\n"):
        headings = _headings(line, cells)
        if headings is not None:
            where = _heading_row(chunk.text, start, headings)
            if where is not None:
                return Row(line, (where, (start, end)))
    return None if quantities(text) else Row(text, ((start, end),))


def _headings(line: str, cells: list[str]) -> list[str] | None:
    """Return the headings of "Heading: cell; Heading: cell"; None where other cells are in it."""
    headings: list[str] = []
    at = 0
    for number, cell in enumerate(cells):
        found = line.find(f": {cell}", at)
        if found < 0:
            return None
        headings.append(line[at:found])
        at = found + len(cell) + 2
        if number < len(cells) - 1:
            if not line.startswith("; ", at):
                return None
            at += 2
    return headings if at == len(line) and cells else None


def _heading_row(text: str, before: int, headings: list[str]) -> tuple[int, int] | None:
    """Return the nearest row above whose cells are the headings."""
    at = 0
    found: tuple[int, int] | None = None
    for line in text[:before].split("\n"):
        cells = [cell.strip() for cell in line.split("\t") if cell.strip()]
        if cells == headings:
            found = (at, at + len(line))
        at += len(line) + 1
    return found
