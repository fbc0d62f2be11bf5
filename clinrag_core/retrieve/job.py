"""One search on its way from the components' lists to a response.

Owns what belongs to one request: the analysis of its question, the ranked lists, the timings.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clinrag_core.index.filters import filter_mask, unmatched_filters
from clinrag_core.lexicon.intents import boosting_intents
from clinrag_core.retrieve.components import Query
from clinrag_core.retrieve.concurrent import since
from clinrag_core.retrieve.diversify import maximal_marginal_relevance
from clinrag_core.retrieve.merge import BoostRules, Fusion, Ranked, merge
from clinrag_core.retrieve.nearest import by_statements
from clinrag_core.retrieve.request import (
    MAX_TOP_K,
    FusionMetadata,
    ScoreKind,
    SearchHit,
    SearchResponse,
)
from clinrag_core.retrieve.rerank import Reranked
from clinrag_core.retrieve.subject import ON_SUBJECT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from threading import Event

    from numpy.typing import NDArray

    from clinrag_core.encode.protocol import Vectors
    from clinrag_core.index.filters import UnmatchedFilter
    from clinrag_core.index.knowledge_base import KnowledgeBase
    from clinrag_core.model.chunk import Chunk
    from clinrag_core.retrieve.analyse import QueryAnalysis
    from clinrag_core.retrieve.boost import Traits
    from clinrag_core.retrieve.components import Retriever
    from clinrag_core.retrieve.concurrent import RetrieverOutcome
    from clinrag_core.retrieve.nearest import NearestStatements
    from clinrag_core.retrieve.request import Component, SearchRequest
    from clinrag_core.retrieve.rerank import LazyReranker
    from clinrag_core.settings import RetrievalSettings


class PassageProperties(NamedTuple):
    """What the rank of passages depends on besides the components' scores."""

    traits: Callable[[str, str], Traits]
    """(knowledge base, chunk id) to what boosts depend on."""
    distances: Mapping[str, NDArray[np.int8]]
    """Of each row from the subject, by knowledge base; empty ranks by score alone."""
    nearest: Mapping[str, NearestStatements]
    """What scores passages by their nearest statement, by knowledge base."""


