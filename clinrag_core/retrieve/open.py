"""Opens the search engine of a profile: over its release or its candidates.

Adds the optional components that the settings name: SPLADE, a reranker, an external vector store.
"""

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
    from collections.abc import Callable, Mapping
    from pathlib import Path

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
    external = settings.vector_store.kind == "qdrant"
    return SearchEngine.open_release(
        Workspace(settings.home),
        settings.retrieval,
        retrievers=_optional_retrievers(settings),
        reranker=_optional_reranker(settings),
        store_for=_qdrant(settings.vector_store) if external else None,
    )


def open_candidates(settings: Settings, directories: Mapping[str, Path]) -> SearchEngine:
    """Open knowledge bases that are not released, by name, with the optional components."""
    return SearchEngine.open_directories(
        directories,
        Workspace(settings.home).models,
        settings.retrieval,
        retrievers=_optional_retrievers(settings),
        reranker=_optional_reranker(settings),
    )


def _optional_retrievers(settings: Settings) -> dict[Component, Retriever]:
    """Retrievers that the settings name in addition to BM25 and dense; loaded on first use."""
    if settings.sparse.name is None:
        return {}
    return {"splade": SparseRetriever(lambda: SpladeEncoder(settings.sparse))}


def _optional_reranker(settings: Settings) -> LazyReranker | None:
    """The reranker that the settings name, loaded on first use; None if they name none."""
    name, gpu = settings.retrieval.reranker, settings.retrieval.reranker_requires_gpu
    if name is None:
        return None
    return LazyReranker(name, lambda: CrossEncoder(name, require_gpu=gpu))


def _qdrant(settings: VectorStoreSettings) -> Callable[[KnowledgeBase], VectorStore]:
    """Qdrant stores of one client; a collection belongs to one state of one knowledge base."""
    client = connect(settings, os.environ.get(settings.api_key_env))

    def store_for(base: KnowledgeBase) -> VectorStore:
        name = f"{base.name}-{base.manifest.fingerprint}"
        return QdrantStore(client, name, base.manifest.dimension, settings)

    return store_for
