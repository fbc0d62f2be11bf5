"""The retrievers: each ranks the passages of one knowledge base for one question.

A retriever may fail or be missing; the engine reports that and goes on with the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple, Protocol

from clinrag_core.errors import ComponentUnavailableError, EncoderError
from clinrag_core.index.filters import FILTERED
from clinrag_core.index.stores.protocol import VectorRecord
from clinrag_core.retrieve.observe import measured

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from clinrag_core.encode.protocol import SparseEncoder, SparseVectors, Vectors
    from clinrag_core.index.filters import MetadataFilter
    from clinrag_core.index.knowledge_base import KnowledgeBase
    from clinrag_core.index.stores.protocol import VectorStore
    from clinrag_core.retrieve.observe import SearchObserver
    from clinrag_core.retrieve.request import Component

Hits = list[tuple[str, float]]


class RankedList(NamedTuple):
    """The hits of one component in one knowledge base, best first."""

    component: Component
    knowledge_base: str
    hits: Hits


@dataclass(frozen=True, slots=True)
class Query:
    """A question as retrievers need it."""

    text: str
    tokens: tuple[str, ...]
    masks: Mapping[str, NDArray[np.bool_] | None]
    """Rows admitted, by knowledge base; None admits all."""
    wanted: MetadataFilter
    """The filter of the masks, for stores that filter themselves."""


class Retriever(Protocol):
    """Finds the best passages of a knowledge base; one object serves all threads."""

    name: Component

    def prepare(self, query: Query) -> object:
        """Compute what every knowledge base needs for this question."""
        ...

    def search(self, base: KnowledgeBase, query: Query, prepared: object, k: int) -> Hits:
        """Return the `k` best passages as (chunk id, score), scores > 0, ordered by (-score, id).

        Raises:
            ComponentUnavailableError: its model or index is missing.
        """
        ...


class BM25Retriever:
    """Lexical: BM25 over the clinical tokens of the question."""

    name: Component = "bm25"

    def prepare(self, query: Query) -> object:
        """Nothing: the tokens are part of the analysis."""
        del query
        return None

    def search(self, base: KnowledgeBase, query: Query, prepared: object, k: int) -> Hits:
        """See `Retriever`."""
        del prepared
        return base.bm25.top(query.tokens, k, query.masks.get(base.name))


class DenseRetriever:
    """Semantic: inner product with the query's vector, in a vector store.

    An external store that lacks a release's vectors is filled with them before its first search.

    Args:
        encode: query to vector; the engine's caches.
        observer: receives the time of each query to a store.
        store_for: the external store of a knowledge base; None: the FAISS files of the release.
    """

    name: Component = "dense"

    def __init__(
        self,
        encode: Callable[[str], Vectors],
        observer: SearchObserver,
        store_for: Callable[[KnowledgeBase], VectorStore] | None = None,
    ) -> None:
        self._encode = encode
        self._observer = observer
        self._store_for = store_for
        self._stores: dict[str, VectorStore] = {}
        self._lock = Lock()
        self.after_fill: Callable[[], object] = lambda: None
        """Called when the external stores of a release are filled."""

    def fill(self, bases: Iterable[KnowledgeBase]) -> None:
        """Fill the external stores of a release, before it is served.

        Raises:
            VectorStoreUnavailableError: a store does not answer.
        """
        if self._store_for is not None:
            for base in bases:
                self._store(base)
            self.after_fill()

    def prepare(self, query: Query) -> object:
        """Return the vector of the question."""
        return self._encode(query.text)

    def search(self, base: KnowledgeBase, query: Query, prepared: object, k: int) -> Hits:
        """See `Retriever`."""
        vector: Vectors = prepared  # pyright: ignore[reportAssignmentType] - what `prepare` gave
        store = self._store(base)
        with measured(self._observer, "vector_store"):
            hits = store.query(vector, k, query.wanted)
        return [(hit.id, hit.score) for hit in hits if hit.score > 0]

    def available(self, base: KnowledgeBase) -> bool:
        """Return True if the store of a knowledge base answers now; fills none.

        Raises:
            VectorStoreUnavailableError: the store's client cannot be made.
        """
        if self._store_for is None:
            return base.store.available()
        return (self._stores.get(base.name) or self._store_for(base)).available()

    def _store(self, base: KnowledgeBase) -> VectorStore:
        """Return the store to search, filled."""
        if self._store_for is None:
            return base.store
        with self._lock:
            store = self._stores.get(base.name)
            if store is None:
                store = self._store_for(base)
                if store.stats().records != len(base.ids):
                    payloads = base.table.select(FILTERED).to_pylist()
                    rows = zip(base.ids, base.dense.vectors(), payloads, strict=True)
                    store.upsert([VectorRecord(*row) for row in rows])
                store.optimise()
                self._stores[base.name] = store
            return store


class SparseRetriever:
    """Learned sparse: the encoder is loaded with the first question."""

    name: Component = "splade"

    def __init__(self, load: Callable[[], SparseEncoder]) -> None:
        self._load = load
        self._encoder: SparseEncoder | None = None
        self._lock = Lock()

    def prepare(self, query: Query) -> object:
        """Return term weights of the question.

        Raises:
            ComponentUnavailableError: the model cannot be loaded.
        """
        with self._lock:
            if self._encoder is None:
                try:
                    self._encoder = self._load()
                except EncoderError as error:
                    raise ComponentUnavailableError(f"splade: {error}") from error
        return self._encoder.encode_query(query.text)

    def search(self, base: KnowledgeBase, query: Query, prepared: object, k: int) -> Hits:
        """See `Retriever`."""
        if base.sparse is None or self._encoder is None:
            raise ComponentUnavailableError(f"splade: {base.name} has no sparse index")
        if base.sparse.encoder != self._encoder.fingerprint:
            raise ComponentUnavailableError(f"splade: {base.name} is of another sparse encoder")
        vectors: SparseVectors = prepared  # pyright: ignore[reportAssignmentType] - of `prepare`
        return base.sparse.search(vectors, k, query.masks.get(base.name))
