"""Maximal marginal relevance: the best passages that do not all say the same.

Source: Carbonell and Goldstein 1998. Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def maximal_marginal_relevance(
    scores: Sequence[float], vectors: NDArray[np.float32], top_k: int, trade_off: float
) -> list[int]:
    """Return the positions of the chosen passages, in the order chosen.

    Each step takes the passage with the greatest
    `trade_off * relevance - (1 - trade_off) * similarity to the nearest one chosen`, relevance
    being the score min-max normalised over the candidates. Ties go to the better ranked.

    Scores are best first; vectors are normalised, shape `(len(scores), dimension)`; `trade_off` is
    lambda in [0, 1], where 1 keeps the given order.
    """
    if not scores:
        return []
    relevance = np.asarray(scores, dtype=np.float64)
    spread = np.ptp(relevance)
    relevance = (relevance - relevance.min()) / spread if spread > 0 else np.ones(len(relevance))
    nearest = np.zeros(len(relevance))
    open_ = np.ones(len(relevance), dtype=bool)
    chosen: list[int] = []
    for _ in range(min(top_k, len(relevance))):
        value = trade_off * relevance - (1 - trade_off) * nearest
        value[~open_] = -np.inf
        best = int(np.argmax(value))
        chosen.append(best)
        open_[best] = False
        nearest = np.maximum(nearest, vectors @ vectors[best])
    return chosen
