"""Pinecone by its own client: a collection is a namespace of one index.

The index is made beforehand, with the encoder's dimension and the metric `dotproduct`; `url` is its
host. What was written can be searched some seconds later, and search is approximate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clinrag_core.errors import VectorStoreUnavailableError
from clinrag_core.index.stores.collection import ServerStore, as_list
from clinrag_core.index.stores.database import (
    Attempts,
    client_library,
    needed_url,
    stored_payload,
)
from clinrag_core.index.stores.protocol import VectorHit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clinrag_core.index.stores.database import Conditions
    from clinrag_core.index.stores.protocol import VectorRecord
    from clinrag_core.settings import VectorStoreSettings


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
        pinecone = client_library("pinecone", "pinecone")
        from pinecone.errors import (
            PineconeConnectionError,
            PineconeError,
            PineconeTimeoutError,
            RateLimitError,
            ServiceError,
        )

        url = needed_url(settings, "the host of an index")
        if not api_key:
            raise VectorStoreUnavailableError(
                f"pinecone needs a key in the environment variable {settings.api_key_env}"
            )
        self.index: Any = pinecone.Index(host=url, api_key=api_key, timeout=settings.timeout_s)
        """The client of the index."""
        lost = (PineconeConnectionError, PineconeTimeoutError, RateLimitError, ServiceError)
        self.attempts = Attempts("Pinecone", settings, lost, (PineconeError,), sleep)
        """Repeats calls of the client."""

    def store(self, collection: str, dimension: int) -> PineconeStore:
        """See `VectorDatabase.store`."""
        return PineconeStore(self, collection, dimension)

    def collections(self) -> list[str]:
        """See `VectorDatabase.collections`."""
        return sorted(self.attempts(self.index.describe_index_stats).namespaces)

    def drop(self, collection: str) -> None:
        """See `VectorDatabase.drop`."""
        from pinecone.errors import NotFoundError

        def remove() -> None:
            try:
                self.index.delete_namespace(name=collection)
            except NotFoundError:
                return

        self.attempts(remove)

    def answers(self) -> bool:
        """True if the index answers now."""
        return self.attempts.answers(self.index.describe_index_stats)


class PineconeStore(ServerStore[PineconeDatabase]):
    """One namespace, which Pinecone makes with the first record; it builds its index by itself."""

    def _make(self) -> None:
        pass

    def _put(self, records: Sequence[VectorRecord]) -> None:
        """Send records with their metadata; one of the same id is replaced."""
        vectors = [
            {
                "id": record.id,
                "values": as_list(record.vector),
                "metadata": stored_payload(record.payload),
            }
            for record in records
        ]
        self._database.attempts(
            lambda: self._database.index.upsert(vectors=vectors, namespace=self._collection)
        )

    def _nearest(self, vector: list[float], limit: int, wanted: Conditions) -> list[VectorHit]:
        response = self._database.attempts(
            lambda: self._database.index.query(
                top_k=limit, vector=vector, namespace=self._collection, filter=_filter(wanted)
            )
        )
        return [VectorHit(str(one.id), float(one.score)) for one in response.matches]

    def _remove(self, ids: list[str]) -> None:
        self._database.attempts(
            lambda: self._database.index.delete(ids=ids, namespace=self._collection)
        )

    def _count(self) -> int:
        namespaces = self._database.attempts(self._database.index.describe_index_stats).namespaces
        found = namespaces.get(self._collection)
        return int(found.vector_count) if found is not None else 0


def _filter(asked: Conditions) -> dict[str, Any] | None:
    """The conditions of a filter in Pinecone's terms; `$in` meets any value of a list."""
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
