"""The flow: what every format turns its bytes into, and the only thing the assembler reads.

A document is a sequence of headings and pieces in reading order. The text of headings, pieces and
cells is plain text in which raised (superscript) runs are marked with `raised`; what a raised run
means is decided by the assembler, never by a format. Tables are cells, not yet a grid.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable

    from clinrag_core.model.section import (
        Audience,
        BlockKind,
        Image,
        Recommendation,
        SectionGroup,
        SectionRole,
    )

# Unicode noncharacters, reserved for use inside a program: they survive all cleaning of text.
RAISED = "\ufdd0"
LOWERED = "\ufdd1"
NOTE = "\ufdd2"  # before the id of a note, in a raised run that the format does not print itself
MARKED = re.compile(f"{RAISED}([^{RAISED}{LOWERED}]*){LOWERED}")
_NOTE_CALL = re.compile(f"{RAISED}{NOTE}[^{RAISED}{LOWERED}]*{LOWERED}")
_SHORT_RUN = re.compile(r"[^\w\s©]*\d?[^\w\s©]*")


def raised(text: str) -> str:
    """Return text marked as raised above the line, to be put into the text of a piece or cell."""
    return f"{RAISED}{text}{LOWERED}" if text else ""


def note_call(xml_id: str | None) -> str:
    """Mark of a call to the footnote with that id; its label is for a browser to choose."""
    return raised(NOTE + xml_id) if xml_id else ""


def with_raised(before: str, run: str) -> str:
    """Return text with a raised run after it, for markup that was printed with one element a line.

    White space with a line break between a word and a sign or single digit is layout of the file:
    nobody prints a space inside 100/mm³. Behind a full stop the run may be the label of a note.
    """
    stem = before.rstrip(" \t\r\n")
    attached = stem[-1:].isalnum() and _SHORT_RUN.fullmatch(run.strip())
    if attached and "\n" in before[len(stem) :]:
        before = stem
    return before + raised(run)


def unmarked(text: str) -> str:
    """Return text as printed, raised runs in line with the rest; for rules that look at wording."""
    if NOTE in text:
        text = _NOTE_CALL.sub("", text)
    return text.replace(RAISED, "").replace(LOWERED, "")


def without_raised(text: str) -> str:
    """Return text without its raised runs; for rules that look at how a text ends or begins."""
    return MARKED.sub("", text)


@dataclass(frozen=True, slots=True)
class Place:
    """Where an item is in its source."""

    page: int | None = None
    page_label: str | None = None
    box: tuple[float, float, float, float] | None = None
    xml_id: str | None = None


NOWHERE = Place()


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; level 1 is the highest, level 0 the document's own title."""

    title: str
    level: int
    place: Place = NOWHERE
    role: SectionRole | None = None


@dataclass(frozen=True, slots=True)
class SectionStart:
    """A section of a format that codes its sections: path and role are known, not inferred."""

    path: tuple[str, ...]
    role: SectionRole = "body"
    place: Place = NOWHERE
    own_loinc: str | None = None
    loinc: str | None = None
    group: SectionGroup | None = None
    audience: Audience = "clinician"
    effective: dt.date | None = None


class Cell(NamedTuple):
    """A cell of a table in the row in which it begins."""

    text: str
    rows: int = 1
    columns: int = 1
    header: bool = False


Row = tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """A paragraph, list item, table, ...; a table has rows instead of text, an image neither.

    `header_rows` is given where the format knows it otherwise than by the cells' `header`.
    `calls` are labels of calls to notes that the format has already taken out of the text. `places`
    are given for a piece that is in several: each with the offset in the text, or the position of
    the row, from which it holds. `unsure` are positions of rows whose cells may be of other rows.
    `opens` says that an item begins a list of its own, whatever list is above it.
    """

    kind: BlockKind
    text: str = ""
    place: Place = NOWHERE
    rows: tuple[Row, ...] = ()
    header_rows: int | None = None
    caption: str = ""
    recommendation: Recommendation | None = None
    calls: tuple[str, ...] = ()
    role: SectionRole | None = None
    image: Image | None = None
    places: tuple[tuple[int, Place], ...] = ()
    unsure: tuple[int, ...] = ()
    opens: bool = False


class BoxEdge(Enum):
    """A box with headings of its own: text after it continues the section open before it."""

    START = "start"
    END = "end"


Item = Heading | SectionStart | Piece | BoxEdge


def part_of(piece: Piece, text: str) -> Piece:
    """Return the piece with a part of its text, at the places where that part is."""
    if not piece.places:
        return replace(piece, text=text)
    start = max(piece.text.find(text), 0)
    before = [place for at, place in piece.places if at <= start]
    after = [(at - start, p) for at, p in piece.places if start < at < start + len(text)]
    first = before[-1] if before else piece.place
    return replace(piece, text=text, place=first, places=((0, first), *after) if after else ())


def joined(first: Piece, second: Piece, between: str) -> Piece:
    """Return the first piece with the text of the second after it, at the places of both."""
    start = len(first.text) + len(between)
    places = [*(first.places or ((0, first.place),))]
    places += [(start + at, place) for at, place in second.places or ((0, second.place),)]
    text = f"{first.text}{between}{second.text}"
    return replace(first, text=text, places=tuple(places))


def plain_rows(rows: Iterable[tuple[str, ...]], header_rows: int = 0) -> tuple[Row, ...]:
    """Return rows of cells without spans, the first `header_rows` of them header."""
    return tuple(
        tuple(Cell(text, header=index < header_rows) for text in row)
        for index, row in enumerate(rows)
    )
