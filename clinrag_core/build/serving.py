"""The engine of a profile's release with its optional parts: sparse retriever and reranker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.encode.cross_encoder import CrossEncoder
from clinrag_core.encode.splade import SpladeEncoder
from clinrag_core.retrieve.components import SparseRetriever
from clinrag_core.retrieve.engine import SearchEngine
from clinrag_core.retrieve.rerank import LazyReranker
from clinrag_core.workspace import Workspace

if TYPE_CHECKING:
    from clinrag_core.retrieve.components import Retriever
    from clinrag_core.retrieve.request import Component
    from clinrag_core.settings import Settings


def open_engine(settings: Settings) -> SearchEngine:
    """Open the current release; models other than the query encoder load when first needed.

    Raises:
        ReleaseError: there is no release, or its parts do not agree.
    """
    retrievers: dict[Component, Retriever] = {}
    if settings.sparse.name is not None:
        retrievers["splade"] = SparseRetriever(lambda: SpladeEncoder(settings.sparse))
    reranker = None
    wanted = settings.retrieval
    if wanted.reranker is not None:
        name, gpu = wanted.reranker, wanted.reranker_requires_gpu
        reranker = LazyReranker(name, lambda: CrossEncoder(name, require_gpu=gpu))
    return SearchEngine.open_release(
        Workspace(settings.home), wanted, retrievers=retrievers, reranker=reranker
    )
