"""Joins what columns and pages have cut: captions, titles, sentences, tables."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from clinrag_core.parse.assemble.wording import ends_sentence, is_caption
from clinrag_core.parse.pdf.entries import GOES_ON
from clinrag_core.parse.pdf.groups import Group
from clinrag_core.parse.pdf.layout import Entry
from clinrag_core.text.list_signs import has_number, is_item

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clinrag_core.model.section import SectionRole
    from clinrag_core.parse.pdf.groups import Grouper
    from clinrag_core.parse.pdf.page import Line
    from clinrag_core.parse.pdf.tables import PdfTable

_LABEL_ONLY = re.compile(r"^(?:table|figure|fig\.?|box|chart|map)\s+[\dA-Z.\-]+\s*[.:]?$", re.I)
# 'SECTION TWO', or a chapter's number in display type.
_CHAPTER = re.compile(
    r"^(?:(?:section|chapter|part)\s+(?:\d{1,2}|[IVX]+|[a-z]+)\W*|\d{1,2}\.?)$", re.IGNORECASE
)
_LINE_GAP = 24  # points: a blank line between a caption's number and its title
_TITLE_WORDS = 30
"""Words of a caption's title: with 24, a caption loses its title and a heading appears."""
_SAME_SIZE = 0.6  # points
_DISPLAY = 13.5  # points: in smaller type a title and its subtitle look alike
_TITLE_PITCH = 2.3  # of the size: lines of a chapter's title in display type
_SENTENCE_WORDS = 8  # a shorter line at the foot of a column may be a title
_SAME_COLUMN = 4  # points: tables over two pages are set twice, on margins that differ


def join_titles(entries: list[Entry], headings: dict[int, int | None]) -> list[Entry]:
    """Join a chapter's number in display type, or 'SECTION TWO', with the title after it.

    So is a line of the same large type, however wide the lines are spaced.
    """
    out: list[Entry] = []
    for entry in entries:
        if isinstance(entry, Group) and id(entry) in headings:
            chapter, title = "", entry.text
            while (last := _before(out, entry)) is not None:
                if _CHAPTER.match(last.text) and not chapter:
                    chapter = last.text
                elif id(last) in headings and _one_title(last, entry):
                    title = f"{last.text} {title}"
                    entry.lines = [*last.lines, *entry.lines]
                else:
                    break
                out.pop()
                headings.pop(id(last), None)
            entry.text = f"{chapter} {title}" if chapter else title
        out.append(entry)
    return out


def _one_title(last: Group, entry: Group) -> bool:
    """True for two lines of one title in display type."""
    a, b = last.last, entry.first
    if (a.font, a.size, a.bold, a.color, a.area) != (b.font, b.size, b.bold, b.color, b.area):
        return False
    if a.size < _DISPLAY or a.title or b.title or has_number(entry.text):
        return False
    return abs(a.x0 - b.x0) <= _SAME_COLUMN and 0 < b.y1 - a.y1 <= _TITLE_PITCH * a.size


def join_captions(entries: list[Entry], grouper: Grouper) -> list[Entry]:
    """'TABLE 5.' on one line and its title on the next are one caption."""
    out: list[Entry] = []
    for entry in entries:
        if (
            isinstance(entry, Group)
            and (last := _before(out, entry)) is not None
            and _LABEL_ONLY.match(last.text)
            and 0 <= entry.first.y0 - last.last.y1 < _LINE_GAP
            and len(entry.text.split()) <= _TITLE_WORDS
        ):
            last.lines.extend(entry.lines)
            grouper.write(last)
        else:
            out.append(entry)
    return out


def _before(out: list[Entry], group: Group) -> Group | None:
    """Return the group directly before a group on its page."""
    last = out[-1] if out else None
    return last if isinstance(last, Group) and last.last.page == group.first.page else None


