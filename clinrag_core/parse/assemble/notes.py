"""Footnotes of a section: which pieces are notes, their labels, and which calls lead to them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from clinrag_core.parse.assemble.flow import MARKED, NOTE, part_of
from clinrag_core.parse.assemble.raised import is_note, labels_in, split_notes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from clinrag_core.model.section import Block, Call
    from clinrag_core.parse.assemble.flow import Piece

_RAISED_LABEL = re.compile(rf"\s*{MARKED.pattern}")
_PRINTED_LABEL = re.compile(r"([*†‡§¶#‖]{1,4})|(\d{1,3}|[a-z])[.):]?\s")
_SIGN = re.compile(r"[*†‡§¶#‖]{1,4}\s*[^\s*†‡§¶#‖]")


def with_notes(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Pieces in which every note is a footnote of its own.

    A paragraph begins with notes if it begins with a raised label, or right after a table or
    another note with the sign of one; a line of it without a label is a paragraph again.
    """
    last = ""
    for piece in pieces:
        signed = last in ("table", "footnote") and _SIGN.match(piece.text)
        if piece.kind == "footnote":
            yield from (part_of(piece, note) for note in split_notes(piece.text))
        elif piece.kind == "paragraph" and (signed or is_note(piece.text)):
            for line in piece.text.strip().split("\n"):
                if is_note(line) or _SIGN.match(line):
                    notes = split_notes(line)
                    yield from (replace(part_of(piece, note), kind="footnote") for note in notes)
                    last = "footnote"
                else:
                    yield part_of(piece, line)
                    last = piece.kind
            continue
        else:
            yield piece
        last = piece.kind


def label_of(text: str) -> str | None:
    """Label that the marked text of a footnote begins with; None where it has none."""
    if match := _RAISED_LABEL.match(text):
        return None if match[1].startswith(NOTE) else match[1].strip() or None
    match = _PRINTED_LABEL.match(text)
    return (match[1] or match[2]) if match else None


def link_calls(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Return blocks whose calls name the footnotes they lead to.

    A table's notes follow it, and another table has its own 'a': a call leads to a note between
    the same two captions (or tables without one).
    """
    if not any(block.calls for block in blocks):
        return tuple(blocks)
    by_id = {b.xml_id: i for i, b in enumerate(blocks) if b.kind == "footnote" and b.xml_id}
    scopes = _scopes(blocks)
    notes: dict[tuple[int, str], int] = {}
    for index, (block, scope) in enumerate(zip(blocks, scopes, strict=True)):
        if block.label:
            for label in labels_in(block.label):
                notes.setdefault((scope, label), index)
    return tuple(
        block.model_copy(update={"calls": tuple(_linked(block.calls, scope, notes, by_id))})
        if block.calls
        else block
        for block, scope in zip(blocks, scopes, strict=True)
    )


def _linked(
    calls: Iterable[Call], scope: int, notes: dict[tuple[int, str], int], by_id: dict[str, int]
) -> Iterator[Call]:
    """Calls with their footnotes; one by id whose note is not in the section is left out."""
    for call in calls:
        if not call.label.startswith(NOTE):
            found = (notes.get((scope, label)) for label in labels_in(call.label))
            yield call.model_copy(update={"notes": tuple(n for n in found if n is not None)})
        elif (note := by_id.get(call.label.removeprefix(NOTE))) is not None:
            yield call.model_copy(update={"label": "", "notes": (note,)})


def _scopes(blocks: Sequence[Block]) -> list[int]:
    """Return the number of the stretch of notes each block belongs to."""
    scope = 0
    scopes: list[int] = []
    before = ""
    for block in blocks:
        if block.kind == "caption" or (block.kind == "table" and before != "caption"):
            scope += 1
        scopes.append(scope)
        before = block.kind
    return scopes
