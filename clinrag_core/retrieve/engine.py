"""The hybrid search engine: analyse, retrieve, fuse, boost, rerank, cite.

`search` runs in the caller's thread, without time limits, and is deterministic: evaluation, the
CLI and answering use it. `search_async` runs components concurrently, each with a time limit, and
caches: the service uses it. Both give the same order if nothing is late.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property
from threading import Event
from typing import TYPE_CHECKING

from clinrag_core.errors import (
    ComponentUnavailableError,
    EncoderError,
    QueryError,
    ReleaseError,
)
from clinrag_core.facts.drugs import DrugLexicon
from clinrag_core.lexicon.vocabulary import CorpusVocabulary
from clinrag_core.retrieve.analyse import analyse, asked
from clinrag_core.retrieve.boost import TraitTable
from clinrag_core.retrieve.cache import BoundedCache, cache_key
from clinrag_core.retrieve.components import (
    BM25Retriever,
    DenseRetriever,
    SparseRetriever,
)
from clinrag_core.retrieve.concept_first import ConceptRetriever
from clinrag_core.retrieve.concurrent import ComponentPools, run_component, since
from clinrag_core.retrieve.job import PassageProperties, SearchJob
from clinrag_core.retrieve.nearest import NearestStatements
from clinrag_core.retrieve.observe import Unobserved, measured
from clinrag_core.retrieve.request import SearchRequest, SearchResponse
from clinrag_core.retrieve.rerank import Reranked
from clinrag_core.retrieve.subject import SubjectTable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from concurrent.futures import Future

    from clinrag_core.encode.protocol import QueryEncoder, SparseEncoder, Vectors
    from clinrag_core.index.knowledge_base import KnowledgeBase
    from clinrag_core.index.release_record import ServedRelease
    from clinrag_core.index.scope_record import ReleaseScope
    from clinrag_core.index.stores.protocol import VectorStore
    from clinrag_core.retrieve.analyse import QueryAnalysis
    from clinrag_core.retrieve.boost import Traits
    from clinrag_core.retrieve.components import Retriever
    from clinrag_core.retrieve.concurrent import RetrieverOutcome
    from clinrag_core.retrieve.merge import Ranked
    from clinrag_core.retrieve.observe import SearchObserver
    from clinrag_core.retrieve.request import Component
    from clinrag_core.retrieve.rerank import LazyReranker
    from clinrag_core.settings import RetrievalSettings


class SearchEngine:
    """Searches opened knowledge bases with one query encoder.

    Args:
        knowledge_bases: by name.
        encoder: encodes questions for all of them.
        settings: fusion, boosts, timeouts, caches.
        release: id of the release they belong to, part of every cache key.
        retrievers: by component; replace or add to the built-in ones.
        reranker: scores again if a request asks for it.
        store_for: the vector store of a knowledge base; its FAISS index by default.
        observer: receives the times of encoder and store, and the lookups in the caches.

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
        observer: SearchObserver | None = None,
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
        self.served: ServedRelease | None = None
        """The checked release that this engine was opened for; None over candidates."""
        self.scope: ReleaseScope | None = None
        """What the knowledge bases cover; None over a release made before there were scopes."""
        self.reranker = reranker
        self.observer = see = observer or Unobserved()
        size, ttl_s = int(settings.cache_mb * 2**20), settings.cache_ttl_s
        self._results: BoundedCache[SearchResponse] = BoundedCache(
            size, ttl_s, _response_bytes, lambda hit: see.looked_up("results", hit=hit)
        )
        self._vectors: BoundedCache[Vectors] = BoundedCache(
            size, ttl_s, lambda vector: vector.nbytes, lambda hit: see.looked_up("vectors", hit=hit)
        )
        self._begun: dict[str, Future[Vectors]] = {}
        self._ahead = ThreadPoolExecutor(1, thread_name_prefix="encode")
        self.dense = DenseRetriever(self.encode, see, store_for)
        self._retrievers: dict[Component, Retriever] = {
            "bm25": BM25Retriever(),
            "splade": SparseRetriever(_no_sparse_encoder),
            "dense": self.dense,
            **(retrievers or {}),
        }
        known = {"bm25", "dense", *(retrievers or {})}
        self.components: tuple[Component, ...] = tuple(n for n in self._retrievers if n in known)
        """Components that run by default."""
        limits: dict[str, float] = settings.timeouts_ms.model_dump()
        concepts = self._retrievers.get("concepts")
        if isinstance(concepts, ConceptRetriever):
            limits["concepts"] = concepts.timeout_ms
        self._pools = ComponentPools(settings.workers, limits)
        self._traits = {name: TraitTable(base) for name, base in self.knowledge_bases.items()}
        self._nearest = {name: NearestStatements(b) for name, b in self.knowledge_bases.items()}

    def close(self) -> None:
        """Start no more work; running work ends by itself."""
        self._pools.close()
        self._ahead.shutdown(wait=False)

    def search(self, request: SearchRequest) -> SearchResponse:
        """Search in this thread, without time limits and without the result cache.

        Raises:
            QueryError: unknown knowledge base.
        """
        started = time.perf_counter()
        job = self._job(request)
        ranked = job.merged(self._run(job))
        reranked = job.rerank(ranked, Event()) if self._reranks(request) else None
        return job.response(ranked, reranked, self.release, started)

    def rank(self, request: SearchRequest) -> list[Ranked]:
        """Return all candidates in merged order, without reading them; ignores `top_k`.

        Raises:
            QueryError: unknown knowledge base.
            ComponentUnavailableError: a component failed: an evaluation must not go on without it.
        """
        job = self._job(request)
        ranked, errors = self._merged(job)
        if errors:
            raise ComponentUnavailableError(f"components failed: {', '.join(errors)}")
        if not self._reranks(request):
            return ranked
        scored = job.rerank(ranked, Event())
        if scored.error is not None:
            raise ComponentUnavailableError(f"the reranker failed: {scored.error}")
        order = sorted(range(len(scored.scores)), key=lambda i: (-scored.scores[i], i))
        return [ranked[i] for i in order] + ranked[len(order) :]

    def candidates(self, request: SearchRequest) -> tuple[list[Ranked], tuple[str, ...]]:
        """Return all candidates in merged order, never reranked, and the components that failed.

        Raises:
            QueryError: unknown knowledge base.
        """
        return self._merged(self._job(request))

    def _merged(self, job: SearchJob) -> tuple[list[Ranked], tuple[str, ...]]:
        """Run a job; return its candidates in merged order, and the components that failed."""
        outcomes = self._run(job)
        errors = tuple(o.error for o in outcomes if o.error is not None)
        return job.merged(outcomes), errors

    def _run(self, job: SearchJob) -> list[RetrieverOutcome]:
        """Run the components of a job one after the other."""
        k = self.settings.candidates
        return [run_component(r, job.query, job.bases, k) for r in job.retrievers]

    async def search_async(self, request: SearchRequest, tenant: str = "") -> SearchResponse:
        """Search with concurrent components, each within its time limit.

        Args:
            request: the search.
            tenant: results of one tenant are never served to another.

        Raises:
            QueryError: unknown knowledge base.
        """
        started = time.perf_counter()
        key = cache_key(self.release or "", request.model_dump_json(), tenant)
        cached = self._results.get(key)
        if cached is not None:
            total = {"total": since(started)}
            return cached.model_copy(update={"cached": True, "timings_ms": total})
        job = self._job(request)
        k = self.settings.candidates
        outcomes = await self._pools.run_components(job.retrievers, job.query, job.bases, k)
        ranked = job.merged(outcomes)
        reranked, stop = None, Event()
        if self._reranks(request):
            try:
                reranked = await self._pools.run("reranker", job.rerank, ranked, stop)
            except TimeoutError:
                stop.set()
                reranked = Reranked(error="timeout")
        response = job.response(ranked, reranked, self.release, started)
        if not response.component_errors and response.reranker_error is None:
            self._results.put(key, response)
        return response

    def _job(self, request: SearchRequest) -> SearchJob:
        """Return the job of a request.

        Raises:
            QueryError: unknown knowledge base, or weights of components that do not run.
        """
        components = request.components or self.components
        if request.weights and not any(request.weights.get(name) for name in components):
            names = ", ".join(request.weights)
            raise QueryError(f"weights of {names}, but {', '.join(components)} run")
        bases, analysis = self._bases(request.knowledge_bases), self.analyse(request)
        near = bases if request.subject_first else []
        distances = {base.name: self._subjects[base.name].distances(analysis) for base in near}
        return SearchJob(
            request,
            bases,
            analysis,
            [retriever for name, retriever in self._retrievers.items() if name in components],
            self.settings,
            PassageProperties(self.traits, distances, self._nearest),
            self.reranker,
        )

    def analyse(self, request: SearchRequest) -> QueryAnalysis:
        """Analyse the question; the intent of the request replaces what the question asks for."""
        analysis = analyse(request.query, self.drugs)
        return analysis if request.query_intent is None else asked(analysis, request.query_intent)

    def _reranks(self, request: SearchRequest) -> bool:
        """Return True if a request is reranked: its choice, by default that of the profile."""
        return self.reranker is not None if request.rerank is None else request.rerank

    def traits(self, knowledge_base: str, chunk_id: str) -> Traits:
        """Return the properties of a passage that its boosts depend on."""
        return self._traits[knowledge_base].of(chunk_id)

    def _bases(self, names: Sequence[str] | None) -> list[KnowledgeBase]:
        """Return knowledge bases by name; all if None.

        Raises:
            QueryError: one is unknown, or none is named.
        """
        if names is None:
            return list(self.knowledge_bases.values())
        unknown = [name for name in names if name not in self.knowledge_bases]
        if unknown or not names:
            known = ", ".join(self.knowledge_bases)
            raise QueryError(f"unknown knowledge base {unknown or '(none)'}; there are: {known}")
        return [self.knowledge_bases[name] for name in dict.fromkeys(names)]

    @cached_property
    def _subjects(self) -> dict[str, SubjectTable]:
        return {n: SubjectTable(base, self.drugs) for n, base in self.knowledge_bases.items()}

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
        names: dict[str, set[str]] = {}
        for base in self.knowledge_bases.values():
            for row in base.table.select(["drug", "drug_names"]).to_pylist():
                if row["drug"]:
                    names.setdefault(row["drug"], {row["drug"]}).update(row["drug_names"] or ())
        return DrugLexicon(names, self.vocabulary.holds)

    def encode(self, text: str) -> Vectors:
        """Return the vector of a question; from the cache, or begun ahead, if possible."""
        key = cache_key(self.encoder.fingerprint, text)
        vector = self._vectors.get(key)
        if vector is None:
            begun = self._begun.get(key)
            vector = self._encoded(key, text) if begun is None else begun.result()
        return vector

    def encode_ahead(self, texts: Iterable[str]) -> None:
        """Begin to encode questions in a thread of their own, for `encode` to take when asked.

        The encoder lets other threads of Python run meanwhile, so a free core does this work. An
        error is raised where the vector is asked for.
        """
        for text in dict.fromkeys(texts):
            key = cache_key(self.encoder.fingerprint, text)
            if key not in self._vectors and key not in self._begun:
                with suppress(RuntimeError):  # closed: `encode` still works
                    self._begun[key] = begun = self._ahead.submit(self._encoded, key, text)
                    begun.add_done_callback(lambda _, key=key: self._begun.pop(key, None))
        time.sleep(0)  # begins it: else Python lets this thread run for five milliseconds before

    def _encoded(self, key: str, text: str) -> Vectors:
        """Encode a question and keep its vector."""
        with measured(self.observer, "embedding"):
            vector = self.encoder.encode_query(text)
        self._vectors.put(key, vector)
        return vector


def _no_sparse_encoder() -> SparseEncoder:
    raise EncoderError("the profile names no sparse encoder")


def _response_bytes(response: SearchResponse) -> int:
    """Roughly what a response takes: Python keeps about four bytes for one of text."""
    hits = response.results
    return 2_000 + sum(4_000 + 4 * len(h.chunk.text) + len(h.section_text or "") for h in hits)
