"""Qdrant: a server, or in this process for tests; the same code for both.

Point ids are UUIDs made from chunk ids (Qdrant takes no other strings); the chunk id is in the
payload. Names for filters are stored in lower case next to the payload's own fields.
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

import numpy as np
from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_exponential

from clinrag_core.errors import VectorStoreUnavailableError
from clinrag_core.index.stores.protocol import StoreStats, VectorHit, check_records

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clinrag_core.encode.protocol import Vectors
    from clinrag_core.index.filters import MetadataFilter
    from clinrag_core.index.stores.protocol import VectorRecord
    from clinrag_core.settings import VectorStoreSettings

_NAMESPACE = uuid.UUID("6f0b3b3e-52a1-5d0f-9a5d-0c7a6a2b7d10")
_ID = "clinrag_id"
_NAMES = "clinrag_drugs"
BATCH = 256
TIE_MARGIN = 16
"""Additional hits requested, so that equal scores at the cut are ordered by id."""


def point_id(chunk_id: str) -> str:
    """The UUID of a chunk."""
    return str(uuid.uuid5(_NAMESPACE, chunk_id))


def connect(settings: VectorStoreSettings, api_key: str | None = None) -> Any:
    """Return a client of the profile's Qdrant; in this process if the profile names no address.

    Raises:
        VectorStoreUnavailableError: qdrant-client is not installed.
    """
    try:
        from qdrant_client import QdrantClient
    except ImportError as error:
        raise VectorStoreUnavailableError(
            "qdrant-client is not installed: pip install 'clinrag[qdrant]'"
        ) from error
    if settings.url is None:
        return QdrantClient(":memory:")
    return QdrantClient(
        url=settings.url,
        api_key=api_key,
        timeout=int(settings.timeout_s),
        check_compatibility=False,
    )


class QdrantStore:
    """One collection of Qdrant; see `VectorStore` for the contract.

    The collection is made on first use; `sleep` waits between attempts.
    """

    def __init__(
        self,
        client: Any,
        collection: str,
        dimension: int,
        settings: VectorStoreSettings,
        sleep: Callable[[float], None] | None = None,
    ) -> None:
        self.dimension = dimension
        self._client = client
        self._collection = collection
        self._settings = settings
        self._sleep = sleep
        self._ready = False

    def upsert(self, records: Sequence[VectorRecord]) -> None:
        """See `VectorStore.upsert`."""
        from qdrant_client import models

        check_records(records, self.dimension)
        self._ensure()
        for start in range(0, len(records), BATCH):
            points = [
                models.PointStruct(
                    id=point_id(record.id),
                    vector=record.vector.astype(np.float32).tolist(),
                    payload={**record.payload, _ID: record.id, _NAMES: _names(record.payload)},
                )
                for record in records[start : start + BATCH]
            ]
            self._retried(lambda p=points: self._client.upsert(self._collection, p, wait=True))

    def query(
        self, vector: Vectors, top_k: int, wanted: MetadataFilter | None = None
    ) -> list[VectorHit]:
        """See `VectorStore.query`; searched exactly."""
        from qdrant_client import models

        if top_k < 1:
            return []
        self._ensure()
        response = self._retried(
            lambda: self._client.query_points(
                self._collection,
                query=np.asarray(vector, dtype=np.float32).tolist(),
                query_filter=_filter(wanted),
                search_params=models.SearchParams(exact=True),
                limit=top_k + TIE_MARGIN,
                with_payload=[_ID],
            )
        )
        hits = [VectorHit(str(p.payload[_ID]), float(p.score)) for p in response.points]
        return sorted(hits, key=lambda hit: (-hit.score, hit.id))[:top_k]

    def delete(self, ids: Sequence[str]) -> None:
        """See `VectorStore.delete`."""
        self._ensure()
        points = [point_id(chunk_id) for chunk_id in ids]
        self._retried(lambda: self._client.delete(self._collection, points, wait=True))

    def stats(self) -> StoreStats:
        """See `VectorStore.stats`."""
        self._ensure()
        result = self._retried(lambda: self._client.count(self._collection, exact=True))
        return StoreStats(int(result.count), self.dimension)

    def available(self) -> bool:
        """See `VectorStore.available`: one attempt."""
        try:
            self._client.get_collections()
        except _transport_errors():
            return False
        return True

    def _ensure(self) -> None:
        from qdrant_client import models

        if self._ready:
            return
        if not self._retried(lambda: self._client.collection_exists(self._collection)):
            config = models.VectorParams(size=self.dimension, distance=models.Distance.DOT)
            self._retried(lambda: self._client.create_collection(self._collection, config))
        self._ready = True

    def _retried(self, call: Callable[[], Any]) -> Any:
        """A call, again with growing waits while the store cannot be reached."""
        settings = self._settings
        waits = wait_exponential(settings.backoff_s, max=30)
        options: dict[str, Any] = {} if self._sleep is None else {"sleep": self._sleep}
        errors = _transport_errors()
        try:
            return Retrying(
                stop=stop_after_attempt(settings.attempts),
                wait=waits,
                retry=retry_if_exception_type(errors),
                reraise=True,
                **options,
            )(call)
        except errors as error:
            raise VectorStoreUnavailableError(
                f"Qdrant does not answer after {settings.attempts} attempts "
                f"({type(error).__name__}): is it running at the address of the profile?"
            ) from error


def _transport_errors() -> tuple[type[Exception], ...]:
    import httpx
    from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

    return (httpx.TransportError, ResponseHandlingException, UnexpectedResponse, ConnectionError)


def _names(payload: Any) -> list[str]:
    names = [str(payload.get("drug") or ""), *(payload.get("drug_names") or ())]
    return sorted({name.casefold() for name in names if name})


def _filter(wanted: MetadataFilter | None) -> Any:
    """A `MetadataFilter` in Qdrant's terms."""
    from qdrant_client import models

    if wanted is None or wanted.is_empty:
        return None
    anyof = {
        "organisation": wanted.sources,
        "topics": wanted.topics,
        _NAMES: tuple(drug.casefold() for drug in wanted.drugs),
        "loinc": wanted.loinc,
        "group": wanted.groups,
        "document_id": wanted.document_ids,
    }
    must: list[Any] = [
        models.FieldCondition(key=key, match=models.MatchAny(any=list(values)))
        for key, values in anyof.items()
        if values
    ]
    if wanted.year_from is not None or wanted.year_to is not None:
        years = models.Range(gte=wanted.year_from, lte=wanted.year_to)
        must.append(models.FieldCondition(key="year", range=years))
    if wanted.tables_only:
        must.append(models.FieldCondition(key="has_table", match=models.MatchValue(value=True)))
    return models.Filter(must=must)
