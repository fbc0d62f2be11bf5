"""A small bar chart as SVG text, for the overview of a report.

The Dagster UI shows Markdown at once only below 1,000 characters, which no bitmap is, and leaves it
215 pixels on a screen of 1,280, so labels are above their bars. Colours read on white, which is
drawn beneath.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from collections.abc import Sequence

ROW = 30
BARS = 200
"""Pixels: the height of a row, the length of a whole bar."""


class Bar(NamedTuple):
    """A value and its limit."""

    label: str
    value: float | None
    limit: float | None
    """Drawn as a tick."""
    passed: bool


def bar_chart(bars: Sequence[Bar], form: str = "{:.3f}") -> str:
    """Bars below each other, green if they pass and red if they do not, with their limits.

    Six bars stay below 1,000 characters, more if labels are short. `form` formats a value.
    """
    numbers = [n for b in bars for n in (b.value, b.limit) if n is not None and math.isfinite(n)]
    scale = BARS / (max(numbers, default=0.0) or 1.0)
    paths = {True: "", False: ""}
    ticks, texts = "", ""
    for row, bar in enumerate(bars):
        top = row * ROW
        number = "-"
        if bar.value is not None and math.isfinite(bar.value):
            # A bar of nothing still shows whether nothing is right.
            length = max(round(bar.value * scale), 2)
            paths[bar.passed] += f"M0 {top + 16}h{length}v9h-{length}"
            number = form.format(bar.value)
        if bar.limit is not None:
            ticks += f"M{round(bar.limit * scale)} {top + 14}v13"
        texts += f"<text y='{top + 12}'>{escape(bar.label)} {number}</text>"
    width, height = BARS + 8, len(bars) * ROW
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}'>"
        f"<path fill='white' d='M0 0h{width}v{height}H0'/>"
        f"<path fill='seagreen' d='{paths[True]}'/><path fill='tomato' d='{paths[False]}'/>"
        f"<path stroke='black' d='{ticks}'/>"
        f"<g font-family='sans-serif' font-size='12'>{texts}</g></svg>"
    )
