"""One page: tables and boxes found, reading order settled, lines grouped.

The result is a list of groups and tables in the order they are read; notes at the foot and quotes
in the margin come last, marked as such.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clinrag_core.parse.pdf.boxes import assign_boxes, find_boxes
from clinrag_core.parse.pdf.groups import Group, Grouper, line_pitch
from clinrag_core.parse.pdf.gutter import Item, Unit
from clinrag_core.parse.pdf.lattice import find_grids
from clinrag_core.parse.pdf.order import reading_order
from clinrag_core.parse.pdf.page import Line, contains, union
from clinrag_core.parse.pdf.tables import Found, believable, read_grid, without_notes

if TYPE_CHECKING:
    from clinrag_core.parse.pdf.headings import BodyStyle
    from clinrag_core.parse.pdf.hyphens import Vocabulary
    from clinrag_core.parse.pdf.page import Page
    from clinrag_core.parse.pdf.reader import PdfFile

_NOTE_SIZE = 0.88  # of the body size


@dataclass(slots=True)
class Placed:
    """A table in its place."""

    found: Found
    page: int


Entry = Group | Placed


@dataclass(slots=True)
class Ordered:
    """A page's lines and tables in reading order, boxes resolved."""

    page: Page
    items: list[Line | Placed] = field(default_factory=list[Line | Placed])
    aside: list[Line] = field(default_factory=list[Line])


def order_page(
    file: PdfFile, page: Page, body: BodyStyle, vocabulary: Vocabulary, *, tables: bool
) -> Ordered:
    """Find the tables and boxes of a page and put everything in reading order.

    Lines that go into tables are taken off the page.

    Args:
        file: the open file, asked for grids and characters only where a table is likely.
        page: the page, furniture removed.
        body: body style of the document.
        vocabulary: words of the document, for cell text.
        tables: look for tables (contents pages have none).
    """
    found = _tables(file, page, vocabulary) if tables else []
    boxes = find_boxes(page, [t.box for t in found])
    assign_boxes(page, boxes)
    turned = [line for line in page.lines if line.turned]
    items: list[Item] = [i for i in page.lines if i.area < 0 and not i.turned]
    items += [Unit(t.box, "table", payload=t) for t in found]
    for index, box in enumerate(boxes):
        inside = [i for i in page.lines if i.area == index and not i.turned]
        if inside:
            text = union([i.box for i in inside])
            unit_box = (max(box[0], text[0]), box[1], min(box[2], text[2]), box[3])
            items.append(Unit(unit_box, "box", lines=inside))
    ordered = Ordered(page, aside=turned)
    _flatten(reading_order(items, body.size), ordered, page.number, body)
    return ordered


def group_page(ordered: Ordered, grouper: Grouper, body: BodyStyle) -> list[Entry]:
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


def pitch_of(pages: list[Ordered]) -> dict[float, float]:
    """Usual line distance by size over a document."""
    return line_pitch([[i for i in page.items if isinstance(i, Line)] for page in pages])


def _tables(file: PdfFile, page: Page, vocabulary: Vocabulary) -> list[Found]:
    """Tables of a page; the lines that go into them are taken off it."""
    grids = [without_notes(g, page) for g in find_grids(page.fills) if believable(g, page)]
    if not grids:
        return []
    characters = file.characters(page.number, [g.box for g in grids])
    found: list[Found] = []
    for grid in grids:
        inside = [i for i in page.lines if contains(grid.box, i.box) and not i.turned]
        table = read_grid(grid, inside, characters, vocabulary) if len(inside) > 1 else None
        if table is not None:
            gone = {id(line) for line in inside}
            page.lines = [i for i in page.lines if id(i) not in gone]
            found.append(table)
    return found


def _flatten(items: list[Item], ordered: Ordered, number: int, body: BodyStyle) -> None:
    for item in items:
        if isinstance(item, Line):
            ordered.items.append(item)
        elif item.kind == "table" and isinstance(item.payload, Found):
            ordered.items.append(Placed(item.payload, number))
        elif item.kind == "aside":
            ordered.aside.extend(item.lines)
        else:
            _flatten(reading_order([*item.lines], body.size), ordered, number, body)


def _mark_notes(entries: list[Entry], page: Page, body: BodyStyle) -> None:
    """Small type with nothing but small type below it, on a page of normal type."""
    groups = [e for e in entries if isinstance(e, Group)]
    small = [g for g in groups if g.first.size <= _NOTE_SIZE * body.size and g.first.area < 0]
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
