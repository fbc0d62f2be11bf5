"""Coloured boxes: filled areas that contain text.

WHO prints recommendations in them. Their text is read as a unit, in its place in the column, so it
neither interrupts a sentence nor slips before the heading it belongs to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.parse.pdf.page import Box, area, contains, union

if TYPE_CHECKING:
    from clinrag_core.parse.pdf.page import Page

_MIN_WIDTH = 80.0  # points: narrower fills are table cells and tabs in the margin
_MIN_HEIGHT = 14.0  # points: one line of text with its leading; thinner fills are rules
_MAX_SHARE = 0.75  # of the page: larger fills are backgrounds
_PALE = 0.985  # of white: scanners and printers' white


def find_boxes(page: Page, tables: list[Box]) -> list[Box]:
    """Boxes that contain text, top to bottom; overlapping and touching fills are one box.

    Fills inside the areas of `tables` are cells.
    """
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
    return [
        box
        for box in sorted(_merge(fills), key=lambda b: (b[1], b[0]))
        if area(box) < largest and any(contains(box, line.box) for line in page.lines)
    ]


def assign_boxes(page: Page, boxes: list[Box]) -> None:
    """Write the index of its box into every line that is in one."""
    for line in page.lines:
        line.area = next((i for i, box in enumerate(boxes) if contains(box, line.box)), -1)


def _merge(boxes: list[Box]) -> list[Box]:
    """Boxes with those that touch or overlap joined into one."""
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
