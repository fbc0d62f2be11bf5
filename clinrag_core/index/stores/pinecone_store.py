"""Pinecone by its own client: a collection is a namespace of one index.

The index is made beforehand, with the encoder's dimension and the metric `dotproduct`; `url` is its
host. What was written can be searched some seconds later, and search is approximate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clinrag_core.errors import VectorStoreUnavailableError
from clinrag_core.index.stores.database import TIE_MARGIN, Attempts, conditions, stored_payload
from clinrag_core.index.stores.protocol import StoreStats, VectorHit, check_records

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clinrag_core.encode.protocol import Vectors
    from clinrag_core.index.filters import MetadataFilter
    from clinrag_core.index.stores.protocol import VectorRecord
    from clinrag_core.settings import VectorStoreSettings

BATCH = 100
"""Records of a request, which may have 2 MB."""


class PineconeDatabase:
    """The namespaces of an index; see `VectorDatabase` for the contract.

    Raises:
        VectorStoreUnavailableError: pinecone is not installed, or address or key is missing.
    """

    def __init__(
        self,
        settings: VectorStoreSettings,
        api_key: str | None = None,
        sleep: Callable[[float], None] | None = None,
    ) -> None:
        try:
            from pinecone import Index
            from pinecone.errors import (
                PineconeConnectionError,
                PineconeError,
                PineconeTimeoutError,
                RateLimitError,
                ServiceError,
            )
        except ImportError as error:
            raise VectorStoreUnavailableError(
                "pinecone is not installed: pip install 'clinrag[pinecone]'"
            ) from error
        if settings.url is None or not api_key:
            raise VectorStoreUnavailableError(
                "pinecone needs vector_store.url, the host of an index, and a key in the "
                f"environment variable {settings.api_key_env}"
            )
        self._index: Any = Index(host=settings.url, api_key=api_key, timeout=settings.timeout_s)
        lost = (PineconeConnectionError, PineconeTimeoutError, RateLimitError, ServiceError)
        self._attempts = Attempts("Pinecone", settings, lost, (PineconeError,), sleep)

    def store(self, collection: str, dimension: int) -> PineconeStore:
        """See `VectorDatabase.store`."""
        return PineconeStore(self._index, collection, dimension, self._attempts)

    def collections(self) -> list[str]:
        """See `VectorDatabase.collections`."""
        return sorted(self._attempts(self._index.describe_index_stats).namespaces)

    def drop(self, collection: str) -> None:
        """See `VectorDatabase.drop`."""
        from pinecone.errors import NotFoundError

        def remove() -> None:
            try:
                self._index.delete_namespace(name=collection)
            except NotFoundError:
                return

        self._attempts(remove)


class PineconeStore:
    """One namespace; see `VectorStore` for the contract."""

    def __init__(self, index: Any, collection: str, dimension: int, attempts: Attempts) -> None:
        self.dimension = dimension
        self._index = index
        self._collection = collection
        self._attempts = attempts

    def upsert(self, records: Sequence[VectorRecord]) -> None:
        """See `VectorStore.upsert`."""
        check_records(records, self.dimension)
        for start in range(0, len(records), BATCH):
            vectors = [
                {
                    "id": record.id,
                    "values": record.vector.astype(np.float32).tolist(),
                    "metadata": stored_payload(record.payload),
                }
                for record in records[start : start + BATCH]
            ]
            self._attempts(
                lambda v=vectors: self._index.upsert(vectors=v, namespace=self._collection)
            )

    def query(
        self, vector: Vectors, top_k: int, wanted: MetadataFilter | None = None
    ) -> list[VectorHit]:
        """See `VectorStore.query`; approximate."""
        if top_k < 1:
            return []
        response = self._attempts(
            lambda: self._index.query(
                top_k=top_k + TIE_MARGIN,
                vector=np.asarray(vector, dtype=np.float32).tolist(),
                namespace=self._collection,
                filter=_filter(wanted),
            )
        )
        hits = [VectorHit(str(one.id), float(one.score)) for one in response.matches]
        return sorted(hits, key=lambda hit: (-hit.score, hit.id))[:top_k]

    def delete(self, ids: Sequence[str]) -> None:
        """See `VectorStore.delete`."""
        if ids:
            self._attempts(lambda: self._index.delete(ids=list(ids), namespace=self._collection))

    def stats(self) -> StoreStats:
        """See `VectorStore.stats`."""
        namespaces = self._attempts(self._index.describe_index_stats).namespaces
        found = namespaces.get(self._collection)
        return StoreStats(int(found.vector_count) if found is not None else 0, self.dimension)

    def optimise(self) -> None:
        """See `VectorStore.optimise`: Pinecone builds its index by itself."""

    def available(self) -> bool:
        """See `VectorStore.available`: one attempt."""
        return self._attempts.answers(self._index.describe_index_stats)


def _filter(wanted: MetadataFilter | None) -> dict[str, Any] | None:
    """A `MetadataFilter` in Pinecone's terms; `$in` meets any value of a list."""
    asked = conditions(wanted)
    said: list[dict[str, Any]] = [
        {field: {"$in": values}} for field, values in asked.any_of.items()
    ]
    if asked.year_from is not None:
        said.append({"year": {"$gte": asked.year_from}})
    if asked.year_to is not None:
        said.append({"year": {"$lte": asked.year_to}})
    if asked.tables_only:
        said.append({"has_table": {"$eq": True}})
    return {"$and": said} if said else None
