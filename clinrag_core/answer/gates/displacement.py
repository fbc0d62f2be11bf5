"""Who belongs to what: a figure that stands beside a name which stands beside another figure.

Each figure of a text has the names (drugs, people) next to it, the nearer the heavier. A figure of
the claim is displaced when its names fit another figure of the evidence clearly better than any of
its own. Pure.
"""

from __future__ import annotations

from typing import NamedTuple

REACH = 2
"""Names looked at on each side."""
MARGIN = 0.25
"""By how much another figure must fit better."""


class Placed(NamedTuple):
    """Something that stands in a text."""

    start: int
    end: int
    name: str


def displaced(
    claim: tuple[list[Placed], list[Placed]], evidence: tuple[list[Placed], list[Placed]]
) -> set[str]:
    """Figures of the claim that stand in the place of another one of the evidence.

    Args:
        claim: its figures and its names, each in order.
        evidence: the same of the sentence it is made from.
    """
    figures, names = evidence
    kinds = {figure.name for figure in figures}
    if len(kinds) < 2 or len({n.name for n in names}) < 2:  # noqa: PLR2004 - nothing to confuse
        return set()
    there = [(figure.name, _around(figure, names)) for figure in figures]
    wrong: set[str] = set()
    for figure in claim[0]:
        if figure.name not in kinds:
            continue
        own = _around(figure, claim[1])
        fits: dict[str, float] = {}
        for name, around in there:
            fit = sum(weight * around.get(key, 0.0) for key, weight in own.items())
            fits[name] = max(fits.get(name, 0.0), fit)
        best = max(fit for name, fit in fits.items() if name != figure.name)
        if best > fits[figure.name] + MARGIN:
            wrong.add(figure.name)
    return wrong


def _around(figure: Placed, names: list[Placed]) -> dict[str, float]:
    """Weight of each name near a figure: 1 for the next one on a side, half for the one beyond."""
    before = [n.name for n in names if n.end <= figure.start][::-1][:REACH]
    after = [n.name for n in names if n.start >= figure.end][:REACH]
    weights: dict[str, float] = {}
    for side in (before, after):
        for distance, name in enumerate(side, start=1):
            weights[name] = max(weights.get(name, 0.0), 1 / distance)
    return weights
