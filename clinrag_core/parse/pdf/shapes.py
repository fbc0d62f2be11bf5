"""Vector drawings of MuPDF -> boxes: filled areas, rules, outlines."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from clinrag_core.parse.pdf.page import Box, Fill

if TYPE_CHECKING:
    from clinrag_core.parse.pdf.turn import Turn

_MAX_ITEMS = 2_000  # of one path
_RGB = 3
_FARTHEST = 100_000.0  # points
_MAX_DRAWINGS = 20_000  # of one page: beyond that it is a map or a chart, not a layout


def box_of(values: Any) -> Box:
    """Four numbers of MuPDF as a box, to a tenth of a point."""
    x0, y0, x1, y1 = (round(coordinate(v), 1) for v in values)
    return (x0, y0, x1, y1)


def coordinate(value: Any) -> float:
    """A coordinate or size of MuPDF: 0 for what a damaged file makes NaN, infinite or huge."""
    found = float(value)
    return found if math.isfinite(found) and abs(found) <= _FARTHEST else 0.0


def read_fills(drawings: list[dict[str, Any]], turn: Turn) -> list[Fill]:
    """Filled areas, rules and outlines of a page, from MuPDF's vector drawings."""
    out: list[Fill] = []
    for drawing in drawings[:_MAX_DRAWINGS]:
        fill = drawing.get("fill")
        color = fill or drawing.get("color")
        if color is None or len(color) != _RGB:
            continue
        rgb = (float(color[0]), float(color[1]), float(color[2]))
        boxes = _shapes(drawing, filled=bool(fill))
        out.extend(Fill(turn.box(box), rgb, bool(fill)) for box in boxes)
    return out


def _shapes(drawing: dict[str, Any], *, filled: bool) -> list[Box]:
    """Boxes of the parts of one path: its rectangles and straight lines, or the path as a whole."""
    items: list[Any] = drawing["items"]
    if len(items) > _MAX_ITEMS:
        return []
    boxes: list[Box] = [box_of(i[1]) for i in items if i[0] == "re"]
    if filled and not boxes:
        return [box_of(drawing["rect"])]
    if not filled:
        boxes += [_segment(i[1], i[2]) for i in items if i[0] == "l"]
    return boxes


def _segment(a: Any, b: Any) -> Box:
    xs, ys = sorted((float(a[0]), float(b[0]))), sorted((float(a[1]), float(b[1])))
    return box_of((xs[0], ys[0], xs[1], ys[1]))
