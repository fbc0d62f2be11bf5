"""The hybrid search engine: analyse, retrieve side by side, fuse, boost, rerank, cite.

`search` runs in the caller's thread, without time limits, and is deterministic: evaluation, the
CLI and answering use it. `search_async` runs components side by side, each with its own time, and
caches: the service uses it. Both give the same order where nothing is late.
"""

from __future__ import annotations

import asyncio
import time
from functools import cached_property
from threading import Event
from typing import TYPE_CHECKING

from clinrag_core.encode.onnx_query import OnnxQueryEncoder
from clinrag_core.errors import ComponentUnavailableError, QueryError, ReleaseError
from clinrag_core.facts.drugs import DrugLexicon
from clinrag_core.index.knowledge_base import KnowledgeBase
from clinrag_core.index.release import ReleaseStore
from clinrag_core.lexicon.vocabulary import CorpusVocabulary
from clinrag_core.retrieve.analyse import analyse
from clinrag_core.retrieve.cache import BoundedCache, cache_key
from clinrag_core.retrieve.components import (
    BM25Retriever,
    DenseRetriever,
    MissingRetriever,
)
from clinrag_core.retrieve.concurrent import ComponentPools, run_component, run_concurrently
from clinrag_core.retrieve.job import SearchJob
from clinrag_core.retrieve.request import SearchRequest, SearchResponse
from clinrag_core.retrieve.rerank import Reranked
from clinrag_core.retrieve.traits import TraitTable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from clinrag_core.encode.protocol import QueryEncoder, Vectors
    from clinrag_core.index.stores.protocol import VectorStore
    from clinrag_core.lexicon.intents import Intent
    from clinrag_core.retrieve.analyse import QueryAnalysis
    from clinrag_core.retrieve.boost import Traits
    from clinrag_core.retrieve.components import Retriever
    from clinrag_core.retrieve.merge import Ranked
    from clinrag_core.retrieve.request import Component
    from clinrag_core.retrieve.rerank import LazyReranker
    from clinrag_core.settings import RetrievalSettings
    from clinrag_core.workspace import Workspace

MIB = 2**20


