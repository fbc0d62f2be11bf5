"""Context pruning: passages that are off the question, repeat another, or do not fit. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clinrag_core.retrieve.stages.records import PrunedPassage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from clinrag_core.settings.multistage import RefinementSettings


class PrunedContext(NamedTuple):
    """Positions of the passages kept, in their order, and the others with their reasons."""

    kept: list[int]
    pruned: list[PrunedPassage]


def prune(
    ids: Sequence[str],
    vectors: NDArray[np.float32],
    question: NDArray[np.float32],
    tokens: Sequence[int],
    settings: RefinementSettings,
) -> PrunedContext:
    """Return what of an order becomes the context.

    The first passage always does, even if it alone exceeds the budget.

    Args:
        ids: of passages, best first.
        vectors: of norm 1, a row per passage.
        question: vector of norm 1.
        tokens: of each passage.
        settings: relevance, redundancy, budget; without `adaptive_k` the budget does not count.
    """
    kept: list[int] = []
    pruned: list[PrunedPassage] = []
    if not ids:
        return PrunedContext(kept, pruned)
    used = 0
    cosines = vectors @ question.ravel()
    for at, chunk_id in enumerate(ids):
        if settings.least_relevance is not None and cosines[at] < settings.least_relevance:
            pruned.append(PrunedPassage(chunk_id=chunk_id, reason="irrelevant"))
            continue
        near = vectors[kept] @ vectors[at] if kept else np.zeros(0, dtype=np.float32)
        if len(near) and near.max() >= settings.redundant_from:
            repeats = ids[kept[int(near.argmax())]]
            pruned.append(PrunedPassage(chunk_id=chunk_id, reason="redundant", repeats=repeats))
            continue
        if kept and settings.adaptive_k and used + tokens[at] > settings.token_budget:
            pruned.append(PrunedPassage(chunk_id=chunk_id, reason="budget"))
            continue
        kept.append(at)
        used += tokens[at]
    return PrunedContext(kept, pruned)
