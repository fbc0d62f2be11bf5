"""Which figure belongs to which name: finds figures that were exchanged.

Each figure of a text has the names (drugs, people) next to it, the nearer the heavier. A figure of
the claim is displaced when its names fit another figure of the evidence clearly better than the
same figure there. Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.similarity import cosine

if TYPE_CHECKING:
    from clinrag_core.facts.spans import NamedSpan

REACH = 2
"""Names on each side that count."""
JOINING = 3
"""Most words between a figure and the name it belongs to ("300 mg of the drug isoniazid")."""
_PARTING = lazy_re(r"[,;:]|\b(?:and|or|but|then)\b")
MARGIN = 0.1
"""By how much (of a cosine) another figure must fit better; equal fits decide nothing."""


class Layout(NamedTuple):
    """A text with its figures and its names, each in order."""

    text: str
    figures: list[NamedSpan]
    names: list[NamedSpan]


def displaced(claim: Layout, evidence: Layout) -> set[str]:
    """Return figures of the claim that replace another one of the sentence it is made from."""
    kinds = {figure.name for figure in evidence.figures}
    names = {name.name for name in evidence.names}
    if min(len(kinds), len(names)) <= 1:  # nothing to exchange
        return set()
    there = [(figure.name, _names_near(figure, evidence)) for figure in evidence.figures]
    wrong: set[str] = set()
    for figure in claim.figures:
        if figure.name not in kinds:
            continue
        own = _names_near(figure, claim)
        fits: dict[str, float] = {}
        for name, around in there:
            fits[name] = max(fits.get(name, 0.0), cosine(own, around))
        best = max(fit for name, fit in fits.items() if name != figure.name)
        if best > fits[figure.name] + MARGIN:
            wrong.add(figure.name)
    return wrong


def _names_near(figure: NamedSpan, layout: Layout) -> dict[str, float]:
    """Return the weight of each name near a figure: 2 if it touches it, else 1, then half."""
    before = [n for n in layout.names if n.end <= figure.start][::-1][:REACH]
    after = [n for n in layout.names if n.start >= figure.end][:REACH]
    weights: dict[str, float] = {}
    for side in (before, after):
        for distance, name in enumerate(side, start=1):
            gap = layout.text[min(name.end, figure.end) : max(name.start, figure.start)]
            weight = 2.0 if distance == 1 and _touches(gap) else 1 / distance
            weights[name.name] = max(weights.get(name.name, 0.0), weight)
    return weights


def _touches(gap: str) -> bool:
    """Return whether the words between a figure and a name join them ("300 mg of isoniazid")."""
    return len(gap.split()) <= JOINING and not _PARTING.search(gap)
