"""One page: finds tables and boxes, settles the reading order, groups lines.

WHO prints recommendations in coloured boxes. Their text is read as a unit, in its place in the
column, so it neither interrupts a sentence nor slips before the heading it belongs to.
The result is a list of groups and tables in the order they are read; notes at the foot and quotes
in the margin come last, marked as such.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clinrag_core.parse.pdf.find_tables import page_tables
from clinrag_core.parse.pdf.groups import Group, Grouper
from clinrag_core.parse.pdf.gutter import Item, LayoutUnit
from clinrag_core.parse.pdf.margin import join_margin_numbers, put_tab, thumb_tabs
from clinrag_core.parse.pdf.order import reading_order
from clinrag_core.parse.pdf.page import Line, area, contains, union
from clinrag_core.parse.pdf.tables import PdfTable

if TYPE_CHECKING:
    from clinrag_core.parse.pdf.headings import BodyStyle
    from clinrag_core.parse.pdf.hyphens import Vocabulary
    from clinrag_core.parse.pdf.page import Box, Page
    from clinrag_core.parse.pdf.reader import PdfFile

_MIN_WIDTH = 80.0  # points: narrower fills are table cells and tabs in the margin
_MIN_HEIGHT = 14.0  # points: one line of text with its leading; thinner fills are rules
_MAX_SHARE = 0.75  # of the page: larger fills are backgrounds
_PALE = 0.985  # of white: scanners and printers' white
_FRAME_HEIGHT = 30.0  # points: two lines of text
_COLUMN = 0.4  # of the page: higher frames are its columns
_FRAME_LINES, _FRAME_TEXT = 2, 20  # lines of so many characters: charts have short labels
_FRAME_GAP = 4.0  # points between frames: cells of a table touch
_NOTE_SIZE = 0.88  # of the body size
_CAPTION_GAP = 60.0  # points between a caption and its table: two lines of title


Entry = Group | PdfTable


@dataclass(slots=True)
class OrderedPage:
    """A page's lines and tables in reading order, boxes resolved."""

    page: Page
    items: list[Line | PdfTable] = field(default_factory=list[Line | PdfTable])
    aside: list[Line] = field(default_factory=list[Line])


def order_page(
    file: PdfFile, page: Page, body: BodyStyle, vocabulary: Vocabulary, *, tables: bool
) -> OrderedPage:
    """Find the tables (if `tables`) and boxes of a page and put everything in reading order.

    The running lines must have been removed. Lines that go into tables are removed from the page.
    """
    placed = page_tables(file, page, vocabulary) if tables else []
    join_margin_numbers(page)
    boxes = _boxes(page, [t.box for t in placed])
    for line in page.lines:
        line.area = next((i for i, box in enumerate(boxes) if contains(box, line.box)), -1)
    tabs = thumb_tabs(page)
    for tab in tabs:
        tab.turned = True
    items = _with_captions(page, placed)
    titles = {id(i) for item in items if isinstance(item, LayoutUnit) for i in item.lines}
    for index, box in enumerate(boxes):
        inside = [i for i in page.lines if i.area == index and not i.turned and id(i) not in titles]
        if inside:
            text = union([i.box for i in inside])
            unit_box = (max(box[0], text[0]), box[1], min(box[2], text[2]), box[3])
            items.append(LayoutUnit(unit_box, inside))
    ordered = OrderedPage(page, aside=[line for line in page.lines if line.turned])
    _flatten(items, ordered, body)
    for tab in tabs:
        tab.turned = False
        if put_tab(tab, ordered.items):
            ordered.aside.remove(tab)
    return ordered


def _with_captions(page: Page, tables: list[PdfTable]) -> list[Item]:
    """Return lines and tables of a page; the caption and title of a table are one unit with it.

    The caption of a table over both columns is short: alone it would be read in its column, and the
    text of the next column between it and its table.
    """
    lines = [i for i in page.lines if not i.turned]
    units: list[Item] = []
    for table in tables:
        above: list[Line] = []
        if table.caption is not None and any(i is table.caption for i in lines):
            above = _between(table.caption, table.box, lines)
        taken = {id(i) for i in above}
        lines = [i for i in lines if id(i) not in taken]
        units.append(LayoutUnit(union([table.box, *(i.box for i in above)]), above, table))
    return [*(i for i in lines if i.area < 0), *units]


def _between(caption: Line, box: Box, lines: list[Line]) -> list[Line]:
    """Return the caption and what is between it and its table; nothing if they are far apart."""
    if box[1] - caption.y1 > _CAPTION_GAP:
        return []
    return [
        i
        for i in lines
        if i is caption
        or (
            caption.y0 < (i.y0 + i.y1) / 2
            and i.y1 <= box[1] + 1
            and i.x0 < box[2]
            and i.x1 > box[0]
        )
    ]


