"""Headings and pieces in reading order -> sections.

Every format ends here, so paths, roles, spans, notes and recommendations follow one rule. Pure: no
parsing, no input or output.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING

from clinrag_core.model.section import Section, SectionRole
from clinrag_core.parse.assemble.blocks import write_blocks
from clinrag_core.parse.assemble.flow import BoxEdge, Heading, Item, Piece, SectionStart
from clinrag_core.parse.assemble.raised import read
from clinrag_core.parse.assemble.recommendations import graded, join_graded_titles
from clinrag_core.parse.assemble.repeats import link_repeats
from clinrag_core.parse.assemble.section_roles import flows_down, lists_people, reads_like, role_of
from clinrag_core.parse.assemble.wording import letters

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clinrag_core.model.section import TextSource

# A bibliography has none of these: such a piece after it has lost its heading, and is body.
_NOT_REFERENCES = ("table", "recommendation")
_SMALL_WORD = re.compile(r"\b[a-z]{3,}\b")


@dataclass(slots=True)
class _Open:
    """A section that is being filled."""

    start: SectionStart
    headed: bool = False  # opened by a heading: it stays, even without text
    coded: bool = False  # its format knows its path and role
    inherited: bool = False  # its role is that of the section above
    pieces: list[Piece] = field(default_factory=list[Piece])


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
    given by a heading holds for its subsections that read like it; a piece with a role of its own
    (a contents page, a copyright page) splits the section it is in. A `SectionStart` has all this
    itself, and its text is not searched for recommendations. For `repeat_cells` see `grid.lay_out`.
    """
    builder = _Builder(title)
    for item in join_graded_titles(items):
        builder.add(item)
    kept = [o for o in builder.done if o.pieces or o.headed]
    _set_people_aside(kept)
    return link_repeats(
        [_section(i, o, text_source, repeat_cells=repeat_cells) for i, o in enumerate(kept)]
    )


def _set_people_aside(sections: Sequence[_Open]) -> None:
    """Give the role of front matter to sections that list people, whatever heads them."""

    @cache
    def ordinary() -> frozenset[str]:
        texts = (piece.text for opened in sections for piece in opened.pieces)
        return frozenset(word for text in texts for word in _SMALL_WORD.findall(text))

    for opened in sections:
        items = [p.text for p in opened.pieces if p.kind == "list_item"]
        is_body = opened.start.role == "body" and not opened.coded
        if is_body and 2 * len(items) > len(opened.pieces) and lists_people(items, ordinary):
            opened.start = replace(opened.start, role="front_matter")


class _Builder:
    """Opens and closes sections as headings and pieces come in."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._stack: list[tuple[Heading, SectionRole]] = []
        self._saved: tuple[list[tuple[Heading, SectionRole]], tuple[str, ...]] | None = None
        self.done: list[_Open] = [_Open(SectionStart((title,)))]

    def add(self, item: Item) -> None:
        """Add the next item of the flow."""
        if isinstance(item, Piece):
            self._piece(item)
        elif isinstance(item, SectionStart):
            path = tuple(read(title)[0] for title in item.path)
            self.done.append(_Open(replace(item, path=path), headed=True, coded=True))
        elif isinstance(item, Heading):
            self.done.append(self._enter(item))
        elif item is BoxEdge.START:
            self._saved = (list(self._stack), self.done[-1].start.path)
        else:
            self._leave_box()

    def _enter(self, heading: Heading) -> _Open:
        """Return the section that a heading opens."""
        title = read(heading.title)[0]
        stack = self._stack
        if not stack and (heading.level == 0 or letters(title) == letters(self._title)):
            return _Open(SectionStart((title,), place=heading.place), headed=True)
        while stack and stack[-1][0].level >= heading.level:
            stack.pop()
        above: SectionRole = stack[-1][1] if stack and flows_down(title) else "body"
        own = heading.role or role_of(title)
        stack.append((heading, own or above))
        path = tuple(read(heading.title)[0] for heading, _ in stack)
        start = SectionStart(path, own or above, heading.place)
        return _Open(start, headed=True, inherited=own is None)

    def _leave_box(self) -> None:
        if self._saved is None:
            return
        self._stack, path = self._saved
        self._saved = None
        self.done.append(_Open(SectionStart(path, self._role())))

    def _piece(self, piece: Piece) -> None:
        """Add a piece to the open section, or to a new one of the same path and another role."""
        current = self.done[-1]
        role = None if current.coded else self._other_role(current, piece)
        if role is not None:
            current = _Open(SectionStart(current.start.path, role))
            self.done.append(current)
        if not current.pieces and not current.headed:
            current.start = replace(current.start, place=piece.place)
        current.pieces.append(piece)

    def _other_role(self, current: _Open, piece: Piece) -> SectionRole | None:
        """Return the role of a piece that the open section does not have, else None."""
        if piece.role is not None:
            return piece.role if piece.role != current.start.role else None
        if current.start.role == "references" and piece.kind in _NOT_REFERENCES:
            return "body"
        return self._role() if current.pieces and current.pieces[-1].role is not None else None

    def _role(self) -> SectionRole:
        return self._stack[-1][1] if self._stack else "body"


def _section(
    ordinal: int, opened: _Open, text_source: TextSource, *, repeat_cells: bool
) -> Section:
    """Return the record of a section once all its pieces are there."""
    start, pieces = opened.start, opened.pieces
    prose = [p.text for p in pieces if p.role is None and p.text]
    if opened.inherited and not reads_like(start.role, prose):
        start = replace(start, role="body")
    if not opened.coded and start.role == "body":
        pieces = graded(pieces, start.path[-1])
    text, blocks = write_blocks(pieces, repeat_cells=repeat_cells)
    return Section(
        ordinal=ordinal,
        path=start.path,
        text=text,
        blocks=blocks,
        role=start.role,
        page=start.place.page,
        page_label=start.place.page_label,
        xml_id=start.place.xml_id,
        text_source=text_source,
        own_loinc=start.own_loinc,
        loinc=start.loinc,
        group=start.group,
        audience=start.audience,
        effective=start.effective,
    )
