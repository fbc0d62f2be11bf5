"""Headings and pieces in reading order -> sections.

Every parser ends here, so paths, roles, spans and recommendations follow one rule whatever the
format. Pure: no parsing, no input or output.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from clinrag_core.model.section import Block, Section, SectionRole
from clinrag_core.model.table import Table
from clinrag_core.parse.assemble.flow import (
    NOWHERE,
    BoxEnd,
    BoxStart,
    Heading,
    Item,
    Piece,
    Place,
)
from clinrag_core.parse.assemble.recommendations import (
    is_grading_only,
    named_number,
    split_recommendations,
)
from clinrag_core.parse.assemble.repeats import link_repeats
from clinrag_core.parse.assemble.section_roles import role_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clinrag_core.model.section import TextSource

SEPARATOR = "\n\n"

# A bibliography holds none of these: what follows it has lost its heading, and is body.
_NOT_REFERENCES = ("table", "recommendation")


@dataclass(slots=True)
class _Open:
    path: tuple[str, ...]
    role: SectionRole
    place: Place
    pieces: list[Piece] = field(default_factory=list[Piece])
    headed: bool = False  # opened by a heading: it stays, even without text


def assemble(
    items: Iterable[Item], title: str, *, text_source: TextSource = "text_layer"
) -> tuple[Section, ...]:
    """Build the sections of a document.

    Text before the first heading goes to a section of path `(title,)`. A first heading of level 0,
    or one that repeats the title, opens such a section; it is not a parent of all others. A role
    given by a heading holds for its subsections too; a piece with a role of its own (a contents
    page, a copyright page) splits the section it stands in.
    """
    builder = _Builder(title)
    for item in items:
        builder.add(item)
    kept = [o for o in builder.done if o.pieces or o.headed]
    return link_repeats([_section(i, o, text_source) for i, o in enumerate(kept)])


class _Builder:
    """Opens and closes sections as headings and pieces come in."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._stack: list[tuple[Heading, SectionRole]] = []
        self._saved: tuple[list[tuple[Heading, SectionRole]], tuple[str, ...]] | None = None
        self.done: list[_Open] = [_Open((title,), "body", NOWHERE)]

    def add(self, item: Item) -> None:
        if isinstance(item, Heading):
            self.done.append(self._enter(item))
        elif isinstance(item, BoxStart):
            self._saved = (list(self._stack), self.done[-1].path)
        elif isinstance(item, BoxEnd):
            self._leave_box()
        elif isinstance(item, Piece):
            self._piece(item)

    def _enter(self, heading: Heading) -> _Open:
        stack = self._stack
        if not stack and (heading.level == 0 or _same(heading.title, self._title)):
            return _Open((heading.title,), "body", heading.place, headed=True)
        while stack and stack[-1][0].level >= heading.level:
            stack.pop()
        inherited: SectionRole = stack[-1][1] if stack else "body"
        role = heading.role or role_of(heading.title) or inherited
        stack.append((heading, role))
        return _Open(tuple(h.title for h, _ in stack), role, heading.place, headed=True)

    def _leave_box(self) -> None:
        if self._saved is None:
            return
        self._stack, path = self._saved
        self._saved = None
        self.done.append(_Open(path, self._role(), NOWHERE))

    def _piece(self, piece: Piece) -> None:
        current = self.done[-1]
        if current.role == "references" and piece.role is None and piece.kind in _NOT_REFERENCES:
            current = _Open(current.path, "body", piece.place)
            self.done.append(current)
        if piece.role is not None and piece.role != current.role:
            current = _Open(current.path, piece.role, piece.place)
            self.done.append(current)
        elif piece.role is None and current.pieces and current.pieces[-1].role is not None:
            current = _Open(current.path, self._role(), piece.place)
            self.done.append(current)
        if not current.pieces and not current.headed:
            current.place = piece.place
        current.pieces.append(piece)

    def _role(self) -> SectionRole:
        return self._stack[-1][1] if self._stack else "body"


def _same(a: str, b: str) -> bool:
    return _letters(a) == _letters(b)


def _letters(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())


def _section(ordinal: int, opened: _Open, text_source: TextSource) -> Section:
    pieces = _graded(opened.pieces, opened.path[-1]) if opened.role == "body" else opened.pieces
    parts: list[str] = []
    blocks: list[Block] = []
    length = 0
    for piece in pieces:
        text, table = _written(piece, length + (len(SEPARATOR) if parts else 0))
        if not text.strip():
            continue
        start = length + (len(SEPARATOR) if parts else 0)
        length = start + len(text)
        parts.append(text)
        place = piece.place
        blocks.append(
            Block(
                kind=piece.kind,
                start=start,
                end=length,
                page=place.page,
                page_label=place.page_label,
                box=place.box,
                xml_id=place.xml_id,
                table=table,
                recommendation=piece.recommendation,
                calls=piece.calls,
            )
        )
    return Section(
        ordinal=ordinal,
        path=opened.path,
        text=SEPARATOR.join(parts),
        blocks=tuple(blocks),
        role=opened.role,
        page=opened.place.page,
        page_label=opened.place.page_label,
        xml_id=opened.place.xml_id,
        text_source=text_source,
    )


def _written(piece: Piece, start: int) -> tuple[str, Table | None]:
    if piece.kind != "table":
        return piece.text.strip(), None
    rows = tuple(tuple(cell.text for cell in row) for row in piece.rows)
    lines = ["\t".join(row) for row in rows]
    spans: list[tuple[int, int]] = []
    for line in lines:
        spans.append((start, start + len(line)))
        start += len(line) + 1
    table = Table(
        caption=piece.caption,
        header_rows=piece.header_rows or 0,
        rows=rows,
        row_spans=tuple(spans),
    )
    return "\n".join(lines), table


def _graded(pieces: Sequence[Piece], title: str) -> list[Piece]:
    """Mark recommendations; a strength on its own line joins the text that it grades."""
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
    cut = split_recommendations(piece.text)
    return [
        replace(piece, text=text)
        if found is None
        else replace(piece, text=text, kind="recommendation", recommendation=found)
        for text, found in cut
    ]


def _numbered(piece: Piece, number: str) -> Piece:
    found = piece.recommendation
    if found is None or found.number is not None:
        return piece
    return replace(piece, recommendation=found.model_copy(update={"number": number}))
