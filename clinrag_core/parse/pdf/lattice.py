"""Ruled tables from the lines and rectangles drawn on a page.

The lattice method of Nurminen (2013), as in pdfplumber and PyMuPDF's `find_tables`: edges are
snapped and joined, their crossings give cells, cells that share corners give tables. Written here
because `find_tables` spends 50-100 ms a page on characters that cells do not need; the tests
compare the two.
"""

from __future__ import annotations

from collections import defaultdict

from clinrag_core.parse.pdf.page import Box, Fill, RuledGrid, union
from clinrag_core.parse.pdf.rules import Rule, with_frames

_THIN = 3.0  # a rectangle no thicker is a rule
_SNAP = 3.0  # edges closer than this are one
_REACH = 3.0  # how far an edge may miss a crossing
_MIN_EDGE = 3.0  # shorter edges are dots and the ends of rules
_MAX_EDGES = 1_500  # of either direction: beyond that it is a map or a chart
_WHITE = 0.985  # of full intensity: paper
_COVERED = 0.85  # of a table's width: what a rule must cover to bound its rows
_OVERHANG = 15.0  # a rule that runs further over the frame is not of the table
_FARTHEST = 300.0  # height of the tallest row

Point = tuple[float, float]


def find_grids(fills: list[Fill]) -> list[RuledGrid]:
    """Tables by their rules, top to bottom."""
    across, down = _edges(fills)
    if not across or not down or max(len(across), len(down)) > _MAX_EDGES:
        return []
    across, down = with_frames(_joined(_snapped(across)), _joined(_snapped(down)))
    grids = [_grid(group) for group in _tables(_cells(across, down))]
    grids.sort(key=lambda g: (g.box[1], g.box[0]))
    return [_extended(g, across, [o.box for o in grids if o is not g]) for g in grids]


def _extended(grid: RuledGrid, across: list[Rule], others: list[Box]) -> RuledGrid:
    """Return a grid with the rows below it that only rules across bound.

    Many tables rule their header like a grid and their body by lines alone.
    """
    x0, _, x1, bottom = grid.box
    width = len(grid.cells[0])
    rows = list(grid.cells)
    levels = sorted({e.at for e in across if e.at > bottom + 2})
    for level in levels:
        rules = [e for e in across if e.at == level]
        blocked = any(
            bottom < o[1] + 2 and o[1] < level - 2 and o[0] < x1 and o[2] > x0 for o in others
        )
        if level - bottom > _FARTHEST or blocked:
            break
        covered = sum(max(min(e.end, x1) - max(e.start, x0), 0) for e in rules)
        overhangs = any(e.start < x0 - _OVERHANG or e.end > x1 + _OVERHANG for e in rules)
        if covered < _COVERED * (x1 - x0) or overhangs:
            continue
        rows.append(((x0, bottom, x1, level), *([None] * (width - 1))))
        bottom = level
    return RuledGrid((x0, grid.box[1], x1, bottom), tuple(rows), len(rows) - len(grid.cells))


def _edges(fills: list[Fill]) -> tuple[list[Rule], list[Rule]]:
    """Horizontal and vertical edges of all fills; a thin rectangle is a single edge."""
    across: list[Rule] = []
    down: list[Rule] = []
    for fill in _stacked(fills):
        x0, y0, x1, y1 = fill.box
        width, height = x1 - x0, y1 - y0
        if height <= _THIN and width > height:
            across.append(Rule((y0 + y1) / 2, x0, x1))
        elif width <= _THIN:
            down.append(Rule((x0 + x1) / 2, y0, y1))
        elif not fill.filled or min(fill.color) < _WHITE:
            across += [Rule(y0, x0, x1), Rule(y1, x0, x1)]
            down += [Rule(x0, y0, y1), Rule(x1, y0, y1)]
    return across, down


