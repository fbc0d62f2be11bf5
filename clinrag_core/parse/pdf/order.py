"""Reading order: lines and units of a page -> columns, top to bottom.

A page is cut at a gutter that no or few lines cross and that has real text on both sides; what
crosses it (titles, wide tables) separates bands. Within a column, lines of one row are joined;
notes in the margin and footnotes are set aside, so that they do not cut sentences.
"""

from __future__ import annotations

import re
from dataclasses import replace
from statistics import median

from clinrag_core.parse.pdf.gutter import GAP, Item, LayoutUnit, gutter_of, middle, zone_of
from clinrag_core.parse.pdf.islands import islands
from clinrag_core.parse.pdf.page import Line, centre, make_line, union
from clinrag_core.parse.pdf.side_notes import side_notes
from clinrag_core.parse.pdf.zones import free_zone
from clinrag_core.text.list_signs import is_lone_bullet

_SAME_SIZE = 0.6  # points
_OTHER_SIZE = 1.5  # points: more than a change of font makes
_TEXT_LINE = 40  # characters: shorter lines of body size may be cells or labels
_LEAST_LINES = 3
_OVERHANG = 2
"""Points that a margin note may reach into the text: with 3, a paragraph is cut in three."""
_LABEL_GAP = 1.5  # em
_LABEL_REACH = 3.0  # em between a number and what it numbers
_LABEL = re.compile(r"\(?(?:\d{1,2}|[A-Za-z])(?:\.\d{1,2}){0,3}[.)]?$")
_SMALLEST, _LARGEST = 0.45, 1.6
"""Type sizes in one row, of its largest: with 0.36 or 1.28 lines of three documents are joined or
parted wrongly."""


def reading_order(items: list[Item], body_size: float) -> list[Item]:
    """Return lines (rows joined) and units of a page or box in the order they are read."""
    if not items:
        return []
    gutter = gutter_of(items)
    if gutter is not None:
        return _in_columns(items, gutter, body_size)
    zone = zone_of(items) or free_zone(items)
    if zone is None:
        return _column(items, body_size)
    x, top, bottom = zone
    inside = [i for i in items if top <= middle(i) <= bottom]
    return [
        *reading_order([i for i in items if middle(i) < top], body_size),
        *_in_columns(inside, x, body_size),
        *reading_order([i for i in items if middle(i) > bottom], body_size),
    ]


def _in_columns(items: list[Item], gutter: float, body_size: float) -> list[Item]:
    """Return items on both sides of a gutter in order, band by band between what crosses it."""
    crossing = [i for i in items if i.box[0] < gutter - GAP and i.box[2] > gutter + GAP]
    crossing += _rest_of_titles(items, crossing, body_size)
    ids = {id(i) for i in crossing}
    rest = [i for i in items if id(i) not in ids]
    out: list[Item] = []
    start = float("-inf")
    for top, members in [*_bands(crossing), (float("inf"), [])]:
        band = [i for i in rest if start <= middle(i) < top]
        out += reading_order([i for i in band if centre(i.box)[0] < gutter], body_size)
        out += reading_order([i for i in band if centre(i.box)[0] >= gutter], body_size)
        out.extend(_column(members, body_size))
        start = top
    return out


def _rest_of_titles(items: list[Item], crossing: list[Item], body_size: float) -> list[Item]:
    """Return lines of a title over both columns that are too short to cross the gutter."""
    display = 1.2 * body_size
    titles = [i for i in crossing if isinstance(i, Line) and i.size >= display]
    ids = {id(i) for i in crossing}
    return [
        i
        for i in items
        if isinstance(i, Line)
        and id(i) not in ids
        and i.size >= display
        and any(i.y0 < t.y1 + 0.6 * t.size and i.y1 > t.y0 - 0.6 * t.size for t in titles)
    ]


def _bands(crossing: list[Item]) -> list[tuple[float, list[Item]]]:
    """Tops of crossing items, grouped where they touch vertically, with the items."""
    bands: list[list[Item]] = []
    bottom = float("-inf")
    for item in sorted(crossing, key=lambda i: (i.box[1], i.box[0])):
        if item.box[1] - bottom >= GAP:
            bands.append([])
        bands[-1].append(item)
        bottom = max(bottom, item.box[3])
    return [(band[0].box[1], band) for band in bands]


