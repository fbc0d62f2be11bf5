"""The best rows of an array of scores, in the order that every index gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def best_rows(
    scores: NDArray[np.float64],
    ids: Sequence[str],
    k: int,
    mask: NDArray[np.bool_] | None = None,
) -> list[tuple[str, float]]:
    """Return the `k` best rows as (id, score), scores > 0, ordered by (-score, id).

    Args:
        scores: by row.
        ids: by row.
        k: rows wanted.
        mask: rows admitted; None admits all.
    """
    admitted = scores > 0 if mask is None else (scores > 0) & mask
    rows = np.flatnonzero(admitted)
    if len(rows) > k:  # those that tie with the last one stay in until ids decide
        least = np.partition(scores[rows], len(rows) - k)[len(rows) - k]
        rows = rows[scores[rows] >= least]
    pairs = sorted((-float(scores[row]), ids[row]) for row in rows.tolist())
    return [(chunk_id, -low) for low, chunk_id in pairs[:k]]
