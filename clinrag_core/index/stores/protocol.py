"""The protocol of vector stores: the same meaning for every engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from clinrag_core.errors import IndexBuildError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clinrag_core.encode.protocol import Vectors
    from clinrag_core.index.filters import MetadataFilter

LISTS = ("names", "topics")
PAYLOAD_TYPES = {
    "organisation": "text",
    "year": "integer",
    "topics": "text[]",
    "names": "text[]",
    "loinc": "text",
    "section_group": "text",
    "has_table": "boolean",
    "document_id": "text",
}
"""Fields of a payload with their types, as SQL names them."""


class VectorRecord(NamedTuple):
    """A stored passage; `payload` has the fields of `Chunk` that filters read."""

    id: str
    vector: Vectors
    payload: Mapping[str, Any]


class VectorHit(NamedTuple):
    """A passage found, with its inner product (cosine for normalised vectors)."""

    id: str
    score: float


class StoreStats(NamedTuple):
    """The size of a store."""

    records: int
    dimension: int


class VectorStore(Protocol):
    """Stores vectors with payloads and finds the nearest ones."""

    dimension: int

    def upsert(self, records: Sequence[VectorRecord]) -> None:
        """Add records; a record with a known id replaces the old one, payload included.

        Raises:
            IndexBuildError: a vector of another dimension or with values that are not finite;
                nothing is stored then.
            VectorStoreUnavailableError: the store does not answer.
        """
        ...

    def query(
        self, vector: Vectors, top_k: int, wanted: MetadataFilter | None = None
    ) -> list[VectorHit]:
        """The nearest records that a filter admits, ordered by (-score, id)."""
        ...

    def delete(self, ids: Sequence[str]) -> None:
        """Remove records; unknown ids are ignored."""
        ...

    def optimise(self) -> None:
        """Prepare a filled store for searches, e.g. build its index; no effect a second time."""
        ...

    def stats(self) -> StoreStats:
        """Number of records and length of vectors."""
        ...

    def available(self) -> bool:
        """True if the store answers now; never raises."""
        ...


def check_records(records: Sequence[VectorRecord], dimension: int) -> None:
    """Refuse vectors that a store could not search.

    Raises:
        IndexBuildError: another dimension, or values that are not finite.
    """
    for record in records:
        if record.vector.shape != (dimension,):
            raise IndexBuildError(
                f"{record.id}: a vector of shape {record.vector.shape}, not ({dimension},)"
            )
        if not np.isfinite(record.vector).all():
            raise IndexBuildError(f"{record.id}: a vector with values that are not finite")
