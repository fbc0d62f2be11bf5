"""Headings and pieces in reading order -> sections.

Every format ends here, so paths, roles, spans, notes and recommendations follow one rule. Pure: no
parsing, no input or output.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clinrag_core.model.section import Section, SectionRole
from clinrag_core.parse.assemble.blocks import write_blocks
from clinrag_core.parse.assemble.flow import (
    NOWHERE,
    BoxStart,
    Heading,
    Item,
    Piece,
    Place,
    SectionStart,
)
from clinrag_core.parse.assemble.grading import graded
from clinrag_core.parse.assemble.raised import read
from clinrag_core.parse.assemble.repeats import link_repeats
from clinrag_core.parse.assemble.section_roles import role_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clinrag_core.model.section import TextSource

# A bibliography holds none of these: what follows it has lost its heading, and is body.
_NOT_REFERENCES = ("table", "recommendation")


@dataclass(slots=True)
class _Open:
    """A section that is being filled."""

    path: tuple[str, ...]
    role: SectionRole
    place: Place
    pieces: list[Piece] = field(default_factory=list[Piece])
    headed: bool = False  # opened by a heading: it stays, even without text
    coded: SectionStart | None = None


def assemble(
    items: Iterable[Item],
    title: str,
    *,
    text_source: TextSource = "text_layer",
    repeat_cells: bool = True,
) -> tuple[Section, ...]:
    """Build the sections of a document.

    Text before the first heading goes to a section of path `(title,)`. A first heading of level 0,
    or one that repeats the title, opens such a section; it is not a parent of all others. A role
    given by a heading holds for its subsections too; a piece with a role of its own (a contents
    page, a copyright page) splits the section it is in. A `SectionStart` says all this itself, and
    its text is not searched for recommendations.

    Args:
        items: the flow.
        title: the document's title.
        text_source: where its text comes from.
        repeat_cells: see `grid.lay_out`.
    """
    builder = _Builder(title)
    for item in items:
        builder.add(item)
    kept = [o for o in builder.done if o.pieces or o.headed]
    return link_repeats(
        [_section(i, o, text_source, repeat_cells=repeat_cells) for i, o in enumerate(kept)]
    )


class _Builder:
    """Opens and closes sections as headings and pieces come in."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._stack: list[tuple[Heading, SectionRole]] = []
        self._saved: tuple[list[tuple[Heading, SectionRole]], tuple[str, ...]] | None = None
        self.done: list[_Open] = [_Open((title,), "body", NOWHERE)]

    def add(self, item: Item) -> None:
        if isinstance(item, Piece):
            self._piece(item)
        elif isinstance(item, SectionStart):
            path = tuple(read(title)[0] for title in item.path)
            self.done.append(_Open(path, item.role, item.place, headed=True, coded=item))
        elif isinstance(item, Heading):
            self.done.append(self._enter(item))
        elif isinstance(item, BoxStart):
            self._saved = (list(self._stack), self.done[-1].path)
        else:
            self._leave_box()

    def _enter(self, heading: Heading) -> _Open:
        """The section a heading opens."""
        title = read(heading.title)[0]
        stack = self._stack
        if not stack and (heading.level == 0 or _same(title, self._title)):
            return _Open((title,), "body", heading.place, headed=True)
        while stack and stack[-1][0].level >= heading.level:
            stack.pop()
        inherited: SectionRole = stack[-1][1] if stack else "body"
        role = heading.role or role_of(title) or inherited
        path = (*self._path(), title)
        stack.append((heading, role))
        return _Open(path, role, heading.place, headed=True)

    def _path(self) -> tuple[str, ...]:
        return tuple(read(heading.title)[0] for heading, _ in self._stack)

    def _leave_box(self) -> None:
        if self._saved is None:
            return
        self._stack, path = self._saved
        self._saved = None
        self.done.append(_Open(path, self._role(), NOWHERE))

    def _piece(self, piece: Piece) -> None:
        """Add a piece to the open section, or to a new one of the same path and another role."""
        current = self.done[-1]
        if current.coded is None:
            if (
                current.role == "references"
                and piece.role is None
                and piece.kind in _NOT_REFERENCES
            ):
                current = self._part(current, "body", piece)
            if piece.role is not None and piece.role != current.role:
                current = self._part(current, piece.role, piece)
            elif piece.role is None and current.pieces and current.pieces[-1].role is not None:
                current = self._part(current, self._role(), piece)
            if not current.pieces and not current.headed:
                current.place = piece.place
        current.pieces.append(piece)

    def _part(self, current: _Open, role: SectionRole, piece: Piece) -> _Open:
        self.done.append(_Open(current.path, role, piece.place))
        return self.done[-1]

    def _role(self) -> SectionRole:
        return self._stack[-1][1] if self._stack else "body"


def _same(a: str, b: str) -> bool:
    return _letters(a) == _letters(b)


def _letters(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())


def _section(
    ordinal: int, opened: _Open, text_source: TextSource, *, repeat_cells: bool
) -> Section:
    """The record of a section once all its pieces are there."""
    pieces, coded = opened.pieces, opened.coded
    if coded is None and opened.role == "body":
        pieces = graded(pieces, opened.path[-1])
    text, blocks = write_blocks(pieces, repeat_cells=repeat_cells)
    return Section(
        ordinal=ordinal,
        path=opened.path,
        text=text,
        blocks=blocks,
        role=opened.role,
        page=opened.place.page,
        page_label=opened.place.page_label,
        xml_id=opened.place.xml_id,
        text_source=text_source,
        own_loinc=coded.own_loinc if coded else None,
        loinc=coded.loinc if coded else None,
        group=coded.group if coded else None,
        audience=coded.audience if coded else "clinician",
        effective=coded.effective if coded else None,
    )
