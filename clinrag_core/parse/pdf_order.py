"""Reading order: lines and units of a page -> columns, top to bottom.

A page is cut at a gutter that no or few lines cross and that has real text on both sides; what
crosses it (titles, wide tables) separates bands. Within a column, lines of one row are joined;
notes in the margin and footnotes are set aside, so that they do not cut sentences.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median

from clinrag_core.parse.pdf_page import Box, Line, Span, make_line, union

_STEP = 2.0
_CROSSING = 0.12  # share of the text height that may cross a gutter
_SIDE = 0.18  # share of the characters each side must have
_LEAST_LINES = 4
_WIDE = 0.5  # of the column: lines of running text are wider
_GAP = 6.0  # points
_MIN_COLUMN = 90.0


@dataclass(slots=True)
class Unit:
    """Something placed as a whole: a table, or a box with lines of its own."""

    box: Box
    kind: str
    payload: object = None
    lines: list[Line] = field(default_factory=list[Line])


Item = Line | Unit


def reading_order(items: list[Item], body_size: float) -> list[Item]:
    """Lines (rows joined) and units of a page or box in the order they are read."""
    return _ordered(items, body_size, 0)


def _ordered(items: list[Item], body_size: float, depth: int) -> list[Item]:
    if not items:
        return []
    gutter = _gutter(items) if depth < 3 else None
    if gutter is None:
        return _column(items, body_size)
    crossing = [i for i in items if i.box[0] < gutter - _GAP and i.box[2] > gutter + _GAP]
    ids = {id(i) for i in crossing}
    rest = [i for i in items if id(i) not in ids]
    cuts = sorted(_bands(crossing))
    out: list[Item] = []
    start = float("-inf")
    for top, bottom, members in [*cuts, (float("inf"), float("inf"), [])]:
        band = [i for i in rest if start <= _middle(i) < top]
        for side in (
            [i for i in band if _centre(i) < gutter],
            [i for i in band if _centre(i) >= gutter],
        ):
            out.extend(_ordered(side, body_size, depth + 1))
        out.extend(_column(members, body_size))
        start = top if bottom == float("inf") else top
    return out


def _bands(crossing: list[Item]) -> list[tuple[float, float, list[Item]]]:
    """Crossing items grouped where they touch vertically."""
    bands: list[tuple[float, float, list[Item]]] = []
    for item in sorted(crossing, key=lambda i: (i.box[1], i.box[0])):
        top, bottom = item.box[1], item.box[3]
        if bands and top - bands[-1][1] < 6:
            first, last, members = bands[-1]
            bands[-1] = (first, max(last, bottom), [*members, item])
        else:
            bands.append((top, bottom, [item]))
    return bands


def _gutter(items: list[Item]) -> float | None:
    """x of the clearest gutter, None where the items are one column."""
    left = min(i.box[0] for i in items)
    right = max(i.box[2] for i in items)
    lines = [i for i in items if isinstance(i, Line)]
    if right - left < 2 * _MIN_COLUMN or len(lines) < 2 * _LEAST_LINES:
        return None
    best: tuple[float, float, float] | None = None
    middle = (left + right) / 2
    x = left + _MIN_COLUMN
    while x <= right - _MIN_COLUMN:
        crossed = sum(_height(i) for i in items if i.box[0] < x - 1 and i.box[2] > x + 1)
        key = (crossed, abs(x - middle), x)
        if best is None or key < best:
            best = key
        x += _STEP
    if best is None or best[0] > _CROSSING * sum(_height(i) for i in items):
        return None
    return best[2] if _is_gutter(lines, best[2], left, right) else None


def _is_gutter(lines: list[Line], x: float, left: float, right: float) -> bool:
    a = [i for i in lines if i.box[2] <= x + _GAP]
    b = [i for i in lines if i.box[0] >= x - _GAP]
    if min(len(a), len(b)) < _LEAST_LINES:
        return False
    chars = [sum(len(i.text) for i in side) for side in (a, b)]
    if min(chars) < _SIDE * sum(chars):
        return False
    wide = (
        median(i.box[2] - i.box[0] for i in a) >= _WIDE * (x - left),
        median(i.box[2] - i.box[0] for i in b) >= _WIDE * (right - x),
    )
    if not any(wide):
        return False
    # Short left lines level with right ones are labels of rows, not a column.
    tops = [i.box[1] for i in b]
    level = sum(any(abs(i.box[1] - t) < 3 for t in tops) for i in a)
    return wide[0] or level < 0.6 * len(a)


def _column(items: list[Item], body_size: float) -> list[Item]:
    """One column: rows joined, top to bottom, notes beside and below the text last."""
    if not items:
        return []
    lines = [i for i in items if isinstance(i, Line)]
    units = [i for i in items if not isinstance(i, Line)]
    aside = _beside(lines, body_size)
    ids = {id(line) for line in aside}
    flow: list[Item] = [*_rows([line for line in lines if id(line) not in ids]), *units]
    flow.sort(key=lambda i: (round(_middle(i) if isinstance(i, Line) else i.box[1], 1), i.box[0]))
    if aside:
        flow.append(Unit(union([i.box for i in aside]), "aside", lines=_rows(aside)))
    return flow


def _beside(lines: list[Line], body_size: float) -> list[Line]:
    """Lines of a pull quote or note in the margin: another size, left of all running text."""
    body = [i for i in lines if abs(i.size - body_size) <= 0.6 and len(i.text) > 40]
    if len(body) < 3:
        return []
    edge = median(i.x0 for i in body)
    beside = [i for i in lines if i.x1 <= edge + 2 and abs(i.size - body_size) > 1.5]
    return beside if len(beside) >= 2 else []


def _rows(lines: list[Line]) -> list[Line]:
    """Join pieces of one printed line."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda i: (round(i.y0), i.x0)):
        target = next((row for row in reversed(rows[-6:]) if _same_row(row, line)), None)
        if target is None:
            rows.append([line])
        else:
            target.append(line)
    out: list[Line] = []
    for row in rows:
        if len(row) == 1:
            out.append(row[0])
            continue
        spans: list[Span] = [s for line in row for s in line.spans]
        joined = make_line(spans, row[0].page)
        if joined is not None:
            joined.area = row[0].area
            out.append(joined)
    return out


def _same_row(row: list[Line], line: Line) -> bool:
    box = union([r.box for r in row])
    overlap = min(box[3], line.y1) - max(box[1], line.y0)
    if overlap < 0.5 * min(box[3] - box[1], line.y1 - line.y0):
        return False
    if row[0].area != line.area:
        return False
    largest = max(r.size for r in row)
    ratio = line.size / largest if largest else 1.0
    if not 0.45 <= ratio <= 1.6:
        return False
    # Pieces of one printed line never lie over each other.
    return all(r.x1 <= line.x0 + 2 or r.x0 >= line.x1 - 2 for r in row)


def _middle(item: Item) -> float:
    return (item.box[1] + item.box[3]) / 2 if isinstance(item, Line) else item.box[1]


def _centre(item: Item) -> float:
    return (item.box[0] + item.box[2]) / 2


def _height(item: Item) -> float:
    return item.box[3] - item.box[1]
