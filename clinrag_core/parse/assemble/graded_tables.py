"""Tables whose rows are recommendations, with their class or grade in columns of their own.

ACC/AHA prints 'COR | LOE | Recommendations', ESC 'Recommendations | Class | Level', USPSTF
'Population | Recommendation | Grade'. A row is a statement with its grade: one recommendation.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.model.section import Recommendation
from clinrag_core.parse.assemble.flow import Piece
from clinrag_core.parse.assemble.grades import tidy
from clinrag_core.parse.assemble.grid import lay_out

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_STATEMENT = re.compile(
    r"(?:(?:key|graded|clinical)\s+)?(?:recommendations?|statements?|guidance)(?:\s+statements?)?\W*\d*$",
    re.IGNORECASE,
)
_STRENGTH = re.compile(
    r"(?:COR\b|class\b|grade\b|strength\b(?!\s+of\s+(?:the\s+)?evidence))"
    r"(?:\s+of\s+(?:the\s+)?recommendations?)?(?:\s*\(.{1,12}\))?\W*[a-z]?$",
    re.IGNORECASE,
)
_CERTAINTY = re.compile(
    r"(?:LOE\b|level\b|(?:certainty|quality|strength|level)\s+of\s+(?:the\s+)?evidence"
    r"|evidence(?:\s+(?:level|quality|grade))?)(?:\s*\(.{1,12}\))?\W*[a-z]?$",
    re.IGNORECASE,
)
_CLASS = re.compile(
    r"(?:class\s+)?(?P<class>I{1,3}[ab]?|[123][ab]?)(?:\s*[:(]?\s*(?:no benefit|harm)\)?)?$",
    re.IGNORECASE,
)
_GRADE = re.compile(
    r"(?:strong|conditional|weak|[A-DI])(?:\s+(?:for|against|recommendation))?$", re.I
)
_EVIDENCE = re.compile(
    r"(?:[A-C](?:-(?:R|NR|LD|EO))?|D|E|I{1,3}|IV|[1-4]|very low|low|moderate|high)$", re.IGNORECASE
)
# Shares and words: no table of the seven guidelines tried depends on either.
_GRADED = 0.8  # of the rows have a grade in the column of grades
_NUMBER = re.compile(r"(?P<number>\d{1,2}(?:\.\d{1,2}){0,3})[.)]?\s+(?=[A-Z])")
_SENTENCE = 5  # words of a statement at least


_TITLES = re.compile(r"(?:COR|class)\s+(?:LOE|level)\s+recommendations?$", re.IGNORECASE)
_ROW = re.compile(
    r"(?P<class>I{1,3}[ab]?|[123][ab]?)(?::\s*(?:no benefit|harm))?\s+"
    r"(?P<level>[A-C](?:-(?:R|NR|LD|EO))?)\s+(?P<text>(?:(?P<number>\d{1,2})[.)]\s+)?[A-Z].+)",
    re.IGNORECASE | re.DOTALL,
)


class _Columns(NamedTuple):
    """Positions of the columns that make a table of recommendations."""

    statement: int
    strength: int
    certainty: int | None


def graded_rows(piece: Piece) -> list[Piece]:
    """Return the recommendations of a table of them, row groups as paragraphs; else the table.

    A table with rows that may be mixed up stays one: its grades may be those of other rows.
    """
    if piece.kind != "table" or piece.unsure:
        return [piece]
    grid = lay_out(piece, repeat=True)
    columns = _columns(grid.rows[: grid.header_rows])
    if columns is None:
        return [piece]
    body = range(grid.header_rows, len(grid.rows))
    records = {n: _record(grid.rows[n], columns) for n in body if n not in grid.group_rows}
    found = sum(record is not None for record in records.values())
    if not found or found < _GRADED * len(records):
        return [piece]
    header = [" ".join(filter(None, c)) for c in zip(*grid.rows[: grid.header_rows], strict=True)]
    out: list[Piece] = []
    places = dict(piece.places)
    for n in body:
        row, record = grid.rows[n], records.get(n)
        text = _text(row, header, columns) if record is not None else _joined(row)
        place = places.get(grid.sources[n], piece.place)
        kind = "paragraph" if record is None else "recommendation"
        out.append(
            replace(
                piece, kind=kind, text=text, place=place, rows=(), header_rows=None, caption="",
                places=(), recommendation=record,
            )
        )  # fmt: skip
    return [
        *out,
        *(replace(piece, kind="footnote", text=n, rows=(), places=()) for n in grid.notes),
    ]


def graded_pieces(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Yield pieces with tables of recommendations, ruled or printed line by line, as such."""
    titled = False
    for piece in pieces:
        row = _ROW.match(piece.text) if titled and piece.kind == "paragraph" else None
        titled = row is not None or bool(_TITLES.match(piece.text))
        if row is None or len(row["text"].split()) < _SENTENCE:
            yield from graded_rows(piece)
            continue
        record = Recommendation(
            number=row["number"],
            strength=f"class {row['class'].lower()}",
            certainty=row["level"].lower(),
        )
        yield replace(piece, kind="recommendation", recommendation=record)


def _columns(header: Sequence[Sequence[str]]) -> _Columns | None:
    """Return the columns of statements and grades; None if one of them is missing or not single."""
    if not header:
        return None
    titles = [
        " ".join(" ".join(filter(None, dict.fromkeys(c))).split())
        for c in zip(*header, strict=True)
    ]
    statement, strength, certainty = (
        [n for n, title in enumerate(titles) if pattern.match(title)]
        for pattern in (_STATEMENT, _STRENGTH, _CERTAINTY)
    )
    if len(statement) != 1 or len(strength) != 1 or len(certainty) > 1:
        return None
    return _Columns(statement[0], strength[0], certainty[0] if certainty else None)


def _record(row: Sequence[str], columns: _Columns) -> Recommendation | None:
    """Return what a row recommends; None if it has no grade or no sentence."""
    statement, strength = row[columns.statement].strip(), row[columns.strength].strip()
    certainty = row[columns.certainty].strip() if columns.certainty is not None else ""
    by_class = _CLASS.match(strength)
    if len(statement.split()) < _SENTENCE or not (by_class or _GRADE.match(strength)):
        return None
    if certainty and not _EVIDENCE.match(certainty):
        return None
    number = _NUMBER.match(statement)
    return Recommendation(
        number=number["number"] if number else None,
        strength=f"class {by_class['class'].lower()}" if by_class else tidy(strength),
        certainty=tidy(certainty) if certainty else None,
    )


def _text(row: Sequence[str], header: Sequence[str], columns: _Columns) -> str:
    """Return a statement, then what the other columns say of it under their titles."""
    others = [
        f"{title} {cell}".strip()
        for n, (title, cell) in enumerate(zip(header, row, strict=True))
        if n != columns.statement and cell
    ]
    return f"{row[columns.statement].strip()}\n{'; '.join(others)}"


def _joined(row: Sequence[str]) -> str:
    return " ".join(dict.fromkeys(cell.strip() for cell in row if cell.strip()))
