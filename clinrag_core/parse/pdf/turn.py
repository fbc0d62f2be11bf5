"""Pages whose text is turned by a right angle: tables set sideways on an upright page.

Such a page is turned so that its main text reads from left to right; boxes that leave the parser
are in the turned frame, which is how a reader holds the page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from clinrag_core.parse.pdf.page import Box

Direction = Literal["along", "up", "down"]

_STRAIGHT = 0.95  # cosine of 18 degrees: watermarks are set at more


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
        """A box in the turned frame."""
        x0, y0, x1, y1 = box
        if self.direction == "up":
            return (self.height - y1, x0, self.height - y0, x1)
        if self.direction == "down":
            return (y0, self.width - x1, y1, self.width - x0)
        return box

    def base(self, origin: Any) -> float:
        """The base line of a run in the turned frame."""
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
    """How a page must be turned, from the lines of MuPDF: by the direction most text runs in."""
    weight: dict[Direction, int] = {"along": 0, "up": 0, "down": 0}
    for line in lines:
        found = _direction(line["dir"])
        if found is not None:
            weight[found] += sum(len(s["text"]) for s in line["spans"])
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
