"""Reading order: lines and units of a page -> columns, top to bottom.

A page is cut at a gutter that no or few lines cross and that has real text on both sides; what
crosses it (titles, wide tables) separates bands. Within a column, lines of one row are joined;
notes in the margin and footnotes are set aside, so that they do not cut sentences.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import pairwise
from statistics import median

from clinrag_core.parse.pdf_page import Box, Line, Span, make_line, union

_STEP = 2.0
_CROSSING = 0.12  # share of the text height that may cross a gutter
_SIDE = 0.18  # share of the characters each side must have
_LEAST_LINES = 4
_WIDE = 0.5  # of the column: lines of running text are wider
_GAP = 6.0  # points
_MIN_COLUMN = 90.0
_LEAST_ROWS = 5
_DEEPEST = 4


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
    gutter = _gutter(items) if depth < _DEEPEST else None
    if gutter is not None:
        return _in_columns(items, gutter, body_size, depth)
    zone = _zone(items) if depth < _DEEPEST else None
    if zone is None:
        return _column(items, body_size)
    x, top, bottom = zone
    inside = [i for i in items if top <= _middle(i) <= bottom]
    return [
        *_ordered([i for i in items if _middle(i) < top], body_size, depth + 1),
        *_in_columns(inside, x, body_size, depth),
        *_ordered([i for i in items if _middle(i) > bottom], body_size, depth + 1),
    ]


def _in_columns(items: list[Item], gutter: float, body_size: float, depth: int) -> list[Item]:
    crossing = [i for i in items if i.box[0] < gutter - _GAP and i.box[2] > gutter + _GAP]
    crossing += _rest_of_titles(items, crossing, body_size)
    ids = {id(i) for i in crossing}
    rest = [i for i in items if id(i) not in ids]
    out: list[Item] = []
    start = float("-inf")
    for top, members in [*_bands(crossing), (float("inf"), [])]:
        band = [i for i in rest if start <= _middle(i) < top]
        out.extend(_ordered([i for i in band if _centre(i) < gutter], body_size, depth + 1))
        out.extend(_ordered([i for i in band if _centre(i) >= gutter], body_size, depth + 1))
        out.extend(_column(members, body_size))
        start = top
    return out


def _rest_of_titles(items: list[Item], crossing: list[Item], body_size: float) -> list[Item]:
    """Lines of a title over both columns that are themselves too short to cross the gutter."""
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
    bands: list[tuple[float, float, list[Item]]] = []
    for item in sorted(crossing, key=lambda i: (i.box[1], i.box[0])):
        top, bottom = item.box[1], item.box[3]
        if bands and top - bands[-1][1] < _GAP:
            first, last, members = bands[-1]
            bands[-1] = (first, max(last, bottom), [*members, item])
        else:
            bands.append((top, bottom, [item]))
    return [(top, members) for top, _, members in bands]


def _zone(items: list[Item]) -> tuple[float, float, float] | None:
    """A part of the page in two columns: x of its gutter, its top and bottom.

    Both columns must be lists or long text: two columns of short lines may be the rows of an
    unruled table, which must not be torn apart.
    """
    rows = _y_rows(items)
    gaps = Counter(
        round((b.box[0] - _GAP) / 3) * 3
        for row in rows
        for a, b in pairwise(row)
        if b.box[0] - a.box[2] > 2 * _GAP
    )
    for x, count in gaps.most_common(4):
        if count < _LEAST_ROWS:
            break
        run = _longest_run(rows, float(x))
        lines = [i for row in run for i in row if isinstance(i, Line)]
        if len(run) >= _LEAST_ROWS and len(lines) == sum(len(r) for r in run):
            left, right = min(i.x0 for i in lines), max(i.x1 for i in lines)
            if _is_gutter(lines, float(x), left, right) and _is_text(lines, float(x)):
                return float(x), min(i.y0 for i in lines), max(i.y1 for i in lines)
    return None


def _y_rows(items: list[Item]) -> list[list[Item]]:
    rows: list[list[Item]] = []
    for item in sorted(items, key=lambda i: (_middle(i), i.box[0])):
        if rows and abs(_middle(rows[-1][0]) - _middle(item)) < 4:
            rows[-1].append(item)
        else:
            rows.append([item])
    return [sorted(row, key=lambda i: i.box[0]) for row in rows]


def _longest_run(rows: list[list[Item]], x: float) -> list[list[Item]]:
    """Longest run of rows that nothing crosses at x and that have both sides filled often."""
    best: list[list[Item]] = []
    run: list[list[Item]] = []
    for row in [*rows, None]:
        if row is not None and not any(i.box[0] < x - 1 and i.box[2] > x + 1 for i in row):
            run.append(row)
            continue
        while run and not _both(run[0], x):
            run = run[1:]
        last = max((n for n, r in enumerate(run) if _both(r, x)), default=-1)
        # The column that is longer ends in rows of its own, set no further apart.
        while last + 1 < len(run) and run[last + 1][0].box[1] - run[last][0].box[3] < 4:
            last += 1
        run = run[: last + 1]
        if sum(_both(r, x) for r in run) > sum(_both(r, x) for r in best):
            best = run
        run = []
    return best


def _both(row: list[Item], x: float) -> bool:
    return row[0].box[2] <= x + _GAP and row[-1].box[0] >= x - _GAP


def _is_text(lines: list[Line], x: float) -> bool:
    sides = ([i for i in lines if i.x1 <= x + _GAP], [i for i in lines if i.x0 >= x - _GAP])
    if all(sum(i.text.startswith("•") for i in side) >= 2 for side in sides):
        return True
    return all(len(side) >= 8 and median(len(i.text) for i in side) >= 30 for side in sides)


def _gutter(items: list[Item]) -> float | None:
    """X of the clearest gutter, None where the items are one column."""
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
    flow.sort(key=lambda i: (round(_level(i, body_size), 1), i.box[0]))
    if aside:
        flow.append(Unit(union([i.box for i in aside]), "aside", lines=_rows(aside)))
    return flow


def _level(item: Item, body_size: float) -> float:
    """Where an item stands in its column; a chapter's number in display type at its top."""
    display = isinstance(item, Line) and item.size > 2 * body_size and item.text.isdigit()
    return item.box[1] if display else _middle(item)


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
        spans: list[Span] = [s for line in row for s in _apart(line)]
        joined = make_line(spans, row[0].page)
        if joined is not None:
            joined.area = row[0].area
            out.append(joined)
    return out


def _apart(line: Line) -> list[Span]:
    """A line's runs, a space before the first: pieces of a row are words of their own."""
    first, *rest = line.spans
    return [replace(first, text=f" {first.text}"), *rest]


def _same_row(row: list[Line], line: Line) -> bool:
    box = union([r.box for r in row])
    overlap = min(box[3], line.y1) - max(box[1], line.y0)
    if overlap < 0.5 * min(box[3] - box[1], line.y1 - line.y0):
        return False
    if row[0].area != line.area:
        return False
    gap = max(line.x0 - box[2], box[0] - line.x1)
    last = row[-1]
    if gap > 1.5 * line.size and last.color != line.color and abs(last.size - line.size) > 1.5:
        return False  # a display label beside a title
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