class SearchEngine:
    """Searches opened knowledge bases with one query encoder.

    Args:
        knowledge_bases: by name.
        encoder: encodes questions for all of them.
        settings: fusion, boosts, timeouts, caches.
        release: id of the release they belong to, part of every cache key.
        retrievers: by component; replace or add to the built-in ones.
        reranker: scores again where a request asks for it.
        store_for: the vector store of a knowledge base; its own FAISS index where None.

    Raises:
        ReleaseError: a knowledge base was built with another encoder than the one given.
    """

    def __init__(
        self,
        knowledge_bases: Mapping[str, KnowledgeBase],
        encoder: QueryEncoder,
        settings: RetrievalSettings,
        *,
        release: str | None = None,
        retrievers: Mapping[Component, Retriever] | None = None,
        reranker: LazyReranker | None = None,
        store_for: Callable[[KnowledgeBase], VectorStore] | None = None,
    ) -> None:
        for base in knowledge_bases.values():
            if base.manifest.encoder != encoder.fingerprint:
                raise ReleaseError(
                    f"{base.name} was built with encoder {base.manifest.encoder}, "
                    f"questions would be encoded with {encoder.fingerprint}"
                )
        self.knowledge_bases = dict(sorted(knowledge_bases.items()))
        self.encoder = encoder
        self.settings = settings
        self.release = release
        self.reranker = reranker
        size = int(settings.cache_mb * MIB)
        self.results: BoundedCache[SearchResponse] = BoundedCache(
            size, settings.cache_ttl_s, _response_bytes
        )
        self.vectors: BoundedCache[Vectors] = BoundedCache(
            size, settings.cache_ttl_s, lambda vector: vector.nbytes
        )
        self._retrievers: dict[Component, Retriever] = {
            "bm25": BM25Retriever(),
            "splade": MissingRetriever("splade", "the profile names no sparse encoder"),
            "dense": DenseRetriever(self.encode, store_for),
            **(retrievers or {}),
        }
        known = {"bm25", "dense", *(retrievers or {})}
        self.components: tuple[Component, ...] = tuple(n for n in self._retrievers if n in known)
        """What runs where a request names no components."""
        self._pools = ComponentPools(settings.workers)
        self._traits = {name: TraitTable(base) for name, base in self.knowledge_bases.items()}

    @classmethod
    def open_directories(
        cls,
        directories: Mapping[str, Path],
        models: Path,
        settings: RetrievalSettings,
        *,
        retrievers: Mapping[Component, Retriever] | None = None,
        reranker: LazyReranker | None = None,
    ) -> SearchEngine:
        """Open knowledge base directories that share an encoder, exported under `models`."""
        bases, encoder = _opened(directories, models)
        return cls(bases, encoder, settings, retrievers=retrievers, reranker=reranker)

    @classmethod
    def open_release(
        cls,
        workspace: Workspace,
        settings: RetrievalSettings,
        *,
        retrievers: Mapping[Component, Retriever] | None = None,
        reranker: LazyReranker | None = None,
        store_for: Callable[[KnowledgeBase], VectorStore] | None = None,
    ) -> SearchEngine:
        """Open the current release.

        Raises:
            ReleaseError: there is none, or a knowledge base is not the one its record names.
        """
        store = ReleaseStore(workspace.releases)
        release = store.current()
        directories = {name: store.directory(release, name) for name in release.knowledge_bases}
        bases, encoder = _opened(directories, workspace.models)
        for name, expected in release.knowledge_bases.items():
            found = bases[name].manifest.fingerprint
            if found != expected:
                raise ReleaseError(f"release {release.id}: {name} is {found}, not {expected}")
        return cls(
            bases,
            encoder,
            settings,
            release=release.id,
            retrievers=retrievers,
            reranker=reranker,
            store_for=store_for,
        )

    def close(self) -> None:
        """Start no more work; what runs ends by itself."""
        self._pools.close()

    def search(self, request: SearchRequest) -> SearchResponse:
        """Search in this thread, without time limits and without the result cache.

        Raises:
            QueryError: unknown knowledge base.
        """
        started = time.perf_counter()
        job = self._job(request)
        bases = job.bases
        outcomes = [
            run_component(r, job.query, bases, self.settings.candidates) for r in job.retrievers
        ]
        ranked = job.merged(outcomes)
        reranked = job.rerank(ranked, Event()) if self.reranks(request) else None
        return self._response(job, ranked, reranked, started)

    def rank(self, request: SearchRequest) -> list[Ranked]:
        """All passages found, by id in merged order, without reading them; ignores `top_k`.

        Raises:
            QueryError: unknown knowledge base.
            ComponentUnavailableError: a component failed: an evaluation must not go on without it.
        """
        job = self._job(request)
        outcomes = [
            run_component(r, job.query, job.bases, self.settings.candidates) for r in job.retrievers
        ]
        if errors := [o.error for o in outcomes if o.error is not None]:
            raise ComponentUnavailableError(f"components failed: {', '.join(errors)}")
        ranked = job.merged(outcomes)
        if not self.reranks(request):
            return ranked
        scored = job.rerank(ranked, Event())
        if scored.error is not None:
            raise ComponentUnavailableError(f"the reranker failed: {scored.error}")
        order = sorted(range(len(scored.scores)), key=lambda i: (-scored.scores[i], i))
        return [ranked[i] for i in order] + ranked[len(order) :]

    async def search_async(self, request: SearchRequest, tenant: str = "") -> SearchResponse:
        """Search with components side by side, each within its own time.

        Args:
            request: what is asked.
            tenant: whose search it is; results of one are never served to another.

        Raises:
            QueryError: unknown knowledge base.
        """
        started = time.perf_counter()
        key = cache_key(self.release or "", request.model_dump_json(), tenant)
        cached = self.results.get(key)
        if cached is not None:
            total = {"total": (time.perf_counter() - started) * 1_000}
            return cached.model_copy(update={"cached": True, "timings_ms": total})
        job = self._job(request)
        timeouts = {n: ms / 1_000 for n, ms in self.settings.timeouts_ms.model_dump().items()}
        outcomes = await run_concurrently(
            job.retrievers,
            job.query,
            job.bases,
            self.settings.candidates,
            pools=self._pools,
            timeouts_s=timeouts,
        )
        ranked = job.merged(outcomes)
        reranked = None
        if self.reranks(request):
            reranked = await self._rerank_async(job, ranked, timeouts)
        response = self._response(job, ranked, reranked, started)
        if not response.component_errors and response.reranker_error is None:
            self.results.put(key, response)
        return response

    async def _rerank_async(
        self, job: SearchJob, ranked: list[Ranked], timeouts: Mapping[str, float]
    ) -> Reranked:
        stop = Event()
        loop = asyncio.get_running_loop()
        work = loop.run_in_executor(self._pools.pool("reranker"), job.rerank, ranked, stop)
        try:
            return await asyncio.wait_for(work, timeouts["reranker"])
        except TimeoutError:
            stop.set()
            return Reranked(error="timeout")

    def _response(
        self, job: SearchJob, ranked: list[Ranked], reranked: Reranked | None, started: float
    ) -> SearchResponse:
        total = (time.perf_counter() - started) * 1_000
        return job.response(ranked, reranked).model_copy(
            update={
                "timings_ms": {
                    k: round(ms, 3) for k, ms in (job.timings | {"total": total}).items()
                },
                "release": self.release,
            }
        )

    def _job(self, request: SearchRequest) -> SearchJob:
        """The job of a request.

        Raises:
            QueryError: unknown knowledge base, or weights of components that do not run.
        """
        components = request.components or self.components
        if request.weights and not any(request.weights.get(name) for name in components):
            names = ", ".join(request.weights)
            raise QueryError(f"weights of {names}, but {', '.join(components)} run")
        return SearchJob(
            request,
            [self.knowledge_bases[name] for name in self.names(request.knowledge_bases)],
            self.analyse(request),
            self.retrievers(components),
            self.settings,
            self.traits,
            self.reranker,
        )

    def analyse(self, request: SearchRequest) -> QueryAnalysis:
        """What the question says about itself; the request's own intent has the last word."""
        found = analyse(request.query, self.drugs)
        if request.query_intent is None:
            return found
        if request.query_intent == "tabular":
            return found.model_copy(update={"tabular": 1.0, "query_type": "tabular"})
        intent: Intent = request.query_intent  # pyright: ignore[reportAssignmentType] - validated
        return found.model_copy(update={"intents": {intent: 1.0}})

    def reranks(self, request: SearchRequest) -> bool:
        """True if a request is reranked: its own choice, else that of the profile."""
        return self.reranker is not None if request.rerank is None else request.rerank

    def traits(self, knowledge_base: str, chunk_id: str) -> Traits:
        """What boosts look at in a passage."""
        return self._traits[knowledge_base].of(chunk_id)

    def retrievers(self, components: Sequence[Component]) -> list[Retriever]:
        """The retrievers of some components, each once, in a fixed order."""
        return [self._retrievers[name] for name in self._retrievers if name in components]

    def names(self, wanted: Sequence[str] | None) -> list[str]:
        """Knowledge bases by name; all where None.

        Raises:
            QueryError: one is unknown, or none is named.
        """
        if wanted is None:
            return list(self.knowledge_bases)
        unknown = [name for name in wanted if name not in self.knowledge_bases]
        if unknown or not wanted:
            there = ", ".join(self.knowledge_bases)
            raise QueryError(f"unknown knowledge base {unknown or '(none)'}; there are: {there}")
        return list(dict.fromkeys(wanted))

    @cached_property
    def label_names(self) -> dict[str, set[str]]:
        """Every name of each label's drug, by its partition key."""
        names: dict[str, set[str]] = {}
        for base in self.knowledge_bases.values():
            table = base.table.select(["drug", "drug_names"]).to_pylist()
            for row in table:
                if row["drug"]:
                    names.setdefault(row["drug"], {row["drug"]}).update(row["drug_names"] or ())
        return names

    @cached_property
    def vocabulary(self) -> CorpusVocabulary:
        """The words of the knowledge bases."""
        return CorpusVocabulary([base.bm25.terms for base in self.knowledge_bases.values()])

    @cached_property
    def drugs(self) -> DrugLexicon:
        """Every drug name of the labels and of the shipped table.

        Raises:
            ConfigurationError: the table cannot be read.
        """
        return DrugLexicon(self.label_names, self.vocabulary.holds)

    def encode(self, text: str) -> Vectors:
        """The vector of a question, from the cache where it is there."""
        key = cache_key(self.encoder.fingerprint, text)
        vector = self.vectors.get(key)
        if vector is None:
            vector = self.encoder.encode_query(text)
            self.vectors.put(key, vector)
        return vector


def _opened(
    directories: Mapping[str, Path], models: Path
) -> tuple[dict[str, KnowledgeBase], OnnxQueryEncoder]:
    bases = {name: KnowledgeBase(path) for name, path in directories.items()}
    fingerprints = {base.manifest.encoder for base in bases.values()}
    if len(fingerprints) != 1:
        raise ReleaseError(f"{len(fingerprints)} encoders in one set of knowledge bases")
    return bases, OnnxQueryEncoder(models / fingerprints.pop())


def _response_bytes(response: SearchResponse) -> int:
    """Roughly what a response takes: Python keeps about four bytes for one of text."""
    hits = response.hits
    return 2_000 + sum(4_000 + 4 * len(h.chunk.text) + len(h.section_text or "") for h in hits)
