"""Pieces of one section -> its text and blocks: the same conventions for every format.

Blocks are separated by a blank line, rows of a table by a newline and its cells by a tab. Calls to
notes leave the text; a list item knows the words that introduce its list.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.model.section import Block, Call, TextPlace
from clinrag_core.model.table import Table
from clinrag_core.parse.assemble.flow import Piece
from clinrag_core.parse.assemble.grid import lay_out
from clinrag_core.parse.assemble.notes import label_of, link_calls, with_notes
from clinrag_core.parse.assemble.raised import labels_in, read
from clinrag_core.text.sentences import sentence_spans

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clinrag_core.parse.assemble.grid import TableGrid

SEPARATOR = "\n\n"
_LABEL_WORDS = 8
"""Words of a line that heads a list although it ends in no colon: 'Children of 10 to 14 years'.
No line of the seven guidelines tried depends on it, whatever the number."""
_SENTENCE_END = re.compile(r"[.!?][\"'”’)\]]*\s*(?:[(\[][^()\[\]]{1,40}[)\]]\s*)?$")
"""A reference may come after the stop: 'Stop the drug. (5.1)'."""
_FOLLOWS = re.compile(
    r"\b(?:the|these) following (?:are\b|(?:[\w-]+ ){0,2}?(?:[\w-]+s|people|criteria)\b)"
    r"|\bas follows\b",
    re.IGNORECASE,
)
"""What a sentence that introduces a list says of it."""


def write_blocks(pieces: Iterable[Piece], *, repeat_cells: bool) -> tuple[str, tuple[Block, ...]]:
    """Return the text of a section and its blocks.

    Pieces without text are left out, images are kept. For `repeat_cells` see `grid.lay_out`.
    """
    parts = list(_parts(pieces, repeat_cells))
    notes = frozenset(
        label
        for piece, _ in parts
        if piece.kind == "footnote"
        for label in labels_in(label_of(piece.text) or "")
    )
    texts: list[str] = []
    blocks: list[Block] = []
    length = 0
    for piece, grid in parts:
        start = length + len(SEPARATOR) if texts else 0
        image = piece.kind == "image"
        table: Table | None = None
        if grid:
            text, calls, table = _table(piece, grid, start, notes)
        else:
            text, labels = read(piece.text, notes)
            calls = [Call(label=label, at=start + at) for label, at in labels]
        if not image and not text.strip():
            continue
        if image:
            start = length
        else:
            texts.append(text)
            length = start + len(text)
        blocks.append(
            Block(
                kind=piece.kind,
                start=start,
                end=length,
                page=piece.place.page,
                page_label=piece.place.page_label,
                box=piece.place.box,
                places=_places(piece, grid, table, start, length),
                xml_id=piece.place.xml_id,
                table=table,
                recommendation=piece.recommendation,
                calls=(*(Call(label=label) for label in piece.calls), *calls),
                label=label_of(piece.text) if piece.kind == "footnote" else None,
                lead_in=_lead_in(blocks, texts, piece) if piece.kind == "list_item" else None,
                image=piece.image,
            )
        )
    return SEPARATOR.join(texts), link_calls(blocks)


def _parts(pieces: Iterable[Piece], repeat_cells: bool) -> Iterator[tuple[Piece, TableGrid | None]]:
    """Yield pieces, tables with their grid; notes printed inside a table follow it."""
    for piece in with_notes(pieces):
        if piece.kind != "table":
            yield piece, None
            continue
        grid = lay_out(piece, repeat=repeat_cells)
        if grid.rows:
            yield piece, grid
        notes = (Piece("footnote", note, piece.place) for note in grid.notes)
        yield from ((note, None) for note in with_notes(notes))


def _table(
    piece: Piece, grid: TableGrid, start: int, notes: frozenset[str]
) -> tuple[str, list[Call], Table]:
    """Return a table's text, the calls in it and its record."""
    rows: list[tuple[str, ...]] = []
    spans: list[tuple[int, int]] = []
    calls: list[Call] = []
    at = start
    for marked in grid.rows:
        row: list[str] = []
        begin = at
        for cell in marked:
            text, found = read(cell, notes)
            calls += [Call(label=label, at=at + offset) for label, offset in found]
            row.append(text)
            at += len(text) + 1
        rows.append(tuple(row))
        spans.append((begin, at - 1))
    table = Table(
        caption=read(piece.caption)[0],
        header_rows=grid.header_rows,
        rows=tuple(rows),
        row_spans=tuple(spans),
        merged=grid.merged,
        group_rows=grid.group_rows,
        unsure_rows=tuple(n for n, row in enumerate(grid.sources) if row in piece.unsure),
    )
    return "\n".join("\t".join(row) for row in rows), calls, table


def _places(
    piece: Piece, grid: TableGrid | None, table: Table | None, start: int, end: int
) -> tuple[TextPlace, ...]:
    """Return where the parts of a piece are, if it is in several places."""
    if grid is not None and table is not None:
        of_row = dict(piece.places)
        rows = zip(grid.sources, table.row_spans, strict=True)
        starts = [(span[0], of_row.get(row)) for row, span in rows]
    else:
        starts = [(min(start + at, end), place) for at, place in piece.places]
    return tuple(
        TextPlace(start=at, page=place.page, page_label=place.page_label, box=place.box)
        for at, place in starts
        if place is not None and place.page is not None and place.box is not None
    )


def _lead_in(blocks: list[Block], texts: list[str], item: Piece) -> tuple[int, int] | None:
    """Span of the words that introduce the list an item belongs to; None where there are none.

    An item after another has its words; before the first, an unfinished last sentence ('Do not
    give to:') or a caption introduces the list; so does a whole one that says so ('in the following
    groups; if given, with caution.'). A list in a box or with tab stops needs a colon or a short
    label: what is above it by chance does not introduce it.
    """
    before = [b for b in blocks[-3:] if b.kind not in ("image", "footnote")]
    if not before:
        return None
    last = before[-1]
    if last.kind == "list_item":
        return None if item.opens else last.lead_in
    if last.kind not in ("paragraph", "caption", "recommendation"):
        return None
    if last is not blocks[-1] and blocks[-1].kind == "footnote":
        return None
    text = texts[-2]
    begin, end = sentence_spans(text)[-1]
    by_chance = item.opens and not text.endswith(":") and len(text.split()) > _LABEL_WORDS
    is_whole = _SENTENCE_END.search(text[begin:end]) and not _FOLLOWS.search(text[begin:end])
    if by_chance or is_whole:
        return None
    return last.start + begin, last.start + end
