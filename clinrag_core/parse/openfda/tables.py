"""Tables of an openFDA answer, put back into the text that repeats their cells.

A field `x_table` has the tables of the field `x` in SPL's markup; `x` has the same words on one
line. If both agree letter by letter the line becomes the table; a table that cannot be read or
located stays that line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lxml import etree

from clinrag_core.acquire.spl_header import NAMESPACE, safe_parser
from clinrag_core.parse.assemble.flow import Piece
from clinrag_core.parse.spl.narrative import read_pieces
from clinrag_core.parse.spl.xml import INVISIBLE, raw_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

_PRINTED = re.compile(rf"[^\s{INVISIBLE}]+")
# Shorter ones are in the text by chance.
_MIN_LETTERS = 12


@dataclass(frozen=True)
class FlatTable:
    """A table: its letters as the text repeats them, and its blocks."""

    letters: str
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class PlacedTable:
    """A table and the span of the text that repeats it."""

    start: int
    end: int
    table: FlatTable


def read_table(markup: str) -> FlatTable | None:
    """Return the table of one value of an `x_table` field; None if it is not well-formed.

    No entity is resolved and nothing is fetched: the markup is untrusted.
    """
    text = f'<text xmlns="{NAMESPACE}">{markup}</text>'
    try:
        element = etree.fromstring(text.encode(), safe_parser())
    except etree.XMLSyntaxError:
        return None  # its words are in the field's text as well
    pieces = tuple(piece for piece in read_pieces(element) if piece.kind != "image")
    return FlatTable("".join(_PRINTED.findall(raw_text(element))), pieces)


def place_tables(text: str, tables: Collection[FlatTable]) -> list[PlacedTable]:
    """Return the tables that a text contains with their spans, in order."""
    if not tables:
        return []
    positions = [i for match in _PRINTED.finditer(text) for i in range(*match.span())]
    letters = "".join(text[i] for i in positions)
    placed: list[PlacedTable] = []
    usable = (t for t in tables if t.pieces and len(t.letters) >= _MIN_LETTERS)
    # The longest first: a small table may repeat a part of a large one.
    for table in sorted(usable, key=lambda t: -len(t.letters)):
        at = letters.find(table.letters)
        while at >= 0:
            start, end = positions[at], positions[at + len(table.letters) - 1] + 1
            if not any(p.start < end and start < p.end for p in placed):
                placed.append(PlacedTable(start, end, table))
                break
            at = letters.find(table.letters, at + 1)
    return sorted(placed, key=lambda p: p.start)


def between(
    text: str, placed: Iterable[PlacedTable], start: int, end: int
) -> Iterator[str | PlacedTable]:
    """Yield the runs of prose and the tables in a span of a text, in order."""
    for table in placed:
        if start <= table.start and table.end <= end:
            yield text[start : table.start]
            yield table
            start = table.end
    yield text[start:end]
