"""Opens the search engine of a profile: over its release or its candidates.

Adds the optional components that the settings name: SPLADE, a reranker, an external vector store.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING

from clinrag_core.encode.cross_encoder import CrossEncoder
from clinrag_core.encode.loading import LoadingQueryEncoder
from clinrag_core.encode.onnx_query import OnnxQueryEncoder, export_problem
from clinrag_core.encode.splade import SpladeEncoder
from clinrag_core.errors import EncoderError, ReleaseError
from clinrag_core.index.knowledge_base import KnowledgeBase, read_manifest
from clinrag_core.index.release import ReleaseStore
from clinrag_core.index.release_folder import ENCODER
from clinrag_core.index.scope_record import read_scope
from clinrag_core.index.stores.release_stores import ReleaseStores
from clinrag_core.retrieve.components import SparseRetriever
from clinrag_core.retrieve.concept_first import (
    ConceptBM25Retriever,
    ConceptRetriever,
    open_expander,
)
from clinrag_core.retrieve.engine import SearchEngine
from clinrag_core.retrieve.rerank import LazyReranker
from clinrag_core.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from clinrag_core.encode.protocol import QueryEncoder
    from clinrag_core.index.stores.protocol import VectorStore
    from clinrag_core.retrieve.components import Retriever
    from clinrag_core.retrieve.observe import SearchObserver
    from clinrag_core.retrieve.request import Component
    from clinrag_core.settings import Settings


SEEN = "releases"
"""Folder of the cache for inodes, sizes and times of files of releases."""


def open_engine(
    settings: Settings, observer: SearchObserver | None = None, *, once: bool = False
) -> SearchEngine:
    """Open the served release, every file checked; models load when first needed.

    A damaged release is replaced by the good one before it; `SearchEngine.served` says so.

    Args:
        settings: of the profile.
        observer: receives what the engine measures.
        once: whether it is opened for one command, many of which may follow each other; then files
            that are unchanged since they were last read are not read again, and the encoder
            loads while the command goes on.

    Raises:
        ReleaseError: there is no undamaged release, or a knowledge base is not the one its record
            names.
    """
    store = ReleaseStore(Workspace(settings.home).releases)
    served = store.open(Workspace(settings.home).cache / SEEN if once else None)
    release = served.release
    directories = {name: store.directory(release, name) for name in release.knowledge_bases}
    stores = None
    if settings.vector_store.kind != "faiss":
        stores = ReleaseStores(
            settings.vector_store,
            lambda: {one for r in store.list() for one in r.knowledge_bases.values()},
        )
    encoder = store.folder_of(release) / ENCODER
    load = _loading(encoder, wait=not once)
    engine = _opened(settings, directories, load, release.id, stores, observer, checked=True)
    if stores is not None:
        engine.dense.after_fill = stores.remove_old
    engine.served = served
    engine.scope = read_scope(store.folder_of(release))
    for name, expected in release.knowledge_bases.items():
        actual = engine.knowledge_bases[name].manifest.fingerprint
        if actual != expected:
            raise ReleaseError(f"release {release.id}: {name} is {actual}, not {expected}")
    return engine


def open_candidates(settings: Settings, directories: Mapping[str, Path]) -> SearchEngine:
    """Open knowledge bases that are not released, by name, with the optional components."""
    encoders = {read_manifest(directory).encoder for directory in directories.values()}
    encoder = Workspace(settings.home).models / min(encoders)
    if (problem := export_problem(encoder)) is not None:
        raise EncoderError(f"{problem}: materialize the candidates again")
    return _opened(settings, directories, _loading(encoder))


def _loading(encoder: Path, *, wait: bool = True) -> Callable[[], QueryEncoder]:
    """Begin to load an encoder in a thread, which leaves Python free; returns what gives it.

    That waits until it is loaded, or else the first question does.
    """
    if not wait:
        loading = LoadingQueryEncoder(encoder)
        return lambda: loading
    pool = ThreadPoolExecutor(1)
    loaded = pool.submit(OnnxQueryEncoder, encoder)
    pool.shutdown(wait=False)
    return loaded.result


def _opened(
    settings: Settings,
    directories: Mapping[str, Path],
    load: Callable[[], QueryEncoder],
    release: str | None = None,
    store_for: Callable[[KnowledgeBase], VectorStore] | None = None,
    observer: SearchObserver | None = None,
    *,
    checked: bool = False,
) -> SearchEngine:
    """Open knowledge bases that share an encoder, with the components that the settings name."""
    bases = {name: KnowledgeBase(path, checked=checked) for name, path in directories.items()}
    fingerprints = {base.manifest.encoder for base in bases.values()}
    if len(fingerprints) != 1:
        raise ReleaseError(f"{len(fingerprints)} encoders in one set of knowledge bases")
    retrievers: dict[Component, Retriever] = {}
    if settings.sparse.name is not None:
        retrievers["splade"] = SparseRetriever(lambda: SpladeEncoder(settings.sparse))
    concepts = settings.concepts
    if concepts.enabled:
        expander = cache(lambda: open_expander(concepts, Workspace(settings.home).thesauri))
        retrievers["concepts"] = ConceptRetriever(expander, concepts.timeout_ms)
        if concepts.lexical_weight or concepts.word_factor > 1:
            retrievers["bm25"] = ConceptBM25Retriever(expander)
    name, gpu = settings.retrieval.reranker, settings.retrieval.reranker_requires_gpu
    return SearchEngine(
        bases,
        load(),
        settings.retrieval,
        release=release,
        retrievers=retrievers,
        reranker=LazyReranker(name, lambda: CrossEncoder(name, require_gpu=gpu)) if name else None,
        store_for=store_for,
        observer=observer,
    )
