"""Columns of a table without rules between them, from the gaps that its lines share.

Lines of one segment say nothing of columns: titles and wrapped cells run over every gap.
"""

from __future__ import annotations

from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from clinrag_core.parse.pdf.page import by_line, union

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.parse.pdf.page import Box, Span

_SAME_LINE = 0.35  # of the type size between the base lines of one line
_SEGMENT = 0.6  # of the type size: a wider gap divides a line
_NARROWEST = 0.7  # of the type size: gap between columns
_CROSSED = 0.13  # of the lines with several segments may run over a gap
_FEW_LINES = 8  # below that `_CROSSED_FEW` is allowed: one line more is a larger share
_CROSSED_FEW = 0.2  # of the lines
_FEWEST = 5  # lines: below that none may
_BOTH_SIDES = 3  # lines with text on both sides of a gap
_AGREE = 0.45  # of the type size between edges that agree
_AGREEING = 0.25  # of the lines

Segment = list["Span"]


def printed_lines(words: Sequence[Span]) -> list[list[Segment]]:
    """Return words by line and segment, from the top and from the left."""
    lines = sorted(by_line(words, _is_on), key=lambda i: i[0].base)
    return [_segments(sorted(line, key=lambda w: w.box[0])) for line in lines]


def _is_on(word: Span, main: Span) -> bool:
    raised = word.size < 0.85 * main.size and -0.2 * main.size <= main.base - word.base < main.size
    return raised or abs(main.base - word.base) <= _SAME_LINE * main.size


def _segments(line: list[Span]) -> list[Segment]:
    out: list[Segment] = [[line[0]]]
    for a, b in pairwise(line):
        if b.box[0] - a.box[2] > _SEGMENT * max(a.size, b.size):
            out.append([b])
        else:
            out[-1].append(b)
    return out


def box_of(segment: Segment) -> Box:
    """Return the box around a segment."""
    return union([w.box for w in segment])


def column_edges(lines: Sequence[list[Segment]]) -> list[float]:
    """Return the x between the columns of the lines of a table, from the left; none if unclear."""
    several = [[box_of(s) for s in line] for line in lines if len(line) > 1]
    if len(several) < _BOTH_SIDES:
        return []
    size = median(w.size for line in lines for segment in line for w in segment)
    share = _CROSSED if len(several) >= _FEW_LINES else _CROSSED_FEW
    allowed = int(share * len(several)) if len(several) >= _FEWEST else 0
    gaps = _gaps(several, allowed, _NARROWEST * size)
    kept: list[tuple[float, float]] = []
    for gap in gaps:
        right = [n for line in several if (n := _first_right(line, gap)) is not None]
        both = sum(line[0][2] <= gap[1] and line[-1][0] >= gap[0] for line in several)
        if both < min(_BOTH_SIDES, len(several)) or not _agree(right, len(several), size):
            continue
        if kept and not _between(several, kept[-1], gap):
            kept[-1] = max(kept[-1], gap, key=lambda g: g[1] - g[0])
        else:
            kept.append(gap)
    return [(a + b) / 2 for a, b in kept]


def _gaps(lines: Sequence[list[Box]], allowed: int, narrowest: float) -> list[tuple[float, float]]:
    """Stretches of x that at most `allowed` lines run over."""
    changes = sorted(
        [(b[0], 1) for line in lines for b in line] + [(b[2], -1) for line in lines for b in line]
    )
    out: list[tuple[float, float]] = []
    covered = 0
    begin: float | None = None
    for x, change in changes:
        before, covered = covered, covered + change
        if before > allowed >= covered:
            begin = x
        elif before <= allowed < covered and begin is not None:
            if x - begin >= narrowest:
                out.append((begin, x))
            begin = None
    return out


def _first_right(line: Sequence[Box], gap: tuple[float, float]) -> Box | None:
    return next((b for b in line if b[0] >= (gap[0] + gap[1]) / 2), None)


def _agree(boxes: Sequence[Box], lines: int, size: float) -> bool:
    """True if the left edges, right edges or centres of enough segments agree."""
    needed = max(2, _AGREEING * lines)
    for values in (
        [b[0] for b in boxes],
        [b[2] for b in boxes],
        [(b[0] + b[2]) / 2 for b in boxes],
    ):
        if any(sum(abs(v - w) <= _AGREE * size for w in values) >= needed for v in values):
            return True
    return False


def _between(
    lines: Sequence[list[Box]], left: tuple[float, float], right: tuple[float, float]
) -> bool:
    """True if several lines have text between two gaps."""
    return (
        sum(
            any(b[0] >= (left[0] + left[1]) / 2 and b[2] <= (right[0] + right[1]) / 2 for b in line)
            for line in lines
        )
        > 1
    )
