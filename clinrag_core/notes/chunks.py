"""Cuts sections into chunks as the seed does: 1,500 characters, 200 shared, 3,000 at most.

A cut is at the end of a paragraph, or of a sentence in a paragraph above the maximum; a sentence
above the maximum is cut at a word. Offsets are those of the note, so `note[start:end] == text`.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from clinrag_core.notes.records import NoteChunk
from clinrag_core.text.sentences import sentence_spans

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.notes.records import NoteSection

SIZE = 1_500
OVERLAP = 200
MAXIMUM = 3_000
"""Characters of a chunk, of what two share, and of a paragraph that is never cut (seed 003)."""
_PARAGRAPH = re.compile(r"(?:\r\n|\r|\n)[^\S\r\n]*(?:\r\n|\r|\n)\s*")
_WORD_START = re.compile(r"(?<=\s)\S")
_JOINERS = frozenset("\u200d\ufe0f")


def cut_chunks(note: str, sections: Sequence[NoteSection]) -> tuple[NoteChunk, ...]:
    """Return the chunks of a note, in order; together they cover every character."""
    chunks: list[NoteChunk] = []
    for section in sections:
        for start, end in _spans(note, section.start, section.end):
            chunks.append(
                NoteChunk(
                    id=f"chunk_{len(chunks)}",
                    section_title=section.title,
                    start=start,
                    end=end,
                    text=note[start:end],
                )
            )
    return tuple(chunks)


def _spans(note: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the spans of a section's chunks; all but the first share text with the one before."""
    if end - start <= SIZE:
        return [(start, end)] if end > start else []
    spans: list[tuple[int, int]] = []
    at = start
    last = start
    for piece in _pieces(note, start, end):
        if last > at and piece - at > SIZE:
            spans.append((at, last))
            at = _overlap(note, at, last, piece)
        last = piece
    spans.append((at, end))
    return spans


def _pieces(note: str, start: int, end: int) -> list[int]:
    """Return the ends of the pieces that no cut may divide: paragraphs, else sentences, words."""
    ends: list[int] = []
    cuts = [*(m.end() for m in _PARAGRAPH.finditer(note, start, end)), end]
    at = start
    for cut in dict.fromkeys(cuts):
        if cut - at <= MAXIMUM:
            ends.append(cut)
        else:
            ends += _inside_paragraph(note, at, cut)
        at = cut
    return ends


def _inside_paragraph(note: str, start: int, end: int) -> list[int]:
    """Return the ends of the sentences of a long paragraph; of words of a sentence too long."""
    starts = [start + a for a, _ in sentence_spans(note[start:end])][1:]
    ends: list[int] = []
    at = start
    for cut in [*starts, end]:
        while cut - at > MAXIMUM:
            at = _word_end(note, at, at + SIZE)
            ends.append(at)
        ends.append(cut)
        at = cut
    return ends


def _word_end(note: str, start: int, most: int) -> int:
    """Return a place to cut at or before `most`: the last word start, else between characters."""
    words = [m.start() for m in _WORD_START.finditer(note, start + 1, most)]
    if words:
        return words[-1]
    cut = most
    while cut > start + 1 and _belongs(note[cut - 1], note[cut]):
        cut -= 1
    return cut


def _belongs(before: str, char: str) -> bool:
    """Return whether a character is a part of the one before it."""
    if char in _JOINERS or before in _JOINERS or (before == "\r" and char == "\n"):
        return True
    return unicodedata.combining(char) != 0


def _overlap(note: str, start: int, end: int, next_end: int) -> int:
    """Return where the next chunk starts: at a word within the last 200 characters, if it fits."""
    least = max(start + 1, end - OVERLAP, next_end - MAXIMUM)
    word = _WORD_START.search(note, least, end)
    return word.start() if word else end
