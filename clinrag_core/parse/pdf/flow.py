"""Groups and tables of all pages -> headings and pieces.

Joins paragraphs that continue in the next column or on the next page, gives tables their captions,
and joins tables whose continuation has no header.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clinrag_core.parse.assemble.flow import BoxEdge, Heading, Item, Piece, Place
from clinrag_core.parse.assemble.section_roles import role_of
from clinrag_core.parse.assemble.wording import is_caption
from clinrag_core.parse.pdf.chain import CONTENTS
from clinrag_core.parse.pdf.groups import Group
from clinrag_core.parse.pdf.headings import TITLE_SIZE, BodyStyle, is_heading
from clinrag_core.parse.pdf.joins import join_captions, join_tables, join_text, join_titles
from clinrag_core.parse.pdf.layout import Entry
from clinrag_core.parse.pdf.levels import levels
from clinrag_core.parse.pdf.outline import match_outline
from clinrag_core.text.list_signs import is_item

if TYPE_CHECKING:
    from clinrag_core.model.section import BlockKind, SectionRole
    from clinrag_core.parse.pdf.groups import Grouper
    from clinrag_core.parse.pdf.page import Box
    from clinrag_core.parse.pdf.reader import Entry as Bookmark
    from clinrag_core.parse.pdf.tables import PdfTable

_RUN_IN = re.compile(
    r"^(?:recommendation|standard)\s+\d{1,2}(?:\.\d{1,2})*\s*[.:]?$", re.IGNORECASE
)
_NAMED = re.compile(r"^(?:recommendation|standard)\s+\d", re.IGNORECASE)
_LONE_LABEL = re.compile(r"^(?:box|table|figure)$", re.IGNORECASE)
_AHEAD = 4  # groups: a title, its subtitles and their text
_CAPTION_GAP = 60  # points: four lines; without it a box of the sample loses its heading
_CAPTION_WORDS = 60
"""Words of the longest caption: with 48, one of the reference corpus becomes a paragraph; without a
limit, paragraphs that begin 'Table 1 displays ...' become captions."""
_NOTE_LABEL = re.compile(r"^(?:[*†‡§¶#]+|\d{1,3}|[a-z])[.)]?\s")

Area = tuple[int, int]  # page and index of a box on it


@dataclass(frozen=True, slots=True)
class Paper:
    """What was measured over the document: body type, page roles and labels, outline."""

    body: BodyStyle
    roles: dict[int, SectionRole]
    labels: dict[int, str]
    outline: list[Bookmark]


def to_items(pages: list[list[Entry]], paper: Paper, grouper: Grouper) -> list[Item]:
    """Headings and pieces in reading order."""
    entries = join_captions([e for page in pages for e in page], grouper)
    headings = _find_headings(entries, paper)
    entries = join_titles(entries, headings)
    entries = join_text(entries, headings, grouper, paper.roles)
    entries = join_tables(entries)
    titles = [e for e in entries if isinstance(e, Group) and id(e) in headings]
    bare = {id(g) for g in titles if g.first.title > 0 and not is_heading(g, paper.body, None)}
    depths = levels([(group, headings[id(group)]) for group in titles], bare)
    return _Writer(paper, dict(zip(map(id, titles), depths, strict=True))).write(entries)


def _find_headings(entries: list[Entry], paper: Paper) -> dict[int, int | None]:
    """Groups that are headings, by identity, with their level in the outline or None."""
    body = [
        e
        for e in entries
        if isinstance(e, Group) and (e.first.page not in paper.roles) and e.first.title != CONTENTS
    ]
    outlined = match_outline(paper.outline, body)
    headings: dict[int, int | None] = {}
    before: Group | None = None
    panel: Group | None = None  # title of a printed carton, whose words head nothing
    figure: Area | None = None  # box under the caption of a table or figure
    for index, group in enumerate(body):
        area = _area(group)
        if area is not None and area != figure and before is not None and _captions(before, group):
            figure = area
        if index in outlined:
            headings[id(group)] = outlined[index]
        elif group.first.title > 0 or (
            (area is None or area != figure)
            and not (panel and _is_on_panel(group, panel))
            and is_heading(group, paper.body, before, body[index + 1 : index + _AHEAD])
        ):
            headings[id(group)] = None
        if id(group) in headings:
            panel = group if role_of(group.text) == "product_data" else None
        before = group
    return headings


def _is_on_panel(group: Group, panel: Group) -> bool:
    """True for words of a carton that a label prints under a title: of no larger type than it."""
    is_title = role_of(group.text) == "product_data"
    return not is_title and group.first.size <= panel.first.size


def _captions(before: Group, group: Group) -> bool:
    """True if `before` is the caption of the box that `group` opens."""
    if not is_caption(before.text) or before.last.page != group.first.page:
        return False
    return before.first.area != group.first.area and group.first.y0 - before.last.y1 < _CAPTION_GAP


class _Writer:
    """Writes entries as headings and pieces with their places and roles."""

    def __init__(self, paper: Paper, depth: dict[int, int]) -> None:
        self._paper = paper
        self._depth = depth
        self._items: list[Item] = []
        self._area: Area | None = None  # box whose headings are open
        self._mixed: set[Area] = set()  # boxes that contain headings and text
        self._before: Group | None = None
        self._caption: tuple[str, int] | None = None
        self._captions: dict[int, str] = {}  # first line of a caption, by identity -> its text
        self._label_page: int | None = None  # page of a lone 'Box' just before
        self._run_in: int | None = None  # level of 'Standard 7.' headings while they are open

    def write(self, entries: list[Entry]) -> list[Item]:
        """Write all entries."""
        groups = [e for e in entries if isinstance(e, Group)]
        self._depth |= _long_titles(groups, self._depth, self._paper.body.size)
        self._captions = {id(g.first): g.text for g in groups if is_caption(g.text)}
        texts = {_area(g) for g in groups if id(g) not in self._depth}
        self._mixed = {a for g in groups if (a := _area(g)) is not None and a in texts}
        for entry in entries:
            if isinstance(entry, Group):
                self._group(entry)
            else:
                self._table(entry)
        return self._items

    def _group(self, group: Group) -> None:
        """Write a group as a heading or a piece, after its run-in label if it has one."""
        heading = id(group) in self._depth
        before, self._before = self._before, group
        self._cross_box(group, heading=heading)
        place = self._place(group.first.page, group.box)
        places = tuple((at, self._place(page, box)) for at, page, box in group.places)
        if heading:
            level = self._depth[id(group)]
            if self._run_in is not None and level < self._run_in:
                self._run_in = None
            self._items.append(Heading(group.text, level, place))
            self._caption = (group.text, group.first.page) if is_caption(group.text) else None
            return
        if _RUN_IN.match(group.first.lead) and group.first.page not in self._paper.roles:
            if self._run_in is None:  # below its section, above the headings inside the standard
                above = (i.level for i in reversed(self._items) if isinstance(i, Heading))
                self._run_in = next(above, 0) + 1
            self._items.append(Heading(group.first.lead, self._run_in, place))
        if self._is_box_label(group):
            return
        if (kind := self._kind(group)) == "caption":
            self._caption = (group.text, group.first.page)
        self._items.append(
            Piece(
                kind,
                group.text,
                place,
                calls=tuple(call for line in group.lines for call in line.calls),
                role=self._role(group),
                places=places if len(places) > 1 else (),
                opens=before is not None and _opens_list(before, group),
            )
        )

    def _role(self, group: Group) -> SectionRole | None:
        if group.first.title == CONTENTS:
            return "contents"
        return self._paper.roles.get(group.first.page)

    def _is_box_label(self, group: Group) -> bool:
        """True for the word 'Box' alone, and for the number that is printed apart from it."""
        label, self._label_page = self._label_page, None
        if _LONE_LABEL.match(group.text):
            self._label_page = group.first.page
            return True
        return label == group.first.page and group.text.isdigit()

    def _kind(self, group: Group) -> BlockKind:
        if is_caption(group.text) and len(group.text.split()) <= _CAPTION_WORDS:
            return "caption"
        small = group.size <= 0.88 * self._paper.body.size
        if group.note or (small and _NOTE_LABEL.match(group.text) and not is_item(group.text)):
            return "footnote"
        return "list_item" if group.first.entry or is_item(group.text) else "paragraph"

    def _cross_box(self, group: Group, *, heading: bool) -> None:
        """Write the edges of boxes; after several in a row the text before the first goes on."""
        here = _area(group)
        left = self._area is not None and here != self._area
        if left:
            if not heading:
                self._items.append(BoxEdge.END)
            self._area = None
        named = _NAMED.match(group.text)
        if heading and here in self._mixed and self._area is None and not named:
            if not left:
                self._items.append(BoxEdge.START)
            self._area = here

    def _table(self, table: PdfTable) -> None:
        """Write a table under its caption, else the last one on its page or the one before.

        A last row that is the caption of the next table, whose frame touches this one, is written
        as that.
        """
        caption, page = self._caption or ("", 0)
        if (own := self._captions.get(id(table.caption))) is not None:
            caption, page = own, table.page
        following = _caption_below(table)
        self._items.append(
            Piece(
                "table",
                place=self._place(table.page, table.box),
                rows=table.rows[:-1] if following else table.rows,
                header_rows=table.header_rows,
                caption=caption if table.page - page <= 1 else "",
                role=self._paper.roles.get(table.page),
                places=tuple((n, self._place(*place)) for n, place in enumerate(table.places)),
                unsure=table.unsure,
            )
        )
        if following:
            self._caption = (following, table.page)
            role = self._paper.roles.get(table.page)
            place = self._place(table.page, table.box)
            self._items.append(Piece("caption", following, place, role=role))

    def _place(self, page: int, box: Box) -> Place:
        return Place(page=page, page_label=self._paper.labels.get(page), box=box)


def _long_titles(groups: list[Group], depth: dict[int, int], size: float) -> dict[int, int]:
    """Return the depth of titles of tables too long for a heading, set like one that was a heading.

    Else the title of the table before would stand over what is in this one.
    """
    found: dict[int, int] = {}
    level: int | None = None
    for group in groups:
        if not is_caption(group.text) or group.size < TITLE_SIZE * size:
            continue
        if id(group) in depth:
            level = depth[id(group)]
        elif level is not None and len(group.text.split()) <= _CAPTION_WORDS:
            found[id(group)] = level
    return found


def _caption_below(table: PdfTable) -> str:
    """Caption that is the last row of a table and no other cell's neighbour; empty if none is."""
    texts = [cell.text for cell in table.rows[-1] if cell.text]
    return texts[0] if len(texts) == 1 and is_caption(texts[0]) else ""


def _opens_list(before: Group, group: Group) -> bool:
    """True if a group is no item of the list that `before` is in: another box, other setting."""
    same_page = before.last.page == group.first.page
    boxed = same_page and before.first.area != group.first.area
    return boxed or bool(before.first.entry) != bool(group.first.entry)


def _area(group: Group) -> Area | None:
    return (group.first.page, group.first.area) if group.first.area >= 0 else None