class SearchJob:
    """One search.

    Args:
        request: the search.
        bases: the knowledge bases to search.
        analysis: of the question.
        retrievers: of the components asked for.
        settings: fusion and depths.
        properties: of passages, that their rank depends on.
        reranker: scores the best passages again; None if the profile names none.
    """

    def __init__(
        self,
        request: SearchRequest,
        bases: list[KnowledgeBase],
        analysis: QueryAnalysis,
        retrievers: Sequence[Retriever],
        settings: RetrievalSettings,
        properties: PassageProperties,
        reranker: LazyReranker | None,
    ) -> None:
        self.bases = bases
        self._by_name = {base.name: base for base in bases}
        self.retrievers = retrievers
        masks = {base.name: filter_mask(base.table, request.filter) for base in bases}
        self.query = Query(request.query, analysis.tokens, masks, request.filter)
        self._analysis = analysis
        self._request = request
        self._settings = settings
        self._of = properties
        self._reranker = reranker
        self._timings: dict[str, float] = {}
        self._outcomes: list[RetrieverOutcome] = []
        weights: dict[str, float] = getattr(settings.weights, analysis.query_type).model_dump()
        if request.weights:
            weights = {str(name): weight for name, weight in request.weights.items()}
        rrf_k = settings.rrf_k if request.rrf_k is None else request.rrf_k
        self._fusion = Fusion(request.fusion_method, rrf_k, weights)

    def merged(self, outcomes: list[RetrieverOutcome]) -> list[Ranked]:
        """Return the components' lists as one order, without passages below `min_similarity`."""
        self._outcomes = outcomes
        self._timings |= {o.component: o.milliseconds for o in outcomes}
        started = time.perf_counter()
        lists = [ranked_list for outcome in outcomes for ranked_list in outcome.lists]
        query = self._question_vector()
        if self._request.by_statements and query is not None:
            lists = by_statements(lists, query, self._of.nearest, self._settings.candidates)
        ranked = merge(lists, self._fusion, self._rules(), self._distance) if lists else []
        least = self._request.min_similarity
        if least is not None:
            cosines = self._similarities([hit.id for hit in ranked])
            ranked = [hit for hit in ranked if cosines.get(hit.id, -math.inf) >= least]
        self._timings["fusion"] = since(started)
        return ranked

    def _distance(self, knowledge_base: str, chunk_id: str) -> int:
        """Return the distance of a passage from the subject of the question."""
        distances = self._of.distances.get(knowledge_base)
        return (
            0 if distances is None else int(distances[self._by_name[knowledge_base].row(chunk_id)])
        )

    def _rules(self) -> BoostRules | None:
        """Return the boosts of the request, by default those of the profile.

        An intent of the request is a wish for its boost; of those read from the question, only
        the ones that are not known to harm boost.
        """
        wanted, intent = self._request.boost, self._request.query_intent
        if wanted is None:
            wanted = self._settings.boost or intent is not None
        if not wanted:
            return None
        cosine = all(base.manifest.similarity == "cosine" for base in self.bases)
        alpha = self._settings.section_alpha if cosine else 0.0
        intents = self._analysis.intents
        if intent is None:
            intents = {n: c for n, c in intents.items() if n in boosting_intents()}
        analysis = self._analysis.model_copy(update={"intents": intents})
        return BoostRules(analysis, self._of.traits, alpha)

    def rerank(self, ranked: list[Ranked], stop: Event) -> Reranked:
        """Score the best of the passages nearest to the subject again.

        `stop` ends the work between two batches.
        """
        started = time.perf_counter()
        if self._reranker is None:
            return Reranked(error="unavailable")
        best = _nearest(ranked)[: self._settings.rerank_candidates]
        chunks = self._chunks([hit.id for hit in best])
        scored = self._reranker.run(self.query.text, [chunks[hit.id] for hit in best], stop.is_set)
        self._timings["reranker"] = since(started)
        return scored

    def response(
        self, ranked: list[Ranked], reranked: Reranked | None, release: str | None, started: float
    ) -> SearchResponse:
        """Cut the order to `top_k` and read those passages; `started` is when the search began."""
        request, method = self._request, self._fusion.method
        scores = self._component_scores()
        model = self._reranker.name if self._reranker else None
        again = reranked is not None and reranked.error is None
        if reranked is not None and reranked.error is None:
            ranked = _by_reranker(ranked, reranked.scores, scores)
        chosen = self._diverse(ranked) if request.diversity else ranked[: request.top_k]
        ids = [hit.id for hit in chosen]
        chunks, cosines = self._chunks(ids), self._similarities(ids)
        results = tuple(
            SearchHit(
                rank=rank,
                doc_id=f"{chunks[hit.id].document_id}:{hit.id}",
                score=hit.score,
                similarity=cosines.get(hit.id),
                source=chunks[hit.id].organisation,
                knowledge_base=self._base(hit.id).name,
                component_scores=scores.get(hit.id, {}),
                component_ranks=hit.ranks,
                on_subject=hit.distance == ON_SUBJECT,
                fused_score=hit.fused,
                boosts=hit.boosts,
                chunk=chunks[hit.id],
                section_text=self._base(hit.id).section_text(hit.id) if request.expand else None,
            )
            for rank, hit in enumerate(chosen, start=1)
        )
        timings = self._timings | {"total": since(started)}
        return SearchResponse(
            results=results,
            score_kind="reranker" if again else self._kind(),
            knowledge_bases=tuple(base.name for base in self.bases),
            components_used=tuple(o.component for o in self._outcomes if o.error is None),
            component_errors=tuple(o.error for o in self._outcomes if o.error is not None),
            fusion_metadata=FusionMetadata(
                method=method,
                k=self._fusion.rrf_k if method == "rrf" else None,
                weights=dict(self._fusion.weights) if method == "weighted" else None,
                reranked=again,
                reranker_model=model if again else None,
            ),
            unmatched_filters=self._unmatched(),
            reranked=again,
            reranker_error=reranked.error if reranked is not None else None,
            analysis=self._analysis,
            timings_ms={name: round(ms, 3) for name, ms in timings.items()},
            release=release,
        )

    def _similarities(self, ids: Sequence[str]) -> dict[str, float]:
        """Return the cosine of the question with passages; none if the dense component did not run.

        Passages that only another component found have one too.
        """
        query = self._question_vector()
        if query is None:
            return {}
        cosines: dict[str, float] = {}
        for base in self.bases:
            contained = [i for i in ids if i in base]
            if not contained:
                continue
            vectors = base.dense.reconstruct([base.row(i) for i in contained])
            norms = np.linalg.norm(vectors, axis=1) * np.linalg.norm(query)
            found = (vectors @ query) / np.maximum(norms, np.finfo(np.float32).tiny)
            cosines |= dict(zip(contained, map(float, found), strict=True))
        return cosines

    def _question_vector(self) -> Vectors | None:
        """Return the vector of the question; None if the dense component did not answer."""
        for outcome in self._outcomes:
            if outcome.component == "dense" and outcome.error is None:
                return outcome.prepared if isinstance(outcome.prepared, np.ndarray) else None
        return None

    def _unmatched(self) -> tuple[UnmatchedFilter, ...]:
        tables = [base.table for base in self.bases]
        return tuple(unmatched_filters(tables, self._request.filter))

    def _component_scores(self) -> dict[str, dict[str, float]]:
        """Return the score of each passage by component, as the components gave them."""
        scores: dict[str, dict[str, float]] = {}
        for outcome in self._outcomes:
            for ranked_list in outcome.lists:
                for chunk_id, score in ranked_list.hits:
                    scores.setdefault(chunk_id, {})[ranked_list.component] = score
        return scores

    def _diverse(self, ranked: list[Ranked]) -> list[Ranked]:
        """Return passages nearest to the subject that do not all say the same, then others."""
        candidates = _nearest(ranked)[:MAX_TOP_K]
        if not candidates:
            return []
        bases = [self._base(hit.id) for hit in candidates]
        rows = [b.dense.reconstruct([b.row(h.id)]) for b, h in zip(bases, candidates, strict=True)]
        trade_off = 1 - (self._request.diversity or 0.0)
        positions = maximal_marginal_relevance(
            [hit.score for hit in candidates], np.concatenate(rows), self._request.top_k, trade_off
        )
        others = ranked[len(candidates) : len(candidates) + self._request.top_k - len(positions)]
        return [candidates[i] for i in positions] + others

    def _base(self, chunk_id: str) -> KnowledgeBase:
        """Return the knowledge base that contains a passage."""
        return next(base for base in self.bases if chunk_id in base)

    def _chunks(self, ids: Sequence[str]) -> dict[str, Chunk]:
        """Read passages, by id, from the knowledge bases that contain them."""
        chunks: dict[str, Chunk] = {}
        for base in self.bases:
            contained = [i for i in ids if i in base]
            chunks |= dict(zip(contained, base.chunks(contained), strict=True))
        return chunks

    def _kind(self) -> ScoreKind:
        """Return the scale of the scores: that of a single component, else of the fusion."""
        answered: list[Component] = [
            outcome.component for outcome in self._outcomes if outcome.lists
        ]
        if len(answered) != 1:
            return self._fusion.method
        (component,) = answered
        return self.bases[0].manifest.similarity if component == "dense" else component


def _nearest(ranked: list[Ranked]) -> list[Ranked]:
    """Return the first passages of an order, those at the same distance from the subject."""
    return [hit for hit in ranked if hit.distance == ranked[0].distance]


def _by_reranker(
    ranked: list[Ranked], scored: Sequence[float], scores: dict[str, dict[str, float]]
) -> list[Ranked]:
    """Return the scored passages, best first; equal scores keep their order."""
    best = [hit._replace(score=score) for hit, score in zip(ranked, scored, strict=False)]
    for hit in best:
        scores.setdefault(hit.id, {})["reranker"] = hit.score
    return sorted(best, key=lambda hit: -hit.score)
