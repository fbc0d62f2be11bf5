"""The inner loop of BM25 search, compiled: add up postings, keep the best.

The same additions in the same order as `BM25Index.scores`, so the same scores bit for bit; it
releases the GIL. Compiled once and cached on disk by numba.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np


@cache
def top_kernel() -> Any:
    """The compiled function `(starts, rows, values, columns, k, ranks, mask, scores, touched)`.

    It gives (rows, scores, count): the `k` best rows by (-score, rank), `count` of them. `scores`
    is a zeroed float64 buffer with a place per row, left zeroed; `touched` an int32 buffer of the
    same length; `mask` has a place per row, or none where every row is admitted.
    """
    import numba as library

    numba: Any = library  # its configuration is untyped
    before = numba.config.DISABLE_JIT
    numba.config.DISABLE_JIT = 0  # the metrics switch it on for their own library
    try:
        return numba.njit(nogil=True, cache=True)(_top)
    finally:
        numba.config.DISABLE_JIT = before


def _top(  # noqa: C901, PLR0912, PLR0913, PLR0917 - one loop, which numba compiles as a whole
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
    """Rows and scores of the k best passages, and how many there are; see `top_rows`."""
    count = 0
    for column in columns:
        for entry in range(starts[column], starts[column + 1]):
            row = rows[entry]
            if scores[row] == 0.0:
                touched[count] = row
                count += 1
            scores[row] += values[entry]
    # A heap of the k best, the worst of them at the root.
    best_rows = np.empty(k, np.int32)
    best = np.empty(k, np.float64)
    size = 0
    for i in range(count):
        row = touched[i]
        score = scores[row]
        scores[row] = 0.0
        if len(mask) > 0 and not mask[row]:
            continue
        if size < k:
            at = size
            size += 1
            while at > 0:
                parent = (at - 1) // 2
                worse = score < best[parent] or (
                    score == best[parent] and ranks[row] > ranks[best_rows[parent]]
                )
                if not worse:
                    break
                best[at] = best[parent]
                best_rows[at] = best_rows[parent]
                at = parent
            best[at] = score
            best_rows[at] = row
            continue
        if score < best[0] or (score == best[0] and ranks[row] > ranks[best_rows[0]]):
            continue
        at = 0
        while True:
            child = 2 * at + 1
            if child >= k:
                break
            other = child + 1
            if other < k and (
                best[other] < best[child]
                or (
                    best[other] == best[child] and ranks[best_rows[other]] > ranks[best_rows[child]]
                )
            ):
                child = other
            worse = best[child] < score or (
                best[child] == score and ranks[best_rows[child]] > ranks[row]
            )
            if not worse:
                break
            best[at] = best[child]
            best_rows[at] = best_rows[child]
            at = child
        best[at] = score
        best_rows[at] = row
    return best_rows, best, size