def _stacked(fills: list[Fill]) -> list[Fill]:
    """Fills of one colour and width that touch from above are one area: marked lines of text."""
    out: list[Fill] = []
    open_fills: dict[tuple[object, ...], int] = {}
    for fill in sorted(fills, key=lambda f: (f.box[1], f.box[0], f.box[3])):
        x0, y0, x1, y1 = fill.box
        key = (fill.color, round(x0), round(x1))
        index = open_fills.get(key)
        if not fill.filled or y1 - y0 <= _THIN or x1 - x0 <= _THIN:
            out.append(fill)
        elif index is not None and abs(out[index].box[3] - y0) < 1.0:
            out[index] = Fill((*out[index].box[:3], y1), fill.color)
        else:
            open_fills[key] = len(out)
            out.append(fill)
    return out


def _snapped(edges: list[Rule]) -> list[Rule]:
    """Edges nearly level moved to their mean."""
    clusters: list[list[Rule]] = []
    for edge in sorted(edges, key=lambda e: (e.at, e.start, e.end)):
        if not clusters or edge.at - clusters[-1][-1].at > _SNAP:
            clusters.append([])
        clusters[-1].append(edge)
    return [
        Rule(round(sum(e.at for e in cluster) / len(cluster), 1), edge.start, edge.end)
        for cluster in clusters
        for edge in cluster
    ]


def _joined(edges: list[Rule]) -> list[Rule]:
    """Return level edges that touch joined; too short ones dropped."""
    out: list[Rule] = []
    for edge in sorted(edges, key=lambda e: (e.at, e.start, e.end)):
        last = out[-1] if out else None
        if last is not None and last.at == edge.at and edge.start <= last.end + _SNAP:
            out[-1] = Rule(edge.at, last.start, max(last.end, edge.end))
        else:
            out.append(edge)
    return [e for e in out if e.end - e.start >= _MIN_EDGE]


def _cells(across: list[Rule], down: list[Rule]) -> list[Box]:
    """Smallest rectangles whose four corners are crossings joined by edges."""
    rows: dict[Point, list[int]] = defaultdict(list)  # crossing -> horizontal edges through it
    columns: dict[Point, list[int]] = defaultdict(list)
    for j, v in enumerate(down):
        for i, h in enumerate(across):
            meets = v.start - _REACH <= h.at <= v.end + _REACH
            if meets and h.start - _REACH <= v.at <= h.end + _REACH:
                rows[v.at, h.at].append(i)
                columns[v.at, h.at].append(j)
    points = sorted(rows, key=lambda p: (p[1], p[0]))
    by_x: dict[float, list[Point]] = defaultdict(list)
    by_y: dict[float, list[Point]] = defaultdict(list)
    for point in points:
        by_x[point[0]].append(point)
        by_y[point[1]].append(point)
    cells: list[Box] = []
    for point in points:
        below = [p for p in by_x[point[0]] if p[1] > point[1] and _share(columns, point, p)]
        right = [p for p in by_y[point[1]] if p[0] > point[0] and _share(rows, point, p)]
        corners = ((low, far, (far[0], low[1])) for low in below for far in right)
        corner = next(
            (
                corner
                for low, far, corner in corners
                if corner in rows and _share(columns, far, corner) and _share(rows, low, corner)
            ),
            None,
        )
        if corner is not None:
            cells.append((*point, *corner))
    return cells


def _share(edges: dict[Point, list[int]], a: Point, b: Point) -> bool:
    return not set(edges[a]).isdisjoint(edges[b])


def _tables(cells: list[Box]) -> list[list[Box]]:
    """Return cells grouped by shared corners."""
    groups: list[tuple[set[Point], list[Box]]] = []
    for cell in cells:
        x0, y0, x1, y1 = cell
        corners = {(x0, y0), (x0, y1), (x1, y0), (x1, y1)}
        touching = [group for group in groups if not corners.isdisjoint(group[0])]
        first, *others = touching or [(corners, [])]
        for points, members in [(corners, [cell]), *others]:
            first[0].update(points)
            first[1].extend(members)
        ids = {id(group) for group in touching}
        groups = [*(group for group in groups if id(group) not in ids), first]
    return [members for _, members in groups if len(members) > 1]


def _grid(cells: list[Box]) -> RuledGrid:
    lefts = sorted({c[0] for c in cells})
    tops = sorted({c[1] for c in cells})
    by_corner = {(c[1], c[0]): c for c in cells}
    rows = tuple(tuple(by_corner.get((top, left)) for left in lefts) for top in tops)
    return RuledGrid(union(cells), rows)
