"""A collection on a server as a `VectorStore`: everything that does not depend on the engine.

Records are checked before anything is sent, the collection is made with its first use, requests are
cut into batches, and hits have one order whatever the engine does with equal scores.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import numpy as np

from clinrag_core.index.stores.database import conditions, stored_payload
from clinrag_core.index.stores.protocol import StoreStats, VectorHit, check_records

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clinrag_core.encode.protocol import Vectors
    from clinrag_core.index.filters import MetadataFilter
    from clinrag_core.index.stores.database import Conditions
    from clinrag_core.index.stores.protocol import VectorRecord

TIE_MARGIN = 16
"""Additional hits requested, so that equal scores at the cut are ordered by id; by judgement more
than the passages of one text, such as a boilerplate sentence of labels."""


class Server(Protocol):
    """What every store asks of its database."""

    def answers(self) -> bool:
        """True if it answers now: one attempt."""
        ...


DatabaseT = TypeVar("DatabaseT", bound=Server)


class ServerStore(ABC, Generic[DatabaseT]):
    """One collection; see `VectorStore` for the contract. An engine fills in what follows."""

    batch = 100
    """Records of a request; one of Pinecone may have 2 MB."""

    def __init__(self, database: DatabaseT, collection: str, dimension: int) -> None:
        self.dimension = dimension
        self._database = database
        self._collection = collection
        self._made = False

    @abstractmethod
    def _make(self) -> None:
        """Make the collection unless it is there."""

    @abstractmethod
    def _put(self, records: Sequence[VectorRecord]) -> None:
        """Add or replace the records of one batch, no id twice."""

    @abstractmethod
    def _nearest(self, vector: list[float], limit: int, wanted: Conditions) -> list[VectorHit]:
        """Return the nearest records that meet the conditions, in any order."""

    @abstractmethod
    def _remove(self, ids: list[str]) -> None:
        """Remove records; unknown ids are ignored."""

    @abstractmethod
    def _count(self) -> int:
        """Return the number of records."""

    def upsert(self, records: Sequence[VectorRecord]) -> None:
        """See `VectorStore.upsert`; of records with one id the last is stored."""
        check_records(records, self.dimension)
        self._make_once()
        last = list({record.id: record for record in records}.values())
        for start in range(0, len(last), self.batch):
            self._put(last[start : start + self.batch])

    def query(
        self, vector: Vectors, top_k: int, wanted: MetadataFilter | None = None
    ) -> list[VectorHit]:
        """See `VectorStore.query`."""
        if top_k < 1:
            return []
        self._make_once()
        hits = self._nearest(as_list(vector), top_k + TIE_MARGIN, conditions(wanted))
        return sorted(hits, key=lambda hit: (-hit.score, hit.id))[:top_k]

    def delete(self, ids: Sequence[str]) -> None:
        """See `VectorStore.delete`."""
        if ids:
            self._make_once()
            self._remove(list(ids))

    def stats(self) -> StoreStats:
        """See `VectorStore.stats`."""
        self._make_once()
        return StoreStats(self._count(), self.dimension)

    def available(self) -> bool:
        """See `VectorStore.available`: one attempt."""
        return self._database.answers()

    def optimise(self) -> None:
        """See `VectorStore.optimise`: most engines build their index by themselves."""
        return

    def _make_once(self) -> None:
        if not self._made:
            self._make()
            self._made = True


def as_list(vector: Vectors) -> list[float]:
    """Return a vector as numbers that every client can send."""
    return np.asarray(vector, dtype=np.float32).tolist()


def with_id(record: VectorRecord, field: str) -> Mapping[str, Any]:
    """Return the payload of a record, with its id for an engine that has other ids."""
    return {**stored_payload(record.payload), field: record.id}
