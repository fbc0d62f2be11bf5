"""Approximate nearest neighbours for large collections: HNSW by FAISS, the order made exact.

Below `EXACT_BELOW` passages exact search is fast enough and stays the default. The graph is built
by one thread, so that equal vectors give equal bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clinrag_core.errors import IndexBuildError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from clinrag_core.encode.protocol import Vectors

EXACT_BELOW = 200_000
FILE = "dense.hnsw"
LINKS = 32
BUILD_WIDTH = 120
SEARCH_WIDTH = 128


class ApproximateIndex:
    """Passage vectors in an HNSW graph (Malkov and Yashunin 2018); inner product."""

    def __init__(self, index: Any, ids: Sequence[str]) -> None:
        if index.ntotal != len(ids):
            raise IndexBuildError(f"{index.ntotal} vectors for {len(ids)} chunk ids")
        self._index = index
        self._index.hnsw.efSearch = SEARCH_WIDTH
        self.ids = list(ids)

    @classmethod
    def build(cls, vectors: Vectors, ids: Sequence[str], *, threads: int = 1) -> ApproximateIndex:
        """Index normalised float32 vectors of shape `(len(ids), dimension)`.

        Args:
            vectors: one row per id.
            ids: chunk ids.
            threads: more than one is faster and gives another graph each time.
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

    def save(self, directory: Path) -> None:
        """Write the index file."""
        import faiss

        faiss.write_index(self._index, str(directory / FILE))

    @classmethod
    def load(cls, directory: Path, ids: Sequence[str]) -> ApproximateIndex:
        """Read the index file.

        Raises:
            IndexBuildError: it is missing, damaged or of another size than `ids`.
        """
        import faiss

        try:
            index = faiss.read_index(str(directory / FILE))
        except RuntimeError as error:
            raise IndexBuildError(f"{directory.name}/{FILE} cannot be read: {error}") from error
        return cls(index, ids)

    @classmethod
    def load_if_built(cls, directory: Path, ids: Sequence[str]) -> ApproximateIndex | None:
        """The index of a directory that has one; raises as `load`."""
        return cls.load(directory, ids) if (directory / FILE).is_file() else None

    def search(self, query: Vectors, k: int) -> list[tuple[str, float]]:
        """About the `k` best passages as (chunk id, inner product), by (-score, id)."""
        if k < 1 or not self.ids:
            return []
        scores, positions = self._index.search(query.reshape(1, -1), min(k, len(self.ids)))
        hits = [
            (self.ids[p], float(s))
            for s, p in zip(scores[0].tolist(), positions[0].tolist(), strict=True)
            if p >= 0
        ]
        return sorted(hits, key=lambda hit: (-hit[1], hit[0]))
