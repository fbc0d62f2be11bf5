"""Who belongs to what: a figure that stands beside a name which stands beside another figure.

Each figure of a text has the names (drugs, people) next to it, the nearer the heavier. A figure of
the claim is displaced when its names fit another figure of the evidence clearly better than any of
its own. Pure.
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple

REACH = 2
"""Names looked at on each side."""
JOINING = 3
"""Words that may stand between a figure and the name it belongs to."""
_PARTING = re.compile(r"[,;:]|\b(?:and|or|but|then)\b")
MARGIN = 0.1
"""By how much another figure must fit better."""


class Placed(NamedTuple):
    """Something that stands in a text."""

    start: int
    end: int
    name: str


class Reading(NamedTuple):
    """A text with its figures and its names, each in order."""

    text: str
    figures: list[Placed]
    names: list[Placed]


def displaced(claim: Reading, evidence: Reading) -> set[str]:
    """Figures of the claim that stand in the place of another one of the evidence.

    Args:
        claim: the claim.
        evidence: the sentence it is made from.
    """
    kinds = {figure.name for figure in evidence.figures}
    names = {name.name for name in evidence.names}
    if len(kinds) < 2 or len(names) < 2:
        return set()
    there = [(figure.name, _around(figure, evidence)) for figure in evidence.figures]
    wrong: set[str] = set()
    for figure in claim.figures:
        if figure.name not in kinds:
            continue
        own = _around(figure, claim)
        fits: dict[str, float] = {}
        for name, around in there:
            fits[name] = max(fits.get(name, 0.0), _fit(own, around))
        best = max(fit for name, fit in fits.items() if name != figure.name)
        if best > fits[figure.name] + MARGIN:
            wrong.add(figure.name)
    return wrong


def _around(figure: Placed, reading: Reading) -> dict[str, float]:
    """Weight of each name near a figure: 2 for one that touches it, 1 for the next, then half."""
    before = [n for n in reading.names if n.end <= figure.start][::-1][:REACH]
    after = [n for n in reading.names if n.start >= figure.end][:REACH]
    weights: dict[str, float] = {}
    for side in (before, after):
        for distance, name in enumerate(side, start=1):
            gap = reading.text[min(name.end, figure.end) : max(name.start, figure.start)]
            weight = 2.0 if distance == 1 and _touches(gap) else 1 / distance
            weights[name.name] = max(weights.get(name.name, 0.0), weight)
    return weights


def _fit(one: dict[str, float], other: dict[str, float]) -> float:
    """Cosine of two weightings, in [0, 1]; equal ones fit best."""
    product = sum(weight * other.get(key, 0.0) for key, weight in one.items())
    norms = math.hypot(*one.values()) * math.hypot(*other.values())
    return product / norms if norms else 0.0


def _touches(gap: str) -> bool:
    """Whether what stands between a figure and a name joins them ("300 mg of isoniazid")."""
    return len(gap.split()) <= JOINING and not _PARTING.search(gap)
