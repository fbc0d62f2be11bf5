"""The inner loop of BM25 search, compiled: add up postings, keep the best.

The same additions in the same order as `BM25Index.scores`, so the same scores bit for bit; it
releases the GIL. Compiled once and cached on disk by numba.
"""

from __future__ import annotations

import heapq
from functools import cache
from typing import Any


@cache
def top_kernel() -> Any:
    """Return `_top`, compiled."""
    import numba as library

    numba: Any = library  # its configuration is untyped
    before = numba.config.DISABLE_JIT
    numba.config.DISABLE_JIT = 0  # ranx switches it on for its functions
    try:
        return numba.njit(nogil=True, cache=True)(_top)
    finally:
        numba.config.DISABLE_JIT = before


def _top(  # noqa: PLR0913, PLR0917 - numba compiles plain arrays only
    starts: Any,
    rows: Any,
    values: Any,
    columns: Any,
    k: int,
    ranks: Any,
    mask: Any,
    scores: Any,
    touched: Any,
) -> Any:
    """Return the `k` best rows by (-score, rank) as (score, -rank, row), in the order of a heap.

    Args:
        starts: with `rows` and `values` the postings, see `Impacts`.
        rows: see `starts`.
        values: see `starts`.
        columns: terms of the question.
        k: at least 1.
        ranks: order of rows of equal score.
        mask: by row, True for rows that are admitted; empty admits all.
        scores: zeroed float64 buffer, one element a row; zeroed again on return.
        touched: int32 buffer, one element a row.
    """
    count = 0
    for column in columns:
        for entry in range(starts[column], starts[column + 1]):
            row = rows[entry]
            if scores[row] == 0.0:
                touched[count] = row
                count += 1
            scores[row] += values[entry]
    best = [(0.0, -ranks[0], touched[0])]
    best.pop()  # numba needs a first element to know the type
    for i in range(count):
        row = touched[i]
        candidate = (scores[row], -ranks[row], row)
        scores[row] = 0.0
        if len(mask) > 0 and not mask[row]:
            continue
        if len(best) < k:
            heapq.heappush(best, candidate)
        elif candidate > best[0]:
            heapq.heapreplace(best, candidate)
    return best
