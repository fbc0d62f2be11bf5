"""The embedded store, the one that releases are served from: FAISS vectors and their payloads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from clinrag_core.index.chunk_table import SCHEMA
from clinrag_core.index.dense import DenseIndex
from clinrag_core.index.filters import FILTERED, filter_mask
from clinrag_core.index.stores.protocol import StoreStats, VectorHit, check_records

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.encode.protocol import Vectors
    from clinrag_core.index.approximate import ApproximateIndex
    from clinrag_core.index.filters import MetadataFilter
    from clinrag_core.index.stores.protocol import VectorRecord

PAYLOAD = pa.schema([SCHEMA.field(name) for name in FILTERED])


class FaissStore:
    """Vectors of a knowledge base in this process; see `VectorStore` for the contract.

    A change is made in memory and leaves the files it was opened from as they are.

    Args:
        index: the vectors.
        payloads: a table with the columns that filters read, in the order of the index.
        graph: approximate neighbours for large collections, used where nothing is filtered.
    """

    def __init__(
        self, index: DenseIndex, payloads: pa.Table, graph: ApproximateIndex | None = None
    ) -> None:
        self.dimension = index.dimension
        self._index = index
        self._payloads = payloads.select(FILTERED)
        self._graph = graph

    @classmethod
    def empty(cls, dimension: int) -> FaissStore:
        """A store without records."""
        vectors = np.empty((0, dimension), dtype=np.float32)
        return cls(DenseIndex.build(vectors, []), PAYLOAD.empty_table())

    def upsert(self, records: Sequence[VectorRecord]) -> None:
        """See `VectorStore.upsert`."""
        check_records(records, self.dimension)
        self.delete([record.id for record in records])
        rows = [{name: r.payload.get(name) for name in FILTERED} for r in records]
        added = np.array([r.vector for r in records], dtype=np.float32)
        vectors = np.concatenate([self._index.vectors(), added.reshape(-1, self.dimension)])
        self._index = DenseIndex.build(vectors, [*self._index.ids, *(r.id for r in records)])
        new = pa.Table.from_pylist(rows, schema=PAYLOAD)
        self._payloads = pa.concat_tables([self._payloads, new])

    def delete(self, ids: Sequence[str]) -> None:
        """See `VectorStore.delete`."""
        gone = set(ids)
        kept = [row for row, chunk_id in enumerate(self._index.ids) if chunk_id not in gone]
        left = [self._index.ids[row] for row in kept]
        self._index = DenseIndex.build(self._index.vectors()[kept], left)
        self._payloads = self._payloads.take(pa.array(kept, pa.int64()))
        self._graph = None

    def query(
        self, vector: Vectors, top_k: int, wanted: MetadataFilter | None = None
    ) -> list[VectorHit]:
        """See `VectorStore.query`; exact, unless there is a graph and nothing is filtered."""
        mask = filter_mask(self._payloads, wanted) if wanted is not None else None
        if mask is None and self._graph is not None:
            hits = self._graph.search(vector, top_k)
        else:
            hits = self._index.search(vector, top_k, mask)
        return [VectorHit(*hit) for hit in hits]

    def optimise(self) -> None:
        """Nothing: vectors are searched as they are."""

    def stats(self) -> StoreStats:
        """See `VectorStore.stats`."""
        return StoreStats(len(self._index.ids), self.dimension)

    def available(self) -> bool:
        """Always: it lives in this process."""
        return True
