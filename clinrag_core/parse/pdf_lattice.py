"""Ruled tables from the lines and rectangles drawn on a page.

The lattice method of Nurminen (2013), as in pdfplumber and PyMuPDF's `find_tables`: edges are
snapped and joined, their crossings give cells, cells that share corners give tables. Written here
because `find_tables` spends 50-100 ms a page on characters that cells do not need; the tests
compare the two.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clinrag_core.parse.pdf_page import Box, Grid, union

if TYPE_CHECKING:
    from clinrag_core.parse.pdf_page import Fill

_THIN = 3.0  # a rectangle no thicker is a rule
_SNAP = 3.0  # edges closer than this are one
_REACH = 3.0  # how far an edge may miss a crossing
_MIN_EDGE = 3.0
_MAX_EDGES = 1_500  # of either direction: beyond that it is a map or a chart
_WHITE = 0.985

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class _Edge:
    at: float  # y of a horizontal edge, x of a vertical one
    start: float
    end: float


def find_grids(fills: list[Fill]) -> list[Grid]:
    """Tables by their rules, top to bottom."""
    across, down = _edges(fills)
    if not across or not down or max(len(across), len(down)) > _MAX_EDGES:
        return []
    across, down = _joined(_snapped(across)), _joined(_snapped(down))
    cells = _cells(across, down)
    return sorted(
        (_grid(group) for group in _tables(cells)), key=lambda g: (g.box[1], g.box[0])
    )


def _edges(fills: list[Fill]) -> tuple[list[_Edge], list[_Edge]]:
    across: list[_Edge] = []
    down: list[_Edge] = []
    for fill in fills:
        x0, y0, x1, y1 = fill.box
        width, height = x1 - x0, y1 - y0
        if height <= _THIN and width > height:
            across.append(_Edge((y0 + y1) / 2, x0, x1))
        elif width <= _THIN:
            down.append(_Edge((x0 + x1) / 2, y0, y1))
        elif not fill.filled or min(fill.color) < _WHITE:
            across += [_Edge(y0, x0, x1), _Edge(y1, x0, x1)]
            down += [_Edge(x0, y0, y1), _Edge(x1, y0, y1)]
    return across, down


def _snapped(edges: list[_Edge]) -> list[_Edge]:
    """Edges nearly level moved to their mean."""
    out: list[_Edge] = []
    cluster: list[_Edge] = []
    for edge in sorted(edges, key=lambda e: (e.at, e.start, e.end)):
        if cluster and edge.at - cluster[-1].at > _SNAP:
            out.extend(_level(cluster))
            cluster = []
        cluster.append(edge)
    return out + _level(cluster)


def _level(cluster: list[_Edge]) -> list[_Edge]:
    if not cluster:
        return []
    mean = round(sum(e.at for e in cluster) / len(cluster), 1)
    return [_Edge(mean, e.start, e.end) for e in cluster]


def _joined(edges: list[_Edge]) -> list[_Edge]:
    """Level edges that touch made one; too short ones dropped."""
    lines: dict[float, list[_Edge]] = defaultdict(list)
    for edge in edges:
        lines[edge.at].append(edge)
    out: list[_Edge] = []
    for at, line in sorted(lines.items()):
        start, end = float("inf"), float("-inf")
        for edge in sorted(line, key=lambda e: (e.start, e.end)):
            if edge.start > end + _SNAP:
                if end - start >= _MIN_EDGE:
                    out.append(_Edge(at, start, end))
                start, end = edge.start, edge.end
            else:
                end = max(end, edge.end)
        if end - start >= _MIN_EDGE:
            out.append(_Edge(at, start, end))
    return out


def _cells(across: list[_Edge], down: list[_Edge]) -> list[Box]:
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
    found: list[Box] = []
    for point in points:
        below = [p for p in by_x[point[0]] if p[1] > point[1] and _share(columns, point, p)]
        right = [p for p in by_y[point[1]] if p[0] > point[0] and _share(rows, point, p)]
        cell = _smallest(point, below, right, rows, columns)
        if cell is not None:
            found.append(cell)
    return found


def _smallest(
    point: Point,
    below: list[Point],
    right: list[Point],
    rows: dict[Point, list[int]],
    columns: dict[Point, list[int]],
) -> Box | None:
    for low in below:
        for far in right:
            corner = (far[0], low[1])
            if corner in rows and _share(columns, far, corner) and _share(rows, low, corner):
                return (point[0], point[1], corner[0], corner[1])
    return None


def _share(edges: dict[Point, list[int]], a: Point, b: Point) -> bool:
    return not set(edges[a]).isdisjoint(edges[b])


def _tables(cells: list[Box]) -> list[list[Box]]:
    """Cells grouped by shared corners, by union-find."""
    parent = list(range(len(cells)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    corners: dict[Point, int] = {}
    for i, (x0, y0, x1, y1) in enumerate(cells):
        for corner in ((x0, y0), (x0, y1), (x1, y0), (x1, y1)):
            if corner in corners:
                parent[root(i)] = root(corners[corner])
            else:
                corners[corner] = i
    groups: dict[int, list[Box]] = defaultdict(list)
    for i, cell in enumerate(cells):
        groups[root(i)].append(cell)
    return [g for g in groups.values() if len(g) > 1]


def _grid(cells: list[Box]) -> Grid:
    lefts = sorted({c[0] for c in cells})
    tops = sorted({c[1] for c in cells})
    held = {(c[1], c[0]): c for c in cells}
    rows = tuple(tuple(held.get((top, left)) for left in lefts) for top in tops)
    return Grid(union(cells), rows)
