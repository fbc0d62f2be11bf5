"""Validates what an item cites: form, chunk, title, range and text, each with a code of its own.

An item must cite one whole unit and say what the unit says. A range that is no unit, or a text that
is that of another unit, is refused even where it lies inside the chunk that is named.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.notes.item_gates import item_problem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.gates.protocol import Gate
    from clinrag_core.notes.records import NoteChunk, NoteSection, NoteUnit

_SOURCE = re.compile(
    r"(?P<title>.+) section, (?P<chunk>chunk_(?:0|[1-9][0-9]*)):"
    r"(?P<start>0|[1-9][0-9]{0,8})-(?P<end>[1-9][0-9]{0,8})",
    re.DOTALL,
)
NOT_CITED = "no_citation"
BAD_FORMAT = "bad_format"
UNKNOWN_CHUNK = "unknown_chunk"
SECTION_MISMATCH = "section_mismatch"
OUT_OF_BOUNDS = "range_out_of_bounds"
NOT_A_UNIT = "range_not_a_unit"
WRONG_UNIT = "wrong_unit"
TEXT_MISMATCH = "text_mismatch"
NOT_IN_SUMMARY = "source_not_in_summary"


class ParsedSource(NamedTuple):
    """The parts of a source."""

    title: str
    chunk: str
    start: int
    end: int


def source_of(title: str, chunk: str, start: int, end: int) -> str:
    """Return a source as items print it."""
    return f"{title} section, {chunk}:{start}-{end}"


def parse_source(source: str) -> ParsedSource | None:
    """Return the parts of a source; None where it has another form."""
    match = _SOURCE.fullmatch(source)
    if match is None:
        return None
    return ParsedSource(match["title"], match["chunk"], int(match["start"]), int(match["end"]))


def start_of(source: str) -> int:
    """Return where in the note a source begins; 0 where it has another form."""
    parsed = parse_source(source)
    return parsed.start if parsed else 0


class ReadNote(NamedTuple):
    """A note with its sections, chunks and units."""

    text: str
    sections: tuple[NoteSection, ...]
    chunks: tuple[NoteChunk, ...]
    units: tuple[NoteUnit, ...]

    def source(self, unit: NoteUnit) -> str:
        """Return the source that cites a unit."""
        chunk = self.chunks[unit.chunk]
        return source_of(chunk.section_title, chunk.id, unit.start, unit.end)

    def said(self, unit: NoteUnit) -> str:
        """Return the text of a unit."""
        return self.text[unit.start : unit.end]


class CitationChecker:
    """Checks items and fields against one note.

    `quoting`: whether a text must be that of its unit; else the gates decide whether it says the
    same, and the range may be that of the whole chunk, as the seed has it.
    """

    def __init__(self, note: ReadNote, gates: Sequence[Gate] = (), *, quoting: bool) -> None:
        self._note = note
        self._gates = gates
        self._quoting = quoting
        self._chunks = {chunk.id: chunk for chunk in note.chunks}
        self._units = {(unit.start, unit.end): unit for unit in note.units}

    @cached_property
    def _texts(self) -> frozenset[str]:
        return frozenset(self._note.said(unit) for unit in self._note.units)

    def problem(self, text: str, source: str) -> str | None:
        """Return the code of what is wrong with a text and its source; None if nothing is."""
        if not source.strip():
            return NOT_CITED
        parsed = parse_source(source)
        if parsed is None:
            return BAD_FORMAT
        return self._place_problem(parsed) or self._text_problem(text, parsed)

    def _place_problem(self, parsed: ParsedSource) -> str | None:
        """Return what is wrong with the place that is cited."""
        chunk = self._chunks.get(parsed.chunk)
        if chunk is None:
            return UNKNOWN_CHUNK
        if parsed.title != chunk.section_title:
            return SECTION_MISMATCH
        if not chunk.start <= parsed.start < parsed.end <= chunk.end:
            return OUT_OF_BOUNDS
        span = parsed.start, parsed.end
        is_chunk = not self._quoting and span == (chunk.start, chunk.end)
        return None if is_chunk or span in self._units else NOT_A_UNIT

    def _text_problem(self, text: str, parsed: ParsedSource) -> str | None:
        """Return what a text says that the unit it cites does not."""
        cited = self._note.text[parsed.start : parsed.end]
        if text == cited:
            return None
        if not text.strip():
            return TEXT_MISMATCH
        if text in self._texts:
            return WRONG_UNIT
        section = next(s for s in self._note.sections if s.start <= parsed.start < s.end)
        gates = () if self._quoting else self._gates
        problem = item_problem(text, cited, section.kind, gates, quoting=self._quoting)
        return problem or (TEXT_MISMATCH if self._quoting else None)
