"""The padding that word processors leave between the shading of a paragraph and its cell's rules.

Both edges are drawn, so that a shaded header has columns of five points that no other row has, and
no row fills all columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.parse.pdf.page import Box, RuledGrid, Span, centre, contains

if TYPE_CHECKING:
    from collections.abc import Sequence

_WIDEST = 8.0  # points; 0.075 inch, 5.4 points, is the usual setting


def without_padding(grid: RuledGrid, words: Sequence[Span]) -> RuledGrid:
    """Return a grid without the empty strips next to its cells, whose edges become one edge.

    An edge that also bounds a narrow cell with text stays where it is.
    """
    cells = [c for row in grid.cells for c in row if c is not None]
    narrow = [c for c in cells if c[2] - c[0] < _WIDEST]
    if not narrow:
        return grid
    filled = [c for c in narrow if any(_holds(c, word) for word in words)]
    kept = {edge for c in filled for edge in (c[0], c[2])}
    strips = [c for c in narrow if kept.isdisjoint((c[0], c[2]))]
    edges = _merged(strips)
    rows = [_moved(row, strips, edges) for row in grid.cells]
    lefts = sorted({c[0] for row in rows for c in row})
    if len(lefts) <= 1 or any(len({c[0] for c in row}) < max(len(row), 1) for row in rows):
        return grid  # a chart: edges that are no columns
    placed = tuple(
        tuple(next((c for c in row if c[0] == left), None) for left in lefts) for row in rows
    )
    return RuledGrid(grid.box, placed, grid.open_rows)


def _holds(cell: Box, word: Span) -> bool:
    return cell[0] <= centre(word.box)[0] <= cell[2] and contains(cell, word.box, _WIDEST)


def _merged(strips: Sequence[Box]) -> dict[float, float]:
    """Return what each edge of the strips becomes: the middle one of those that touch."""
    groups: list[set[float]] = []
    for strip in strips:
        ends = {strip[0], strip[2]}
        touching = [g for g in groups if not ends.isdisjoint(g)]
        groups = [g for g in groups if all(g is not t for t in touching)]
        groups.append(ends.union(*touching))
    return {edge: sorted(g)[len(g) // 2] for g in groups for edge in g}


def _moved(
    row: Sequence[Box | None], strips: Sequence[Box], edges: dict[float, float]
) -> list[Box]:
    """Return the cells of a row that are no strips, on the edges that are left."""
    return [
        (edges.get(c[0], c[0]), c[1], edges.get(c[2], c[2]), c[3])
        for c in row
        if c is not None and c not in strips
    ]
