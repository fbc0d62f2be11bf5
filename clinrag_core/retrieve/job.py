"""One search on its way from the components' lists to a response.

Holds what belongs to one request: the analysis of its question, the lists found, the timings.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from clinrag_core.index.filters import filter_mask
from clinrag_core.retrieve.components import Query
from clinrag_core.retrieve.merge import BoostRules, Fusion, Ranked, merge
from clinrag_core.retrieve.present import ChunkReader, present
from clinrag_core.retrieve.rerank import Reranked

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from threading import Event

    from clinrag_core.index.knowledge_base import KnowledgeBase
    from clinrag_core.retrieve.analyse import QueryAnalysis
    from clinrag_core.retrieve.boost import Traits
    from clinrag_core.retrieve.components import Retriever
    from clinrag_core.retrieve.concurrent import RetrieverOutcome
    from clinrag_core.retrieve.request import SearchRequest, SearchResponse
    from clinrag_core.retrieve.rerank import LazyReranker
    from clinrag_core.settings import RetrievalSettings


class SearchJob:
    """One search.

    Args:
        request: what is asked.
        bases: the knowledge bases to search.
        analysis: of the question.
        retrievers: of the components asked for.
        settings: fusion and depths.
        traits: (knowledge base, chunk id) to what boosts look at.
        reranker: scores the best passages again; None where the profile names none.
    """

    def __init__(
        self,
        request: SearchRequest,
        bases: list[KnowledgeBase],
        analysis: QueryAnalysis,
        retrievers: Sequence[Retriever],
        settings: RetrievalSettings,
        traits: Callable[[str, str], Traits],
        reranker: LazyReranker | None,
    ) -> None:
        self.bases = bases
        self.analysis = analysis
        self.retrievers = retrievers
        masks = {base.name: filter_mask(base.table, request.filter) for base in bases}
        self.query = Query(request.query, analysis.tokens, masks, request.filter)
        self.timings: dict[str, float] = {}
        """Milliseconds by stage."""
        self._request = request
        self._settings = settings
        self._traits = traits
        self._reranker = reranker
        self._outcomes: list[RetrieverOutcome] = []

    def merged(self, outcomes: list[RetrieverOutcome]) -> list[Ranked]:
        """The components' lists as one order, without passages below `min_similarity`."""
        self._outcomes = outcomes
        self.timings |= {o.component: o.milliseconds for o in outcomes}
        started = time.perf_counter()
        lists = [found for outcome in outcomes for found in outcome.lists]
        ranked = merge(lists, self.fusion, self._rules()) if lists else []
        if self._request.min_similarity is not None:
            cosines = {i: s for f in lists if f.component == "dense" for i, s in f.hits}
            least = self._request.min_similarity
            ranked = [hit for hit in ranked if cosines.get(hit.id, -2.0) >= least]
        self.timings["fusion"] = (time.perf_counter() - started) * 1_000
        return ranked

    @property
    def fusion(self) -> Fusion:
        """The request's fusion, with the weights of the query type where it names none."""
        of_type = getattr(self._settings.weights, self.analysis.query_type).model_dump()
        weights = self._request.weights or of_type
        return Fusion(
            self._request.fusion_method,
            self._settings.rrf_k,
            {str(name): weight for name, weight in weights.items()},
        )

    def _rules(self) -> BoostRules | None:
        wanted = self._request.boost
        if not (self._settings.boost if wanted is None else wanted):
            return None
        cosine = all(base.manifest.similarity == "cosine" for base in self.bases)
        alpha = self._settings.section_alpha if cosine else 0.0
        return BoostRules(self.analysis, self._traits, alpha)

    def rerank(self, ranked: list[Ranked], stop: Event) -> Reranked:
        """Scores of the best passages; `stop` ends the work between two batches."""
        started = time.perf_counter()
        if self._reranker is None:
            return Reranked(error="unavailable")
        best = ranked[: self._settings.rerank_candidates]
        chunks = ChunkReader(self.bases).chunks([hit.id for hit in best])
        scored = self._reranker.run(self.query.text, [chunks[hit.id] for hit in best], stop.is_set)
        self.timings["reranker"] = (time.perf_counter() - started) * 1_000
        return scored

    def response(self, ranked: list[Ranked], reranked: Reranked | None) -> SearchResponse:
        """The response, with its passages read."""
        return present(
            self._request,
            self.analysis,
            self.bases,
            self._outcomes,
            self.fusion,
            ranked,
            reranked,
            self._reranker.name if self._reranker else None,
        )