def group_page(ordered: OrderedPage, grouper: Grouper, body: BodyStyle) -> list[Entry]:
    """Groups and tables of a page, notes and margin text last."""
    entries: list[Entry] = []
    run: list[Line] = []
    for item in ordered.items:
        if isinstance(item, Line):
            run.append(item)
        else:
            entries.extend(grouper.group(run))
            entries.append(item)
            run = []
    entries.extend(grouper.group(run))
    _mark_notes(entries, ordered.page, body)
    aside = grouper.group(ordered.aside)
    for group in aside:
        group.aside = True
    notes = [e for e in entries if isinstance(e, Group) and e.note]
    flow = [e for e in entries if not (isinstance(e, Group) and e.note)]
    return [*flow, *aside, *notes]


def _boxes(page: Page, tables: list[Box]) -> list[Box]:
    """Coloured areas with text, top to bottom; overlapping and touching ones are one box.

    Fills inside the areas of `tables` are cells. Frames side by side are read one after the other;
    the ground they stand on is no box.
    """
    frames = _frames(page, tables)
    largest = _MAX_SHARE * page.width * page.height
    fills = [
        fill.box
        for fill in page.fills
        if fill.filled
        and fill.box[2] - fill.box[0] >= _MIN_WIDTH
        and fill.box[3] - fill.box[1] >= _MIN_HEIGHT
        and area(fill.box) <= largest
        and min(fill.color) < _PALE
        and not any(contains(t, fill.box, 3) for t in tables)
    ]
    boxes = sorted(_merge(fills), key=lambda b: (b[1], b[0]))
    grounds = [box for box in boxes if any(_touch(box, frame) for frame in frames)]
    return frames + [
        box
        for box in boxes
        if box not in grounds and any(contains(box, line.box) for line in page.lines)
    ]


def _frames(page: Page, tables: list[Box]) -> list[Box]:
    """Outlined rectangles with text that stand next to each other, from the left."""
    found: list[Box] = []
    for fill in page.fills:
        x0, y0, x1, y1 = box = fill.box
        is_frame = fill.edged and (not fill.filled or min(fill.color) >= _PALE)
        large = x1 - x0 >= _MIN_WIDTH and _FRAME_HEIGHT <= y1 - y0 <= _COLUMN * page.height
        if not (is_frame and large) or box in found or any(contains(t, box, 3) for t in tables):
            continue
        inside = [i for i in page.lines if contains(box, i.box)]
        held = all(x0 - 1 <= i.x0 and i.x1 <= x1 + 1 for i in inside)
        is_text = sum(len(i.text) >= _FRAME_TEXT for i in inside) >= _FRAME_LINES
        if held and is_text:
            found.append(box)
    paired = [a for a in found if any(_is_beside(a, b) for b in found)]
    return sorted(paired, key=lambda b: (round(b[1]), b[0]))


def _is_beside(a: Box, b: Box) -> bool:
    """True if two frames share most of their height, with a gap between them."""
    shared = min(a[3], b[3]) - max(a[1], b[1])
    gap = max(a[0], b[0]) - min(a[2], b[2])
    return gap >= _FRAME_GAP and shared > 0.5 * min(a[3] - a[1], b[3] - b[1])


def _merge(boxes: list[Box]) -> list[Box]:
    """Return boxes with those that touch or overlap joined into one."""
    merged: list[Box] = []
    for box in boxes:
        grown = box
        while touching := [other for other in merged if _touch(grown, other)]:
            grown = union([grown, *touching])
            merged = [other for other in merged if other not in touching]
        merged.append(grown)
    return merged


def _touch(a: Box, b: Box) -> bool:
    across = min(a[2], b[2]) - max(a[0], b[0])
    down = min(a[3], b[3]) - max(a[1], b[1])
    return across > 0 and down >= 0


def _flatten(items: list[Item], ordered: OrderedPage, body: BodyStyle) -> None:
    """Add items in reading order, those of a box at the place of the box."""
    for item in reading_order(items, body.size):
        if isinstance(item, Line):
            ordered.items.append(item)
        elif item.table is not None:
            if item.lines:
                _flatten([*item.lines], ordered, body)
            ordered.items.append(item.table)
        elif item.aside:
            ordered.aside.extend(item.lines)
        else:
            _flatten([*item.lines], ordered, body)


def _mark_notes(entries: list[Entry], page: Page, body: BodyStyle) -> None:
    """Small type with nothing but small type below it, on a page of normal type."""
    groups = [e for e in entries if isinstance(e, Group)]
    small = [g for g in groups if g.size <= _NOTE_SIZE * body.size and g.first.area < 0]
    chars = sum(len(g.text) for g in groups)
    if not small or sum(len(g.text) for g in small) > 0.6 * chars:
        return
    ids = {id(g) for g in small}
    lowest = [g for g in groups if id(g) not in ids]
    for group in small:
        x0, y0, x1, _ = group.box
        above = [o for o in lowest if o.box[1] > y0 and o.box[0] < x1 and o.box[2] > x0]
        if not above and y0 > 0.4 * page.height:
            group.note = True
