"""Approximate nearest neighbours for large collections: HNSW by FAISS (Malkov and Yashunin 2018).

Below `EXACT_BELOW` passages exact search is fast enough and stays the default. The graph is built
by one thread, so that equal vectors give equal bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clinrag_core.index.dense import FaissIndex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.encode.protocol import Vectors

EXACT_BELOW = 1_000_000
"""Exact search over so many takes 61 ms at p95 (docs/search-engine.md), a fifth of its time limit.
A graph is built anew with every change, which takes minutes."""
LINKS = 32
"""M of HNSW: the default of FAISS's own graph."""
BUILD_WIDTH = 120
SEARCH_WIDTH = 128
"""efConstruction and efSearch: recall@10 is .999 of a million vectors in 0.7 ms
(`benchmarks/dense.py`); 40 and 16 are the defaults of FAISS."""


class ApproximateIndex(FaissIndex):
    """Passage vectors in an HNSW graph; inner product."""

    FILE = "dense.hnsw"

    def __init__(self, index: Any, ids: Sequence[str]) -> None:
        super().__init__(index, ids)
        self._index.hnsw.efSearch = SEARCH_WIDTH

    @classmethod
    def build(cls, vectors: Vectors, ids: Sequence[str], *, threads: int = 1) -> ApproximateIndex:
        """Index normalised float32 vectors of shape `(len(ids), dimension)`.

        More than one thread is faster and gives another graph each time.
        """
        import faiss

        index: Any = faiss.IndexHNSWFlat(vectors.shape[1], LINKS, faiss.METRIC_INNER_PRODUCT)
        index.hnsw.efConstruction = BUILD_WIDTH
        before = faiss.omp_get_max_threads()
        faiss.omp_set_num_threads(threads)
        try:
            index.add(np.ascontiguousarray(vectors))
        finally:
            faiss.omp_set_num_threads(before)
        return cls(index, ids)

    def search(self, query: Vectors, k: int) -> list[tuple[str, float]]:
        """Return about the `k` best passages as (chunk id, inner product), by (-score, id)."""
        k = min(k, len(self.ids))
        return self._hits(query, k) if k > 0 else []
