"""The inner loops of BM25 search, compiled: add up postings, keep the best.

The same additions in the same order as `BM25Index.scores`, so the same scores bit for bit; they
release the GIL. Compiled once and cached on disk by numba.
"""

from __future__ import annotations

import heapq
from functools import cache
from typing import Any


@cache
def add_kernel() -> Any:
    """Return `_add`, compiled."""
    return _compiled(_add)


@cache
def best_kernel() -> Any:
    """Return `_best`, compiled."""
    return _compiled(_best)


def _compiled(function: Any) -> Any:
    import numba as library

    numba: Any = library  # its configuration is untyped
    before = numba.config.DISABLE_JIT
    numba.config.DISABLE_JIT = 0  # ranx switches it on for its functions
    try:
        return numba.njit(nogil=True, cache=True)(function)
    finally:
        numba.config.DISABLE_JIT = before


def _add(  # noqa: PLR0913, PLR0917 - numba compiles plain arrays only
    starts: Any,
    rows: Any,
    frequencies: Any,
    columns: Any,
    weights: Any,
    gain: Any,
    norms: Any,
    scores: Any,
    touched: Any,
    first: Any,
    count: Any,
) -> Any:
    """Add the scores of some terms in one part; return how many rows are touched now.

    Args:
        starts: with `rows` and `frequencies` the part's postings, see `Postings`.
        rows: see `starts`.
        frequencies: see `starts`.
        columns: terms of the question in this part.
        weights: idf of each of them.
        gain: k1 + 1.
        norms: `length_norms` of all passages.
        scores: float64 buffer, one element a row of all parts; 0 where not touched.
        touched: int32 buffer of the same length.
        first: row of the part's first passage among those of all parts.
        count: rows touched before.
    """
    for at in range(len(columns)):
        weight = weights[at]
        if weight == 0.0:  # a row would be touched twice
            continue
        for entry in range(starts[columns[at]], starts[columns[at] + 1]):
            row = first + rows[entry]
            if scores[row] == 0.0:
                touched[count] = row
                count += 1
            frequency = float(frequencies[entry])
            scores[row] += weight * (frequency * gain / (frequency + norms[row]))
    return count


def _best(scores: Any, touched: Any, count: Any, k: Any, mask: Any) -> Any:
    """Return (score, row) of the `k` best rows and of all that tie with the last; clears scores.

    Args:
        scores: as `_add` left them; zeroed again.
        touched: rows with a score; the first `count`.
        count: see `touched`.
        k: at least 1.
        mask: by row, True for rows that are admitted; empty admits all.
    """
    best = [0.0]  # numba needs a first element to know the type; a score is above 0
    for i in range(count):
        row = touched[i]
        if len(mask) > 0 and not mask[row]:
            scores[row] = 0.0
        score = scores[row]
        if len(best) < k:
            heapq.heappush(best, score)
        elif score > best[0]:
            heapq.heapreplace(best, score)
    least = best[0]
    found = [(0.0, touched[0])]
    found.pop()
    for i in range(count):
        row = touched[i]
        if scores[row] > 0.0 and scores[row] >= least:
            found.append((scores[row], row))
        scores[row] = 0.0
    return found
