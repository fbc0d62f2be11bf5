"""Search over learned sparse vectors: term-major arrays, memory-mapped.

Score of a passage: the inner product of its term weights with the question's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clinrag_core.errors import IndexBuildError
from clinrag_core.workspace import read_json, write_json

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from clinrag_core.encode.protocol import SparseVectors

RECORD = "sparse.json"
_ARRAYS = ("starts", "rows", "values")


class SparseIndex:
    """Postings by term; build with `build` or `load`. Reading is safe from several threads.

    Attributes:
        encoder: fingerprint of the sparse encoder its passages were encoded with.
    """

    def __init__(
        self,
        starts: NDArray[np.int64],
        rows: NDArray[np.int32],
        values: NDArray[np.float32],
        ids: Sequence[str],
        encoder: str,
    ) -> None:
        self._starts, self._rows, self._values = starts, rows, values
        self._ids = list(ids)
        self.encoder = encoder
        self._ranks = np.empty(len(self._ids), dtype=np.int32)
        order = sorted(range(len(self._ids)), key=self._ids.__getitem__)
        self._ranks[order] = np.arange(len(self._ids), dtype=np.int32)

    @classmethod
    def build(
        cls, vectors: SparseVectors, ids: Sequence[str], vocabulary_size: int, encoder: str
    ) -> SparseIndex:
        """Index rows of term weights.

        Raises:
            IndexBuildError: another number of rows than of ids, or a weight that is not positive.
        """
        if len(vectors.indptr) != len(ids) + 1:
            raise IndexBuildError(f"{len(vectors.indptr) - 1} sparse rows for {len(ids)} chunk ids")
        if not (np.isfinite(vectors.values).all() and (vectors.values > 0).all()):
            raise IndexBuildError("sparse weights must be finite and above 0")
        owners = np.repeat(np.arange(len(ids), dtype=np.int32), np.diff(vectors.indptr))
        order = np.lexsort((owners, vectors.indices))
        starts = np.zeros(vocabulary_size + 1, dtype=np.int64)
        np.cumsum(np.bincount(vectors.indices, minlength=vocabulary_size), out=starts[1:])
        return cls(starts, owners[order], vectors.values[order], ids, encoder)

    def save(self, directory: Path) -> None:
        """Write the index; equal indexes give equal bytes."""
        directory.mkdir(parents=True, exist_ok=True)
        for name, array in zip(_ARRAYS, (self._starts, self._rows, self._values), strict=True):
            np.save(directory / f"{name}.npy", array, allow_pickle=False)
        write_json(directory / RECORD, {"encoder": self.encoder, "chunks": len(self._ids)})

    @classmethod
    def load(cls, *directories: Path, ids: Sequence[str]) -> SparseIndex:
        """Open saved indexes as one; a single one is memory-mapped.

        Raises:
            IndexBuildError: a file is missing or damaged, they are of several encoders, or of
                another number of chunks.
        """
        records = [read_json(directory / RECORD) for directory in directories]
        known = [record for record in records if isinstance(record, dict)]
        counts = [int(record.get("chunks", 0)) for record in known]
        encoders = {str(record.get("encoder")) for record in known}
        if sum(counts) != len(ids) or len(known) != len(records) or len(encoders) != 1:
            raise IndexBuildError(f"{RECORD}: not the sparse index of {len(ids)} chunks")
        firsts = np.cumsum([0, *counts]).tolist()
        arrays = _joined([_saved(directory) for directory in directories], firsts)
        return cls(*arrays, ids, encoders.pop())

    def search(
        self, query: SparseVectors, k: int, mask: NDArray[np.bool_] | None = None
    ) -> list[tuple[str, float]]:
        """The `k` best passages as (chunk id, score), scores > 0, ordered by (-score, chunk id)."""
        scores = np.zeros(len(self._ids), dtype=np.float64)
        for term, weight in zip(query.indices.tolist(), query.values.tolist(), strict=True):
            if 0 <= term < len(self._starts) - 1:
                entries = slice(int(self._starts[term]), int(self._starts[term + 1]))
                scores[self._rows[entries]] += self._values[entries].astype(np.float64) * weight
        if mask is not None:
            scores[~mask] = 0.0
        rows = np.flatnonzero(scores > 0)
        best = rows[np.lexsort((self._ranks[rows], -scores[rows]))][:k]
        return [(self._ids[row], float(scores[row])) for row in best]


_Arrays = tuple["NDArray[np.int64]", "NDArray[np.int32]", "NDArray[np.float32]"]


def _saved(directory: Path) -> _Arrays:
    """Return the arrays of a saved index, memory-mapped."""
    try:
        starts, rows, values = (
            np.load(directory / f"{name}.npy", mmap_mode="r", allow_pickle=False)
            for name in _ARRAYS
        )
    except (OSError, ValueError) as error:
        raise IndexBuildError(f"{directory.name} cannot be read: {error}") from error
    if len(rows) != len(values) or int(starts[-1]) != len(rows):
        raise IndexBuildError(f"{directory.name}: its parts do not agree")
    return starts, rows, values


def _joined(parts: Sequence[_Arrays], firsts: Sequence[int]) -> _Arrays:
    """Return the postings of several parts as one; `firsts` is the first row of each."""
    if len(parts) == 1:
        return parts[0]
    widths = [np.diff(starts) for starts, _, _ in parts]
    terms = np.concatenate([np.repeat(np.arange(len(w)), w) for w in widths])
    rows = np.concatenate([of + first for (_, of, _), first in zip(parts, firsts, strict=False)])
    order = np.argsort(terms, kind="stable")
    starts = np.zeros(len(widths[0]) + 1, dtype=np.int64)
    np.cumsum(np.sum(widths, axis=0), out=starts[1:])
    values = np.concatenate([of for _, _, of in parts])[order]
    return starts, rows.astype(np.int32)[order], values
