"""Finds a figure of a claim that stands next to another holder than in its evidence.

"Daily or three times a week in the intensive phase, daily in the continuation phase" has every
figure and phase of two sentences that say it the other way round. All sentences of the evidence
are read, not the one most alike. Pure.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from clinrag_core.facts.concepts import FIGURE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clinrag_core.facts.concepts import Concept

_HOLDING = frozenset({
    "phase", "dose_part", "age_group", "sex", "severity", "trimester", "line", "study_arm",
    "level", "body_build", "metaboliser", "term", "health", "course", "tuberculosis",
})  # fmt: skip
"""Families of what a figure is said of."""
NEAR = 2
"""Concepts from a figure to its holder, at most."""
CLEAR = 3
"""Concepts by which another holder is farther away, in the claim and the evidence together; by one
in either."""


def held_by_others(
    claim: Sequence[Sequence[Concept]], evidence: Sequence[Sequence[Concept]]
) -> list[str]:
    """Return figures of the sentences of a claim that their evidence has with another holder."""
    said, stated = _holders(claim), _holders(evidence)
    named = [{c.key for sentence in text for c in sentence} for text in (claim, evidence)]
    wrong: list[str] = []
    for (figure, family), (holder, margin) in said.items():
        other, further = stated.get((figure, family), (holder, 0))
        both = {(family, holder), (family, other)}
        if other != holder and margin + further >= CLEAR and all(both <= one for one in named):
            wrong.append(figure)
    return wrong


def _holders(sentences: Sequence[Sequence[Concept]]) -> dict[tuple[str, str], tuple[str, int]]:
    """Return the holder of each figure that is named once, by family, and how clear that is."""
    times = Counter(c.value for s in sentences for c in s if c.family == FIGURE)
    return {
        (figure, family): held
        for sentence in sentences
        for figure, family, held in _held_figures(sentence)
        if times[figure] == 1
    }


def _held_figures(sentence: Sequence[Concept]) -> Iterator[tuple[str, str, tuple[str, int]]]:
    """Yield each figure of a sentence with a family, its nearest holder of it and the margin."""
    for family in {c.family for c in sentence} & _HOLDING:
        row = [c for c in sentence if c.family in {family, FIGURE}]
        for at, figure in enumerate(row):
            if figure.family != FIGURE:
                continue
            values: dict[str, int] = {}
            for place, one in enumerate(row):
                if one.family == family:
                    values[one.value] = min(values.get(one.value, len(row)), abs(place - at))
            (first, best), *rest = sorted(values.items(), key=lambda item: item[1])
            margin = min((distance for _, distance in rest), default=len(row)) - best
            if best <= NEAR and margin:
                yield figure.value, family, (first, min(margin, CLEAR - 1))
