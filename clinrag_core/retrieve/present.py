"""A merged order as the answer to a search: cut, diversified, its passages read and scored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.retrieve.diversify import maximal_marginal_relevance
from clinrag_core.retrieve.request import (
    AppliedBoost,
    FusionMetadata,
    ScoreKind,
    SearchHit,
    SearchResponse,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.index.knowledge_base import KnowledgeBase
    from clinrag_core.model.chunk import Chunk
    from clinrag_core.retrieve.analyse import QueryAnalysis
    from clinrag_core.retrieve.concurrent import RetrieverOutcome
    from clinrag_core.retrieve.merge import Fusion, Ranked
    from clinrag_core.retrieve.request import SearchRequest
    from clinrag_core.retrieve.rerank import Reranked

DIVERSIFIED = 100
"""Candidates that maximal marginal relevance chooses from."""


class ChunkReader:
    """Reads passages from whichever knowledge base holds them."""

    def __init__(self, bases: Sequence[KnowledgeBase]) -> None:
        self._bases = bases

    def base(self, chunk_id: str) -> KnowledgeBase:
        """The knowledge base that holds a passage."""
        return next(base for base in self._bases if chunk_id in base)

    def chunks(self, ids: Sequence[str]) -> dict[str, Chunk]:
        """Passages by id."""
        found: dict[str, Chunk] = {}
        for base in self._bases:
            own = [i for i in ids if i in base]
            found |= dict(zip(own, base.chunks(own), strict=True))
        return found

    def diverse(self, ranked: list[Ranked], top_k: int, diversity: float) -> list[Ranked]:
        """The best passages that do not all say the same."""
        import numpy as np

        candidates = ranked[:DIVERSIFIED]
        if not candidates:
            return []
        vectors = np.concatenate(
            [
                b.dense.reconstruct([b.row(hit.id)])
                for hit in candidates
                for b in [self.base(hit.id)]
            ]
        )
        scores = [hit.score for hit in candidates]
        chosen = maximal_marginal_relevance(scores, vectors, top_k, 1 - diversity)
        return [candidates[i] for i in chosen]


def present(
    request: SearchRequest,
    analysis: QueryAnalysis,
    bases: Sequence[KnowledgeBase],
    outcomes: Sequence[RetrieverOutcome],
    fusion: Fusion,
    ranked: list[Ranked],
    reranked: Reranked | None,
    reranker: str | None,
) -> SearchResponse:
    """Cut the order to `top_k` and read what is left."""
    found = ChunkReader(bases)
    lists = [ranked_list for outcome in outcomes for ranked_list in outcome.lists]
    scores: dict[str, dict[str, float]] = {}
    for ranked_list in lists:
        for chunk_id, score in ranked_list.hits:
            scores.setdefault(chunk_id, {})[ranked_list.component] = score
    again = reranked is not None and reranked.error is None
    if reranked is not None and reranked.error is None:
        ranked = _by_reranker(ranked, reranked.scores, scores)
    if request.diversity:
        chosen = found.diverse(ranked, request.top_k, request.diversity)
    else:
        chosen = ranked[: request.top_k]
    chunks = found.chunks([hit.id for hit in chosen])
    hits = tuple(
        SearchHit(
            rank=rank,
            score=hit.score,
            knowledge_base=found.base(hit.id).name,
            component_scores=scores.get(hit.id, {}),
            component_ranks={name.split("/")[0]: r for name, r in hit.ranks.items()},
            fused_score=hit.fused,
            boosts=tuple(AppliedBoost(kind=b.kind, name=b.name, value=b.value) for b in hit.boosts),
            chunk=chunks[hit.id],
            section_text=found.base(hit.id).section_text(hit.id) if request.expand else None,
        )
        for rank, hit in enumerate(chosen, start=1)
    )
    return SearchResponse(
        hits=hits,
        score_kind="reranker" if again else _kind(request, bases, outcomes),
        knowledge_bases=tuple(base.name for base in bases),
        components_used=tuple(o.component for o in outcomes if o.error is None),
        component_errors=tuple(o.error for o in outcomes if o.error is not None),
        fusion_metadata=FusionMetadata(
            method=fusion.method,
            k=fusion.rrf_k if fusion.method == "rrf" else None,
            weights=dict(fusion.weights) if fusion.method == "weighted" else None,
            reranked=again,
            reranker_model=reranker if again else None,
        ),
        reranked=again,
        reranker_error=reranked.error if reranked is not None else None,
        analysis=analysis,
        timings_ms={},
    )


def _by_reranker(
    ranked: list[Ranked], scored: Sequence[float], scores: dict[str, dict[str, float]]
) -> list[Ranked]:
    """The scored passages, best first; equal scores keep their order."""
    best = [hit._replace(score=score) for hit, score in zip(ranked, scored, strict=False)]
    for hit in best:
        scores.setdefault(hit.id, {})["reranker"] = hit.score
    return sorted(best, key=lambda hit: -hit.score)


def _kind(
    request: SearchRequest, bases: Sequence[KnowledgeBase], outcomes: Sequence[RetrieverOutcome]
) -> ScoreKind:
    lists = [found for outcome in outcomes for found in outcome.lists]
    if len(lists) != 1:
        return request.fusion_method
    if lists[0].component == "dense":
        return bases[0].manifest.similarity
    return lists[0].component
