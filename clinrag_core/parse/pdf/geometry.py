"""Geometry of MuPDF's pages: coordinates, drawings, and pages with text turned by a right angle.

A page with a table set sideways is turned so that its main text reads from left to right; all boxes
that leave the parser are in the turned frame, as a reader turns the page.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import Any, Literal

from clinrag_core.parse.pdf.page import Box, Fill

Direction = Literal["along", "up", "down"]

_STRAIGHT = 0.95  # cosine of 18 degrees: watermarks are set at more
_SIDES = 4  # of a rectangle
_ALONG = 0.5  # points by which a side may slant
_MAX_ITEMS = 2_000  # of one path
_RGB = 3  # components
_WHITE = 0.985  # of full intensity: paper, not an edge
_FARTHEST = 100_000.0  # points
_MAX_DRAWINGS = 20_000  # of one page: beyond that it is a map or a chart, not a layout


@dataclass(frozen=True, slots=True)
class Turn:
    """Direction in which the main text of a page runs, and the page's printed size."""

    direction: Direction
    width: float = 0.0
    height: float = 0.0

    def size(self, width: float, height: float) -> tuple[float, float]:
        """Width and height once the page is turned."""
        return (width, height) if self.direction == "along" else (height, width)

    def box(self, box: Box) -> Box:
        """Return a box in the turned frame."""
        x0, y0, x1, y1 = box
        if self.direction == "up":
            return (self.height - y1, x0, self.height - y0, x1)
        if self.direction == "down":
            return (y0, self.width - x1, y1, self.width - x0)
        return box

    def base(self, origin: Any) -> float:
        """Return the base line of a run in the turned frame."""
        if self.direction == "up":
            return float(origin[0])
        if self.direction == "down":
            return self.width - float(origin[0])
        return float(origin[1])

    def runs_along(self, direction: Any) -> bool:
        """True if a line of direction (dx, dy) runs with the page's main text."""
        return _direction(direction) == self.direction


UPRIGHT = Turn("along")


def turn_of(lines: list[dict[str, Any]], width: float, height: float) -> Turn:
    """Return how a page must be turned: by the direction that most of its text runs in."""
    weight: Counter[Direction | None] = Counter()
    for line in lines:
        weight[_direction(line["dir"])] += sum(len(s["text"]) for s in line["spans"])
    if weight["along"] >= max(weight["up"], weight["down"]):
        return Turn("along", width, height)
    return Turn("up" if weight["up"] >= weight["down"] else "down", width, height)


def _direction(direction: Any) -> Direction | None:
    dx, dy = float(direction[0]), float(direction[1])
    if abs(dx) > _STRAIGHT:
        return "along"
    if abs(dy) > _STRAIGHT:
        return "up" if dy < 0 else "down"
    return None


def box_of(values: Any) -> Box:
    """Four numbers of MuPDF as a box, to a tenth of a point."""
    x0, y0, x1, y1 = (round(coordinate(v), 1) for v in values)
    return (x0, y0, x1, y1)


def coordinate(value: Any) -> float:
    """Return a coordinate of MuPDF; 0 for what a damaged file makes NaN, infinite or huge."""
    number = float(value)
    return number if math.isfinite(number) and abs(number) <= _FARTHEST else 0.0


def read_fills(drawings: list[dict[str, Any]], turn: Turn) -> list[Fill]:
    """Filled areas, rules and outlines of a page, from MuPDF's vector drawings."""
    out: list[Fill] = []
    for drawing in drawings[:_MAX_DRAWINGS]:
        fill = drawing.get("fill")
        color = fill or drawing.get("color")
        if color is None or len(color) != _RGB:
            continue
        red, green, blue = map(float, color)
        boxes = _shapes(drawing, filled=bool(fill))
        edge = drawing.get("color") if "s" in str(drawing.get("type")) else None
        edged = edge is not None and min(edge) < _WHITE
        out.extend(Fill(turn.box(box), (red, green, blue), bool(fill), edged) for box in boxes)
    return out


def _shapes(drawing: dict[str, Any], *, filled: bool) -> list[Box]:
    """Return boxes of the parts of one path: its rectangles and straight lines, or all of it."""
    items: list[Any] = drawing["items"]
    if len(items) > _MAX_ITEMS:
        return []
    boxes: list[Box] = [box_of(i[1]) for i in items if i[0] == "re"]
    if filled and not boxes:
        return [box_of(drawing["rect"])]
    if not filled and not boxes and _is_rounded(items):
        return [box_of(drawing["rect"])]
    if not filled:
        lines = [(*i[1], *i[2]) for i in items if i[0] == "l"]
        boxes += [box_of((min(a, c), min(b, d), max(a, c), max(b, d))) for a, b, c, d in lines]
    return boxes


def _is_rounded(items: list[Any]) -> bool:
    """True for a rectangle with rounded corners: four sides, each joined to the next by a curve."""
    sides = [(i[1], i[2]) for i in items if i[0] == "l"]
    curves = sum(i[0] == "c" for i in items)
    straight = all(abs(a[0] - b[0]) < _ALONG or abs(a[1] - b[1]) < _ALONG for a, b in sides)
    return _SIDES <= len(sides) <= _SIDES + 1 and curves >= _SIDES and straight
