"""Rules of open tables completed to a frame.

Many publishers rule a table inside only: lines between the rows, lines between the columns that run
on below the last row, nothing at the sides or at the foot. Without a frame the outer columns and
the last row have no four corners and would be lost.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

_SAME = 6.0  # points between the ends of rules of one table, which are drawn by hand
_TOUCH = 3.0  # points by which a rule may miss another
_CLOSED = 0.4  # of the height of a row: with more of it ruled, the side is drawn there
_FEWEST = 2  # rules across of a table; a single one with a rule down is a cross or a chart's axes


class Rule(NamedTuple):
    """A straight rule, or one side of a rectangle."""

    at: float  # y of a horizontal rule, x of a vertical one
    start: float
    end: float


def with_frames(across: list[Rule], down: list[Rule]) -> tuple[list[Rule], list[Rule]]:
    """Rules with the sides and the foot added that the rules of an open table imply."""
    across, down = list(across), list(down)
    for group in _same_extent(across):
        left, right = min(r.start for r in group), max(r.end for r in group)
        inner = [v for v in down if left + _SAME < v.at < right - _SAME]
        for run in _connected(group, inner):
            top, bottom = run[0].at, _foot(run[-1].at, inner)
            levels = [*(r.at for r in run), *([bottom] if bottom > run[-1].at else [])]
            if all(_is_closed(x, levels, down) for x in (left, right)):
                continue
            across = [r for r in across if r not in run]
            across += [Rule(r.at, left, right) for r in run]
            if bottom > run[-1].at:
                across.append(Rule(bottom, left, right))
            down = [v for v in down if not _is_side(v, left, right, top, bottom)]
            down += [Rule(x, top, bottom) for x in (left, right)]
    return sorted(across), sorted(down)


def _is_closed(x: float, levels: list[float], down: list[Rule]) -> bool:
    """Return whether a side of a table is drawn along each row, not by shading of one row only."""
    return all(_covered(x, a, b, down) >= _CLOSED for a, b in pairwise(levels) if b - a > _SAME)


def _covered(x: float, top: float, bottom: float, down: list[Rule]) -> float:
    """Return the share of the side of a table that rules down cover."""
    near = [v for v in down if abs(v.at - x) <= _SAME]
    height = max(bottom - top, _TOUCH)
    return sum(max(min(v.end, bottom) - max(v.start, top), 0) for v in near) / height


def _is_side(rule: Rule, left: float, right: float, top: float, bottom: float) -> bool:
    """True if a rule down is part of the side of a table."""
    at_side = min(abs(rule.at - left), abs(rule.at - right)) <= _SAME
    return at_side and rule.start >= top - _SAME and rule.end <= bottom + _SAME


def _same_extent(across: list[Rule]) -> list[list[Rule]]:
    """Groups of rules across that begin and end at the same places, each from the top."""
    groups: list[list[Rule]] = []
    for rule in sorted(across, key=lambda r: (r.start, r.end, r.at)):
        group = next((g for g in groups if _is_like(g[0], rule)), None)
        if group is None:
            groups.append([rule])
        else:
            group.append(rule)
    return [sorted(g) for g in groups if len(g) >= _FEWEST]


def _is_like(a: Rule, b: Rule) -> bool:
    return abs(a.start - b.start) <= _SAME and abs(a.end - b.end) <= _SAME


def _connected(group: list[Rule], inner: list[Rule]) -> list[list[Rule]]:
    """Return runs of rules across that a rule between columns joins, so they are one table."""
    runs = [[group[0]]]
    for above, below in pairwise(group):
        if any(v.start <= above.at + _SAME and v.end >= below.at - _TOUCH for v in inner):
            runs[-1].append(below)
        else:
            runs.append([below])
    return [run for run in runs if len(run) >= _FEWEST]


def _foot(last: float, inner: list[Rule]) -> float:
    """Y at which a table ends whose last rule across is at `last`.

    It is lower if most of the rules between its columns run on below that rule.
    """
    reaching = [v for v in inner if v.start < last - _SAME and v.end >= last - _TOUCH]
    below = [v.end for v in reaching if v.end > last + _SAME]
    return min(below) if 2 * len(below) > len(reaching) else last
