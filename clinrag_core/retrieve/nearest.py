"""How near the passages of a knowledge base are to a question: by themselves or by a statement.

The vector of a passage is a mean over all that it says, so that one sentence which answers a
question is lost in a long passage. A passage counts as near as the nearest of its statements
(ADR 0043).
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from clinrag_core.encode.protocol import Vectors
    from clinrag_core.index.knowledge_base import KnowledgeBase
    from clinrag_core.retrieve.components import RankedList


class NearestStatements:
    """Scores passages of a knowledge base by the nearest of their statements."""

    def __init__(self, base: KnowledgeBase) -> None:
        self._base = base

    def rank(self, query: Vectors, ids: Sequence[str], k: int) -> list[tuple[str, float]]:
        """Return the `k` best of some passages as (chunk id, score), scores > 0, best first."""
        rows = np.array([self._base.row(i) for i in ids], dtype=np.int32)
        hits = zip(ids, self.scores(query, rows).tolist(), strict=True)
        return sorted((h for h in hits if h[1] > 0), key=lambda hit: (-hit[1], hit[0]))[:k]

    def scores(self, query: Vectors, rows: NDArray[np.int32]) -> Vectors:
        """Return for each passage, by row, its inner product or that of its nearest statement."""
        own = self._base.dense_scores(query, rows)
        statements = self._base.statements
        if statements is None:
            return own
        order, starts = self._by_passage
        counts = starts[rows + 1] - starts[rows]
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        picked = order[np.repeat(starts[rows], counts) + within]
        np.maximum.at(
            own, np.repeat(np.arange(len(rows)), counts), statements.vectors[picked] @ query.ravel()
        )
        return own

    @cached_property
    def _by_passage(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Rows of statements sorted by passage, and where those of each passage start."""
        assert self._base.statements is not None  # noqa: S101 - only called where there are some
        passages = self._base.statements.passages(self._base)
        starts = np.searchsorted(np.sort(passages), np.arange(len(self._base.ids) + 1))
        return np.argsort(passages, kind="stable"), starts


def by_statements(
    lists: Sequence[RankedList],
    query: Vectors,
    nearest: Mapping[str, NearestStatements],
    k: int,
) -> list[RankedList]:
    """Return lists to be fused, the dense ones as the `k` best of all candidates by `nearest`.

    A dense list that is not fused with another keeps its scores.
    """
    if all(found.component == "dense" for found in lists):
        return list(lists)
    ids: dict[str, dict[str, None]] = {}
    for found in lists:
        ids.setdefault(found.knowledge_base, {}).update((i, None) for i, _ in found.hits)
    return [
        found._replace(
            hits=nearest[found.knowledge_base].rank(query, list(ids[found.knowledge_base]), k)
        )
        if found.component == "dense"
        else found
        for found in lists
    ]
