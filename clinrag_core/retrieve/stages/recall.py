"""Stage 1: the union of the components' passages, each list normalised before scores meet.

The seed's own form takes the highest raw score of any component, and so is BM25 alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.retrieve.request import MAX_QUESTION_CHARACTERS, SearchRequest
from clinrag_core.retrieve.stages.records import Candidate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.retrieve.engine import SearchEngine
    from clinrag_core.retrieve.merge import Ranked
    from clinrag_core.retrieve.request import Component
    from clinrag_core.settings.multistage import RecallSettings


class Recalled(NamedTuple):
    """The candidates of stage 1, and the components that failed."""

    candidates: list[Candidate]
    errors: tuple[str, ...]


def recall(
    engine: SearchEngine, request: SearchRequest, settings: RecallSettings, names: Sequence[str]
) -> Recalled:
    """Return the passages that any component finds, best first, without repeats.

    Args:
        engine: searches; components it lacks are left out.
        request: the question, its knowledge bases and its filter.
        settings: of the stage.
        names: of concepts, for the search with the names appended.
    """
    if settings.fusion == "highest_raw":
        return _highest_raw(engine, request, settings, names)
    weights = _weights(engine, settings)
    update: dict[str, object] = {
        "components": tuple(weights),
        "fusion_method": settings.fusion,
        "weights": dict(weights) if settings.fusion == "weighted" else None,
        "subject_first": settings.subject_first,
        "by_statements": False,  # the stage of refinement reads statements
    }
    ranked, errors = engine.candidates(request.model_copy(update=update))
    return Recalled(_normalised(ranked[: settings.depth], "recall"), errors)


def _weights(engine: SearchEngine, settings: RecallSettings) -> dict[Component, float]:
    """Return the weight of each component that runs."""
    asked: dict[Component, float] = {
        "bm25": settings.bm25,
        "dense": settings.dense,
        "splade": settings.splade,
        "concepts": settings.concepts,
    }
    return {c: weight for c, weight in asked.items() if weight > 0 and c in engine.components}


def _highest_raw(
    engine: SearchEngine, request: SearchRequest, settings: RecallSettings, names: Sequence[str]
) -> Recalled:
    """Return passages by the highest score of any component, BM25's next to 1 / (1 + distance)."""
    best: dict[str, float] = {}
    failed: list[str] = []
    searches: list[tuple[str, Component]] = [(request.query, "bm25"), (request.query, "dense")]
    if settings.appended and names:
        searches.append((appended(request.query, names), "dense"))
    for query, component in searches:
        update = {"query": query, "components": (component,), "subject_first": False}
        ranked, errors = engine.candidates(request.model_copy(update=update))
        failed += errors
        for hit in ranked[: settings.depth]:
            raw = hit.score if component == "bm25" else 1 / (1 + 2 - 2 * hit.score)
            best[hit.id] = max(best.get(hit.id, 0.0), raw)
    ordered = sorted(best.items(), key=lambda hit: (-hit[1], hit[0]))[: settings.depth]
    candidates = [Candidate(i, score, 0, {"recall": score}) for i, score in ordered]
    return Recalled(candidates, tuple(dict.fromkeys(failed)))


def appended(question: str, names: Sequence[str]) -> str:
    """Return a question with names after it, cut to the characters a search may have."""
    return " ".join([question, *names])[:MAX_QUESTION_CHARACTERS]


def _normalised(ranked: Sequence[Ranked], stage: str) -> list[Candidate]:
    """Return candidates with scores from 1 to 0, min-max normalised (DESIGN 6.6)."""
    if not ranked:
        return []
    low = min(hit.score for hit in ranked)
    spread = max(hit.score for hit in ranked) - low
    shares = [(hit.score - low) / spread if spread > 0 else 1.0 for hit in ranked]
    return [
        Candidate(hit.id, share, hit.distance, {stage: share})
        for hit, share in zip(ranked, shares, strict=True)
    ]