def join_text(
    entries: list[Entry],
    headings: dict[int, int | None],
    grouper: Grouper,
    roles: Mapping[int, SectionRole],
) -> list[Entry]:
    """Join what continues in the next column or on the next page of the same role."""
    out: list[Entry] = []
    last: Group | None = None
    gap = False  # a table or box came between
    for entry in entries:
        title = id(entry) in headings
        if not isinstance(entry, Group) or (
            entry.note or entry.aside or (is_caption(entry.text) and not title)
        ):
            out.append(entry)
            gap = True
            continue
        one_role = last is not None and (roles.get(last.last.page) == roles.get(entry.first.page))
        if one_role and not title and last is not None and _continues(last, entry, apart=gap):
            last.lines.extend(entry.lines)
            grouper.write(last)
        else:
            last = None if title else entry
            out.append(entry)
        gap = False
    return out


def _continues(last: Group, entry: Group, *, apart: bool) -> bool:
    """True if a group continues the sentence that `last` breaks off in."""
    a, b = last.last, entry.first
    other_box = a.area != b.area and a.page == b.page and not _is_next_box(a, b)
    if other_box or abs(a.size - b.size) > _SAME_SIZE:
        return False
    if b.entry or is_item(entry.text) or (ends_sentence(last.text) and not a.soft):
        return False
    moved = b.page != a.page or b.y0 < a.y0 - 2
    if not moved and not apart:
        return False
    first = entry.text.lstrip("(“\"'‘[")[:1]
    if first.islower() or a.soft or last.text.endswith(("-", ",", "–", "/")):
        return True
    # A sentence may go on with a capital or a number where its line was full.
    same_type = (a.bold, a.color) == (b.bold, b.color)
    if a.entry:
        return same_type and a.entry == GOES_ON and abs(a.x0 - b.x0) <= _SAME_COLUMN
    return same_type and len(last.text.split()) > _SENTENCE_WORDS


def _is_next_box(a: Line, b: Line) -> bool:
    """True for boxes at the foot of one column and the top of the next, in one colour of text."""
    above = b.y1 < a.y0 and b.x0 > a.x1 and b.text[:1].islower()
    return min(a.area, b.area) >= 0 and a.color == b.color and above


def join_tables(entries: list[Entry]) -> list[Entry]:
    """Add rows on the next page to a table that has no header there.

    A table may be printed next to the one that goes on, such as its key.
    """
    out: list[Entry] = []
    since_text: list[PdfTable] = []
    for entry in entries:
        if isinstance(entry, Group):
            if not (entry.note or entry.aside):
                since_text = []
            out.append(entry)
            continue
        own: PdfTable | None = entry
        begun = next((t for t in reversed(since_text) if _is_continuation(t, entry)), None)
        if begun is not None:
            more, own = _cut_at_header(entry, begun)
            begun.extend(more)
        if own is not None:
            since_text.append(own)
            out.append(own)
    return out


def _cut_at_header(table: PdfTable, begun: PdfTable) -> tuple[PdfTable, PdfTable | None]:
    """Return the rows that go on with a table, and a table of the rows from a header of their own.

    Another table follows where a row begins as the last row of the header does: "Drug". A row of
    one cell above it is its title.
    """
    if not begun.header_rows or begun.header_rows > len(begun.rows):
        return table, None
    title = begun.rows[begun.header_rows - 1][0].text
    at = next((n for n, row in enumerate(table.rows) if n and row and row[0].text == title), 0)
    if not (title and at):
        return table, None
    count = 1
    if at > 1 and not any(cell.text for cell in table.rows[at - 1][1:]):
        at, count = at - 1, 2
    return table.part(0, at), replace(table.part(at, len(table.rows)), header_rows=count)


def _is_continuation(a: PdfTable, b: PdfTable) -> bool:
    """True if table `b` has the columns of `a`, follows it and does not repeat its header."""
    last_page, _ = a.places[-1]
    if b.caption is not None or not 0 <= b.page - last_page <= 1:
        return False
    if len(a.first_row) != len(b.first_row):
        return False
    if a.first_row == b.first_row or len(a.lefts) != len(b.lefts):
        return False
    return all(abs(x - y) <= _SAME_COLUMN for x, y in zip(a.lefts, b.lefts, strict=True))
