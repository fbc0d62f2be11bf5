"""Marks the recommendations among the pieces of a guideline's section."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from clinrag_core.parse.assemble.recommendations import (
    is_grading_only,
    named_number,
    split_recommendations,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.parse.assemble.flow import Piece


def graded(pieces: Sequence[Piece], title: str) -> list[Piece]:
    """Pieces with recommendations marked; a strength on its own line joins the text it grades."""
    out: list[Piece] = []
    for piece in pieces:
        if piece.kind not in ("paragraph", "list_item", "recommendation"):
            out.append(piece)
            continue
        if not piece.text.strip():
            continue
        cut = _cut(piece)
        last = out[-1] if out else None
        if is_grading_only(cut[0].text) and last is not None and _may_be_graded(last):
            out[-1:] = _cut(replace(last, text=f"{last.text}\n{cut[0].text}"))
            cut = cut[1:]
        out.extend(cut)
    number = named_number(title)
    return [_numbered(p, number) for p in out] if number else out


def _may_be_graded(piece: Piece) -> bool:
    return piece.kind in ("paragraph", "list_item") and piece.recommendation is None


def _cut(piece: Piece) -> list[Piece]:
    if piece.recommendation is not None:
        return [piece]
    return [
        replace(piece, text=text)
        if found is None
        else replace(piece, text=text, kind="recommendation", recommendation=found)
        for text, found in split_recommendations(piece.text)
    ]


def _numbered(piece: Piece, number: str) -> Piece:
    found = piece.recommendation
    if found is None or found.number is not None:
        return piece
    return replace(piece, recommendation=found.model_copy(update={"number": number}))
