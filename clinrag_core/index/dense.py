"""Inner-product search with FAISS over normalised vectors, that is, cosine.

Exact search is deterministic and fast enough below `approximate.EXACT_BELOW` passages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clinrag_core.errors import IndexBuildError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import Self

    from numpy.typing import NDArray

    from clinrag_core.encode.protocol import Vectors

NORM_TOLERANCE = 1e-3
"""Norms of float32 vectors normalised by torch are off by 1e-6 at most; a wrong one by far more."""


def check_vectors(vectors: Vectors, count: int, *, normalised: bool) -> None:
    """Refuse vectors that would silently lose passages.

    Raises:
        IndexBuildError: wrong count or shape, NaN or infinite values, norms that are not 1.
    """
    if vectors.shape[:-1] != (count,):
        raise IndexBuildError(f"{vectors.shape} vectors for {count} passages")
    if not np.isfinite(vectors).all():
        raise IndexBuildError("vectors contain NaN or infinite values")
    if normalised and count:
        worst = float(np.abs(np.linalg.norm(vectors, axis=1) - 1).max())
        if worst > NORM_TOLERANCE:
            raise IndexBuildError(f"vectors are not normalised: a norm is off by {worst:.3g}")


class FaissIndex:
    """A FAISS index and its file; positions map to chunk ids."""

    FILE: str

    def __init__(self, index: Any, ids: Sequence[str]) -> None:
        if index.ntotal != len(ids):
            raise IndexBuildError(f"{index.ntotal} vectors for {len(ids)} chunk ids")
        self._index = index
        self.ids = ids if isinstance(ids, list) else list(ids)

    def save(self, directory: Path) -> None:
        """Write the index file."""
        import faiss

        faiss.write_index(self._index, str(directory / self.FILE))

    @classmethod
    def load(cls, directory: Path, ids: Sequence[str]) -> Self:
        """Memory-map the index file, as far as FAISS can.

        Raises:
            IndexBuildError: it is missing, damaged or of another size than `ids`.
        """
        return cls(cls.mapped(directory), ids)

    @classmethod
    def mapped(cls, directory: Path) -> Any:
        """Return the FAISS index of a directory, memory-mapped as far as FAISS can.

        Raises:
            IndexBuildError: it is missing or damaged.
        """
        import faiss

        faiss.omp_set_num_threads(1)  # measured: one thread is faster for single queries
        try:
            return faiss.read_index(str(directory / cls.FILE), faiss.IO_FLAG_MMAP_IFC)
        except RuntimeError as error:
            raise IndexBuildError(f"{directory.name}/{cls.FILE} cannot be read: {error}") from error

    def _hits(self, query: Vectors, k: int, parameters: Any = None) -> list[tuple[str, float]]:
        """Return the `k` nearest passages as (chunk id, inner product), by (-score, id)."""
        scores, positions = self._index.search(query.reshape(1, -1), k, params=parameters)
        hits = [
            (self.ids[p], float(s))
            for s, p in zip(scores[0].tolist(), positions[0].tolist(), strict=True)
            if p >= 0  # FAISS pads with -1
        ]
        return sorted(hits, key=lambda hit: (-hit[1], hit[0]))


class _FlatFile(FaissIndex):
    """One part of a `DenseIndex`."""

    FILE = "dense.faiss"

    def best(
        self, query: Vectors, k: int, mask: NDArray[np.bool_] | None
    ) -> list[tuple[str, float]]:
        """Return the `k` best passages, ties by id.

        FAISS breaks ties arbitrarily, so one more than needed is read; if the cut is inside a tie,
        all are read and ordered here.
        """
        admitted, parameters = len(self.ids), None
        if mask is not None:
            import faiss

            admitted = int(mask.sum())
            bits = np.packbits(mask, bitorder="little")
            selector = faiss.IDSelectorBitmap(len(mask), faiss.swig_ptr(bits))
            parameters = faiss.SearchParameters(sel=selector)  # pyright: ignore[reportCallIssue] - SWIG signature
        k = min(k, admitted)
        if k <= 0:
            return []
        hits = self._hits(query, min(k + 1, admitted), parameters)
        if admitted > k + 1 and hits[k - 1][1] == hits[k][1]:
            hits = self._hits(query, admitted, parameters)
        return hits[:k]


class DenseIndex:
    """Passage vectors that are searched exactly, in one part or several; rows map to chunk ids."""

    FILE = _FlatFile.FILE

    def __init__(self, parts: Sequence[Any], ids: Sequence[str]) -> None:
        """Join FAISS indexes of one dimension, at least one."""
        self.ids = list(ids)
        self._parts = list(parts)
        self._firsts = np.cumsum([0, *(part.ntotal for part in parts)])
        if self._firsts[-1] != len(self.ids):
            raise IndexBuildError(f"{self._firsts[-1]} vectors for {len(self.ids)} chunk ids")
        if len({part.d for part in parts}) != 1:
            raise IndexBuildError("vectors of several dimensions")
        ends = zip(self._firsts.tolist(), self._firsts[1:].tolist(), strict=False)
        of_part = [self.ids[first:end] for first, end in ends]
        self._files = [_FlatFile(*one) for one in zip(self._parts, of_part, strict=True)]

    @classmethod
    def build(cls, vectors: Vectors, ids: Sequence[str]) -> DenseIndex:
        """Index float32 vectors of shape `(len(ids), dimension)`."""
        import faiss

        index: Any = faiss.IndexFlatIP(vectors.shape[1])
        index.add(np.ascontiguousarray(vectors))  # pyright: ignore[reportCallIssue] - SWIG signature
        return cls([index], ids)

    def save(self, directory: Path) -> None:
        """Write the index file.

        Raises:
            IndexBuildError: it was opened from several parts, which are saved already.
        """
        if len(self._parts) != 1:
            raise IndexBuildError("an index of several parts is not saved as one")
        self._files[0].save(directory)

    @classmethod
    def load(cls, *directories: Path, ids: Sequence[str]) -> DenseIndex:
        """Memory-map the files of the parts, in order.

        Raises:
            IndexBuildError: one is missing or damaged, or there are more or fewer vectors than ids.
        """
        return cls([_FlatFile.mapped(directory) for directory in directories], ids)

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return int(self._parts[0].d)

    def vectors(self) -> Vectors:
        """Return all vectors, in the order of `ids`."""
        return np.concatenate([part.reconstruct_n(0, part.ntotal) for part in self._parts])

    def search(
        self, query: Vectors, k: int, mask: NDArray[np.bool_] | None = None
    ) -> list[tuple[str, float]]:
        """Return the `k` best passages as (chunk id, inner product), best first, ties by id.

        Fewer than `k` if there are fewer passages.

        Args:
            query: float32 of shape `(dimension,)`.
            k: number of passages.
            mask: by position, True for passages that are admitted; None admits all.
        """
        hits: list[tuple[str, float]] = []
        for file, first in zip(self._files, self._firsts.tolist(), strict=False):
            admitted = None if mask is None else mask[first : first + len(file.ids)]
            hits += file.best(query, k, admitted)
        return sorted(hits, key=lambda hit: (-hit[1], hit[0]))[: max(k, 0)]

    def reconstruct(self, rows: Sequence[int] | NDArray[np.int32]) -> Vectors:
        """Return the vectors of some positions, in their order."""
        wanted = np.asarray(rows, dtype=np.int64)
        if len(self._parts) == 1:
            return self._parts[0].reconstruct_batch(wanted)
        vectors = np.empty((len(wanted), self.dimension), dtype=np.float32)
        owners = np.searchsorted(self._firsts, wanted, side="right") - 1
        for number in np.unique(owners).tolist():
            of_part = owners == number
            places = wanted[of_part] - self._firsts[number]
            vectors[of_part] = self._parts[number].reconstruct_batch(places)
        return vectors
