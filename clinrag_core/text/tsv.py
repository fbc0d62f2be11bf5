"""Tables of tab-separated text with a header, as spreadsheets and `cut` read and write them. Pure.

A cell is one line without tabs. A spreadsheet quotes cells that hold quotation marks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class TsvRow(NamedTuple):
    """The cells of a line, missing ones at its end empty."""

    line: int
    """From 1, the header's."""
    cells: tuple[str, ...]


class Tsv(NamedTuple):
    """A header and the lines below it that are not blank."""

    header: tuple[str, ...]
    rows: tuple[TsvRow, ...]


def parse_tsv(text: str) -> Tsv:
    """Read a table; a row with more cells than the header keeps them all."""
    first, *others = text.removeprefix("\ufeff").split("\n")
    header = _cells(first)
    rows: list[TsvRow] = []
    for number, line in enumerate(others, start=2):
        if line.strip():
            cells = _cells(line)
            rows.append(TsvRow(number, cells + ("",) * (len(header) - len(cells))))
    return Tsv(header, tuple(rows))


def write_tsv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write a table; white space in a cell becomes one space."""
    lines = [header, *rows]
    return "".join("\t".join(_cell(str(cell)) for cell in line) + "\n" for line in lines)


def _cell(text: str) -> str:
    """Return a cell as a line can hold it; in quotation marks if it would be changed otherwise."""
    plain = " ".join(text.split())
    return '"' + plain.replace('"', '""') + '"' if plain.startswith('"') else plain


def _cells(line: str) -> tuple[str, ...]:
    return tuple(_unquoted(cell.strip()) for cell in line.split("\t"))


def _unquoted(cell: str) -> str:
    """Return a cell without the quotation marks of a spreadsheet, if it has them."""
    inner = cell[1:-1]
    is_quoted = len(cell) > 1 and cell[0] == cell[-1] == '"' and '"' not in inner.replace('""', "")
    return inner.replace('""', '"') if is_quoted else cell
