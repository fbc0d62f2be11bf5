"""The engine of a profile's release with its optional parts: sparse retriever and reranker."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from clinrag_core.encode.cross_encoder import CrossEncoder
from clinrag_core.encode.splade import SpladeEncoder
from clinrag_core.index.stores.qdrant_store import QdrantStore, connect
from clinrag_core.retrieve.components import SparseRetriever
from clinrag_core.retrieve.engine import SearchEngine
from clinrag_core.retrieve.rerank import LazyReranker
from clinrag_core.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable

    from clinrag_core.index.knowledge_base import KnowledgeBase
    from clinrag_core.index.stores.protocol import VectorStore
    from clinrag_core.retrieve.components import Retriever
    from clinrag_core.retrieve.request import Component
    from clinrag_core.settings import Settings, VectorStoreSettings


def open_engine(settings: Settings) -> SearchEngine:
    """Open the current release; models other than the query encoder load when first needed.

    Raises:
        ReleaseError: there is no release, or its parts do not agree.
    """
    outside = settings.vector_store.kind == "qdrant"
    return SearchEngine.open_release(
        Workspace(settings.home),
        settings.retrieval,
        retrievers=optional_retrievers(settings),
        reranker=optional_reranker(settings),
        store_for=_qdrant(settings.vector_store) if outside else None,
    )


def optional_retrievers(settings: Settings) -> dict[Component, Retriever]:
    """Retrievers beside BM25 and dense that a profile names; loaded when first needed."""
    if settings.sparse.name is None:
        return {}
    return {"splade": SparseRetriever(lambda: SpladeEncoder(settings.sparse))}


def optional_reranker(settings: Settings) -> LazyReranker | None:
    """The reranker a profile names; loaded when first needed."""
    name, gpu = settings.retrieval.reranker, settings.retrieval.reranker_requires_gpu
    if name is None:
        return None
    return LazyReranker(name, lambda: CrossEncoder(name, require_gpu=gpu))


def _qdrant(settings: VectorStoreSettings) -> Callable[[KnowledgeBase], VectorStore]:
    """Stores of one client; a collection belongs to one state of one knowledge base."""
    client = connect(settings, os.environ.get(settings.api_key_env))

    def store_for(base: KnowledgeBase) -> VectorStore:
        name = f"{base.name}-{base.manifest.fingerprint}"
        return QdrantStore(client, name, base.manifest.dimension, settings)

    return store_for
