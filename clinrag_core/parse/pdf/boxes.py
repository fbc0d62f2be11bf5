"""Coloured boxes: filled areas that hold text of their own.

WHO prints recommendations in them. Their text is read as a unit, in its place in the column, so it
neither interrupts a sentence nor slips before the heading it belongs to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.parse.pdf.page import Box, area, contains, union

if TYPE_CHECKING:
    from clinrag_core.parse.pdf.page import Fill, Page

_MIN_WIDTH = 80.0  # points: narrower fills are table cells and tabs in the margin
_MIN_HEIGHT = 14.0  # points: one line of text with its leading; thinner fills are rules
_MAX_SHARE = 0.75  # of the page: larger fills are backgrounds
_PALE = 0.985  # of white: scanners and printers' white


def find_boxes(page: Page, taken: list[Box]) -> list[Box]:
    """Boxes that hold text, top to bottom; overlapping and touching fills are one box.

    Args:
        page: the page.
        taken: areas that are tables: fills inside them are cells.
    """
    whole = page.width * page.height
    found = [
        fill.box
        for fill in page.fills
        if fill.filled and _is_box(fill, whole) and not any(contains(t, fill.box, 3) for t in taken)
    ]
    merged = _merge(found)
    return [
        box
        for box in sorted(merged, key=lambda b: (b[1], b[0]))
        if area(box) < _MAX_SHARE * whole and _holds_text(page, box)
    ]


def assign_boxes(page: Page, boxes: list[Box]) -> None:
    """Write the index of its box into every line that lies in one."""
    for line in page.lines:
        for index, box in enumerate(boxes):
            if contains(box, line.box):
                line.area = index
                break


def _is_box(fill: Fill, whole: float) -> bool:
    x0, y0, x1, y1 = fill.box
    if x1 - x0 < _MIN_WIDTH or y1 - y0 < _MIN_HEIGHT or area(fill.box) > _MAX_SHARE * whole:
        return False
    return min(fill.color) < _PALE


def _merge(boxes: list[Box]) -> list[Box]:
    """Boxes with those that touch or overlap joined into one."""
    merged: list[Box] = []
    for box in sorted(boxes, key=lambda b: (b[1], b[0], -b[2], -b[3])):
        grown = box
        changed = True
        while changed:
            changed = False
            for other in merged:
                if _touch(grown, other):
                    merged.remove(other)
                    grown = union([grown, other])
                    changed = True
                    break
        merged.append(grown)
    return merged


def _touch(a: Box, b: Box) -> bool:
    across = min(a[2], b[2]) - max(a[0], b[0])
    down = min(a[3], b[3]) - max(a[1], b[1])
    return across > 0 and down >= 0


def _holds_text(page: Page, box: Box) -> bool:
    return any(contains(box, line.box) for line in page.lines)
