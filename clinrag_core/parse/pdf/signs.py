"""Signs that a page puts together from two marks: a line drawn under > makes it ≥.

Older fonts lack ≤, ≥ and ±, so publishers print < > + and draw the bar. The text layer holds only
the upper mark; read as it is, a limit that includes its own value would leave it out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clinrag_core.parse.pdf.geometry import box_of, coordinate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from clinrag_core.parse.pdf.geometry import Turn
    from clinrag_core.parse.pdf.page import Box, Fill, Line

_BARRED = {"<": "≤", ">": "≥", "+": "±"}
_UNCLEAR = frozenset("<>")  # signs whose bar may also be emphasis
_THICKEST = 1.5  # points
_LONGEST = 4.0  # em: longer rules underline a phrase or bound a cell
_BEYOND = 0.3  # em that a bar may begin or end next to its sign
_ABOVE, _BELOW = 0.05, 0.35  # em from the base line


def has_signs(lines: Iterable[Line]) -> bool:
    """Return True if a line holds a sign that a bar would change."""
    return any(sign in line.text for line in lines for sign in _BARRED)


def bars_in(fills: Iterable[Fill], size: float) -> list[Box]:
    """Return the short level rules of a page; `size` is that of its largest type."""
    return [
        f.box
        for f in fills
        if f.box[3] - f.box[1] <= _THICKEST and 1.0 < f.box[2] - f.box[0] <= _LONGEST * size
    ]


def read_bars(lines: Sequence[dict[str, Any]], bars: Sequence[Box], turn: Turn) -> tuple[int, int]:
    """Replace the signs above `bars` in raw lines with characters; returns how many.

    The second number is that of the signs under which a bar begins that runs on below the text
    after them: that may be a bar or emphasis, and they stay as they are.
    """
    read = unclear = 0
    for character, size in _characters(lines, turn):
        sign = str(character["c"])
        if sign not in _BARRED:
            continue
        box, base = turn.box(box_of(character["bbox"])), turn.base(character["origin"])
        reach = _BEYOND * size
        under = [
            b
            for b in bars
            if abs(b[0] - box[0]) <= reach and -_ABOVE * size <= b[1] - base <= _BELOW * size
        ]
        if any(abs(b[2] - box[2]) <= reach for b in under):
            character["c"] = _BARRED[sign]
            read += 1
        elif under and sign in _UNCLEAR:
            unclear += 1
    return read, unclear


def _characters(
    lines: Sequence[dict[str, Any]], turn: Turn
) -> Iterator[tuple[dict[str, Any], float]]:
    """Yield the characters of the lines that run with the page, with their type size."""
    for line in lines:
        if turn.runs_along(line["dir"]):
            for span in line["spans"]:
                size = coordinate(span["size"])
                yield from ((character, size) for character in span["chars"])