def _column(items: list[Item], body_size: float) -> list[Item]:
    """Return one column: rows joined, top to bottom, notes next to and below the text last."""
    if not items:
        return []
    lines = [i for i in items if isinstance(i, Line)]
    units = [i for i in items if not isinstance(i, Line)]
    aside = _margin_notes(lines, body_size)
    ids = {id(line) for line in aside}
    lines = [line for line in lines if id(line) not in ids]
    notes, labels = side_notes(lines, body_size)
    aside += notes
    units += [LayoutUnit(union([i.box for i in label]), label) for label in labels]
    ids = {id(line) for line in (*notes, *(i for label in labels for i in label))}
    flow: list[Item] = [*_in_flow([line for line in lines if id(line) not in ids]), *units]
    flow.sort(key=lambda i: (round(_level(i, body_size), 1), i.box[0]))
    if aside:
        flow.append(LayoutUnit(union([i.box for i in aside]), _joined(_pieces(aside)), aside=True))
    return flow


def _level(item: Item, body_size: float) -> float:
    """Y by which an item is sorted in its column; a chapter's number in display type by its top."""
    display = isinstance(item, Line) and item.size > 2 * body_size and item.text.isdigit()
    return item.box[1] if display else middle(item)


def _margin_notes(lines: list[Line], body_size: float) -> list[Line]:
    """Return lines of a pull quote or margin note: another size, left of all running text."""
    body = [i for i in lines if abs(i.size - body_size) <= _SAME_SIZE and len(i.text) > _TEXT_LINE]
    if len(body) < _LEAST_LINES:
        return []
    edge = median(i.x0 for i in body)
    notes = [
        i
        for i in lines
        if i.x1 <= edge + _OVERHANG
        and abs(i.size - body_size) > _OTHER_SIZE
        and not is_lone_bullet(i.text)
        and not (_LABEL.match(i.text) and _heads_row(i, lines))
    ]
    return notes if len(notes) > 1 else []


def _heads_row(label: Line, lines: list[Line]) -> bool:
    """True if text of its own type is right behind a label: the number of an item or a title."""
    return any(
        0 <= i.x0 - label.x1 <= _LABEL_REACH * label.size
        and abs(i.size - label.size) <= _SAME_SIZE
        and abs(middle(i) - middle(label)) <= _SAME_SIZE * label.size
        for i in lines
    )


def _in_flow(lines: list[Line]) -> list[Item]:
    """Return a column's lines, pieces of one printed line joined; texts side by side are units."""
    rows = _pieces(lines)
    rows.sort(key=lambda row: min(i.y0 for i in row))
    out: list[Item] = []
    end = 0
    for run, columns in islands(rows):
        out += _joined(rows[end : run.start])
        out += [LayoutUnit(union([i.box for i in column]), column) for column in columns]
        end = run.stop
    return [*out, *_joined(rows[end:])]


def _pieces(lines: list[Line]) -> list[list[Line]]:
    """Return the pieces of each printed line."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda i: (round(i.y0), i.x0)):
        target = next((row for row in reversed(rows[-6:]) if _same_row(row, line)), None)
        if target is None:
            rows.append([line])
        else:
            target.append(line)
    return rows


def _joined(rows: list[list[Line]]) -> list[Line]:
    """Return each printed line from its pieces."""
    out: list[Line] = []
    for row in rows:
        if len(row) == 1:
            out.append(row[0])
            continue
        # Pieces of a row are separate words: a space before each.
        spans = [
            replace(s, text=f" {s.text}") if s is line.spans[0] else s
            for line in row
            for s in line.spans
        ]
        joined = make_line(spans, row[0].page)
        if joined is not None:
            joined.area = row[0].area
            out.append(joined)
    return out


def _same_row(row: list[Line], line: Line) -> bool:
    """True if a line is a piece of the same printed line as `row`."""
    box = union([r.box for r in row])
    overlap = min(box[3], line.y1) - max(box[1], line.y0)
    if overlap < 0.5 * min(box[3] - box[1], line.y1 - line.y0) or row[0].area != line.area:
        return False
    gap = max(line.x0 - box[2], box[0] - line.x1)
    restyled = row[-1].color != line.color and abs(row[-1].size - line.size) > _OTHER_SIZE
    if restyled and gap > _LABEL_GAP * line.size:
        return False  # a display label next to a title
    largest = max(r.size for r in row)
    if not _SMALLEST * largest <= line.size <= _LARGEST * largest:
        return False
    # Pieces of one printed line never overlap.
    return all(r.x1 <= line.x0 + 2 or r.x0 >= line.x1 - 2 for r in row)
