"""Qdrant: a server, or in this process for tests; the same code for both.

Point ids are UUIDs made from chunk ids (Qdrant takes no other strings); the chunk id is in the
payload.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clinrag_core.index.approximate import EXACT_BELOW, SEARCH_WIDTH
from clinrag_core.index.stores.collection import ServerStore, as_list, with_id
from clinrag_core.index.stores.database import Attempts, client_library, point_id
from clinrag_core.index.stores.protocol import VectorHit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clinrag_core.index.stores.database import Conditions
    from clinrag_core.index.stores.protocol import VectorRecord
    from clinrag_core.settings import VectorStoreSettings

_ID = "clinrag_id"


def connect(settings: VectorStoreSettings, api_key: str | None = None) -> Any:
    """Return a client of the profile's Qdrant; in this process if the profile names no address.

    Raises:
        VectorStoreUnavailableError: qdrant-client is not installed.
    """
    library: Any = client_library("qdrant_client", "qdrant")
    if settings.url is None:
        return library.QdrantClient(":memory:")
    return library.QdrantClient(
        url=settings.url,
        api_key=api_key,
        timeout=int(settings.timeout_s),
        check_compatibility=False,
    )


class QdrantDatabase:
    """The collections of a Qdrant; see `VectorDatabase` for the contract."""

    def __init__(
        self,
        client: Any,
        settings: VectorStoreSettings,
        sleep: Callable[[float], None] | None = None,
    ) -> None:
        self.client = client
        self.attempts = _attempts(settings, sleep)
        """Repeats calls of the client."""

    def store(self, collection: str, dimension: int) -> QdrantStore:
        """See `VectorDatabase.store`."""
        return QdrantStore(self, collection, dimension)

    def collections(self) -> list[str]:
        """See `VectorDatabase.collections`."""
        found = self.attempts(self.client.get_collections)
        return sorted(one.name for one in found.collections)

    def drop(self, collection: str) -> None:
        """See `VectorDatabase.drop`."""
        self.attempts(lambda: self.client.delete_collection(collection))

    def answers(self) -> bool:
        """True if Qdrant answers now."""
        return self.attempts.answers(self.client.get_collections)


class QdrantStore(ServerStore[QdrantDatabase]):
    """One collection of Qdrant."""

    _exact = True

    def _make(self) -> None:
        from qdrant_client import models

        if not self._database.attempts(
            lambda: self._database.client.collection_exists(self._collection)
        ):
            config = models.VectorParams(size=self.dimension, distance=models.Distance.DOT)
            self._database.attempts(
                lambda: self._database.client.create_collection(self._collection, config)
            )

    def _put(self, records: Sequence[VectorRecord]) -> None:
        """Send points under UUIDs, the ids of passages in their payload."""
        from qdrant_client import models

        points = [
            models.PointStruct(
                id=point_id(record.id),
                vector=as_list(record.vector),
                payload=dict(with_id(record, _ID)),
            )
            for record in records
        ]
        self._database.attempts(
            lambda: self._database.client.upsert(self._collection, points, wait=True)
        )

    def _nearest(self, vector: list[float], limit: int, wanted: Conditions) -> list[VectorHit]:
        """Search exactly, unless the collection is large."""
        from qdrant_client import models

        response = self._database.attempts(
            lambda: self._database.client.query_points(
                self._collection,
                query=vector,
                query_filter=_filter(wanted),
                search_params=models.SearchParams(
                    exact=self._exact, hnsw_ef=None if self._exact else SEARCH_WIDTH
                ),
                limit=limit,
                with_payload=[_ID],
            )
        )
        return [VectorHit(str(p.payload[_ID]), float(p.score)) for p in response.points]

    def _remove(self, ids: list[str]) -> None:
        points = list(map(point_id, ids))
        self._database.attempts(
            lambda: self._database.client.delete(self._collection, points, wait=True)
        )

    def _count(self) -> int:
        return int(
            self._database.attempts(
                lambda: self._database.client.count(self._collection, exact=True)
            ).count
        )

    def optimise(self) -> None:
        """See `VectorStore.optimise`: Qdrant builds its graph by itself."""
        self._exact = self.stats().records < EXACT_BELOW


def _attempts(settings: VectorStoreSettings, sleep: Callable[[float], None] | None) -> Attempts:
    import httpx
    from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

    errors = (httpx.TransportError, ResponseHandlingException, UnexpectedResponse, ConnectionError)
    return Attempts("Qdrant", settings, errors, sleep=sleep)


def _filter(asked: Conditions) -> Any:
    """The conditions of a filter in Qdrant's terms."""
    from qdrant_client import models

    must: list[Any] = [
        models.FieldCondition(key=field, match=models.MatchAny(any=values))
        for field, values in asked.any_of.items()
    ]
    if asked.year_from is not None or asked.year_to is not None:
        years = models.Range(gte=asked.year_from, lte=asked.year_to)
        must.append(models.FieldCondition(key="year", range=years))
    if asked.tables_only:
        must.append(models.FieldCondition(key="has_table", match=models.MatchValue(value=True)))
    return models.Filter(must=must) if must else None
