"""Who belongs to what: a mention that stands among words which stand beside another one.

Each mention (a drug, a quantity) has the key stems around it, the nearer the heavier. A mention of
the claim is displaced when its words fit another mention of the evidence clearly better than any
of its own. Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.text.stems import key_stems

if TYPE_CHECKING:
    from collections.abc import Mapping

REACH = 3
"""Key stems looked at on each side."""
MARGIN = 0.5
"""By how much another mention must fit better."""


class Anchor(NamedTuple):
    """Something that belongs to the words around it."""

    start: int
    end: int
    name: str


Anchored = tuple[str, list[Anchor]]
"""A text and its anchors."""


def displaced(claim: Anchored, evidence: Anchored) -> set[str]:
    """Names of the claim's anchors that stand in the place of another one of the evidence."""
    names = {anchor.name for anchor in evidence[1]}
    if len(names) < 2:  # noqa: PLR2004 - nothing to be confused with
        return set()
    there = [(anchor.name, _around(evidence, anchor)) for anchor in evidence[1]]
    wrong: set[str] = set()
    for anchor in claim[1]:
        if anchor.name not in names:
            continue
        own = _around(claim, anchor)
        fits: dict[str, float] = {}
        for name, words in there:
            fits[name] = max(fits.get(name, 0.0), _fit(own, words))
        best = max(fit for name, fit in fits.items() if name != anchor.name)
        if best > fits[anchor.name] + MARGIN:
            wrong.add(anchor.name)
    return wrong


def _around(anchored: Anchored, anchor: Anchor) -> dict[tuple[str, str], float]:
    """Weight of each key stem near an anchor, by side and on either side."""
    text, _ = anchored
    before = key_stems(text[: anchor.start])[::-1][:REACH]
    after = key_stems(text[anchor.end :])[:REACH]
    weights: dict[tuple[str, str], float] = {}
    for side, words in (("left", before), ("right", after)):
        for distance, word in enumerate(words, start=1):
            for where in (side, "either"):
                key = (where, word)
                weights[key] = max(weights.get(key, 0.0), 1 / distance)
    return weights


def _fit(own: Mapping[tuple[str, str], float], words: Mapping[tuple[str, str], float]) -> float:
    return sum(weight * words[key] for key, weight in own.items() if key in words)
