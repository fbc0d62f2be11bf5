"""The embedded store: vectors in FAISS, payloads in memory, both in one folder on disk."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from clinrag_core.errors import IndexBuildError
from clinrag_core.index.dense import DenseIndex
from clinrag_core.index.filters import matches
from clinrag_core.index.stores.protocol import StoreStats, VectorHit, check_records
from clinrag_core.workspace import write_atomic

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from clinrag_core.encode.protocol import Vectors
    from clinrag_core.index.filters import MetadataFilter
    from clinrag_core.index.stores.protocol import VectorRecord

FILE = "records.npz"


class FaissStore:
    """A store for collections that fit into memory; see `VectorStore` for the contract.

    Args:
        dimension: length of a vector.
        directory: where it is kept; in memory only where None. What is there is opened.
    """

    def __init__(self, dimension: int, directory: Path | None = None) -> None:
        self.dimension = dimension
        self._directory = directory
        self._records: dict[str, tuple[Vectors, Mapping[str, Any]]] = {}
        self._index: DenseIndex | None = None
        if directory is not None and (directory / FILE).is_file():
            self._load(directory / FILE)

    def upsert(self, records: Sequence[VectorRecord]) -> None:
        """See `VectorStore.upsert`; on disk when it returns."""
        check_records(records, self.dimension)
        for record in records:
            self._records[record.id] = (record.vector.astype(np.float32), dict(record.payload))
        self._changed()

    def delete(self, ids: Sequence[str]) -> None:
        """See `VectorStore.delete`."""
        for chunk_id in ids:
            self._records.pop(chunk_id, None)
        self._changed()

    def query(
        self, vector: Vectors, top_k: int, wanted: MetadataFilter | None = None
    ) -> list[VectorHit]:
        """See `VectorStore.query`."""
        if not self._records:
            return []
        if self._index is None:
            stacked = np.stack([found for found, _ in self._records.values()])
            self._index = DenseIndex.build(stacked, list(self._records))
        mask = None
        if wanted is not None and not wanted.is_empty:
            admitted = (matches(wanted, payload) for _, payload in self._records.values())
            mask = np.fromiter(admitted, dtype=bool, count=len(self._records))
        hits = self._index.search(np.asarray(vector, dtype=np.float32), top_k, mask)
        return [VectorHit(chunk_id, score) for chunk_id, score in hits]

    def stats(self) -> StoreStats:
        """See `VectorStore.stats`."""
        return StoreStats(len(self._records), self.dimension)

    def available(self) -> bool:
        """Always: it lives in this process."""
        return True

    def _changed(self) -> None:
        self._index = None
        if self._directory is not None:
            self._save(self._directory / FILE)

    def _save(self, path: Path) -> None:
        import io

        vectors = [vector for vector, _ in self._records.values()]
        payloads = {i: payload for i, (_, payload) in self._records.items()}
        text = json.dumps(payloads, ensure_ascii=False, default=str).encode()
        buffer = io.BytesIO()
        np.savez(
            buffer,
            vectors=np.stack(vectors) if vectors else np.empty((0, self.dimension), np.float32),
            payloads=np.frombuffer(text, dtype=np.uint8),
        )
        write_atomic(path, buffer.getvalue())

    def _load(self, path: Path) -> None:
        try:
            with np.load(path, allow_pickle=False) as found:
                vectors = found["vectors"]
                payloads: dict[str, Any] = json.loads(found["payloads"].tobytes())
        except (OSError, ValueError, KeyError) as error:
            raise IndexBuildError(f"{path.name} cannot be read: {error}") from error
        if vectors.shape != (len(payloads), self.dimension):
            raise IndexBuildError(
                f"{path.name}: {vectors.shape} vectors for {len(payloads)} records of dimension "
                f"{self.dimension}"
            )
        self._records = {
            chunk_id: (vectors[i], payload)
            for i, (chunk_id, payload) in enumerate(payloads.items())
        }
