"""A search engine that gives its results in the order of the stages.

What reads evidence needs no change. The order is reported as reranked, so that thresholds that were
calibrated for the plain order are not applied to it: the fallback threshold decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.retrieve.engine import SearchEngine
from clinrag_core.retrieve.request import MAX_TOP_K

if TYPE_CHECKING:
    from clinrag_core.retrieve.request import SearchRequest, SearchResponse
    from clinrag_core.retrieve.stages.multistage import MultistageRetriever


class StagedEngine(SearchEngine):
    """The knowledge bases of an engine, searched in stages by `search`.

    `candidates`, `rank` and `search_async` are those of the plain engine.
    """

    def __init__(self, engine: SearchEngine, stages: MultistageRetriever) -> None:
        super().__init__(
            engine.knowledge_bases,
            engine.encoder,
            engine.settings,
            release=engine.release,
            reranker=engine.reranker,
            observer=engine.observer,
        )
        self.served, self.scope = engine.served, engine.scope
        self._plain = engine
        self._stages = stages

    def search(self, request: SearchRequest) -> SearchResponse:
        """Search, and put the first hits in the order of the stages.

        Raises:
            QueryError: unknown knowledge base.
        """
        wide = request.model_copy(update={"top_k": MAX_TOP_K, "rerank": False})
        response = self._plain.search(wide)
        staged = self._stages.order(request)
        place = {candidate.id: n for n, candidate in enumerate(staged.candidates)}
        scores = {candidate.id: candidate.score for candidate in staged.candidates}
        last = len(place)
        hits = sorted(response.results, key=lambda hit: place.get(hit.chunk.id, last))
        ordered = [
            hit.model_copy(update={"rank": rank, "score": scores.get(hit.chunk.id, 0.0)})
            for rank, hit in enumerate(hits[: request.top_k], start=1)
        ]
        stages = {report.stage: round(report.milliseconds, 3) for report in staged.reports}
        return response.model_copy(
            update={
                "results": tuple(ordered),
                "score_kind": "stages",
                "reranked": True,
                "timings_ms": response.timings_ms | stages,
            }
        )
