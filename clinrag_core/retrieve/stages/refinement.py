"""Stage 3: the best passages ordered by a precise score and that of stage 2, then pruned.

The precise score is the cross-encoder's; without one it is that of the best statement of each
passage, if the caller has such scores; else the order of stage 2 stays, and the stage says so.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from clinrag_core.model.chunk import Chunk
    from clinrag_core.retrieve.rerank import LazyReranker
    from clinrag_core.retrieve.stages.records import Candidate, EvidenceQuality
    from clinrag_core.settings.multistage import RefinementSettings

Precise = Literal["cross_encoder", "statements", "stage_2"]


class PreciseScores(NamedTuple):
    """Scores of passages by id, in [0, 1], with what made them."""

    by: Precise
    scores: Mapping[str, float]
    note: str | None = None


def precise_scores(
    question: str,
    ids: Sequence[str],
    read: Callable[[Sequence[str]], Sequence[Chunk]],
    reranker: LazyReranker | None,
    statements: Mapping[str, float] | None,
) -> PreciseScores:
    """Return the precise scores of passages.

    Args:
        question: as it was asked.
        ids: of the passages to score.
        read: reads passages; only a cross-encoder needs their texts.
        reranker: the cross-encoder; its logits go through a sigmoid (DESIGN 6.6).
        statements: score of the best statement by passage id; None where there are none.
    """
    note = "no cross-encoder"
    if reranker is not None:
        reranked = reranker.run(question, read(ids), lambda: False)
        if reranked.error is None:
            scores = dict(zip(ids, map(_sigmoid, reranked.scores), strict=True))
            return PreciseScores("cross_encoder", scores)
        note = f"cross-encoder: {reranked.error}"
    known = {i: statements[i] for i in ids if i in statements} if statements else {}
    if not known:
        return PreciseScores("stage_2", {}, f"{note}, no statements: order of stage 2")
    low, high = min(known.values()), max(known.values())
    spread = high - low
    scores = {i: (score - low) / spread if spread > 0 else 1.0 for i, score in known.items()}
    return PreciseScores("statements", scores, f"{note}: ordered by the statements' scores")


def refine(
    candidates: Sequence[Candidate],
    precise: PreciseScores,
    quality: Mapping[str, EvidenceQuality],
    settings: RefinementSettings,
) -> list[Candidate]:
    """Return candidates by `precise_weight` of the precise score and the rest of stage 2.

    A passage without a precise score has 0 of it. Passages off the subject stay behind.
    """
    share = settings.precise_weight if precise.by != "stage_2" else 0.0
    refined: list[Candidate] = []
    for candidate in candidates:
        exact = precise.scores.get(candidate.id, 0.0)
        score = share * exact + (1 - share) * candidate.score
        if settings.quality_weight:
            score += settings.quality_weight * quality[candidate.id].score
        scores = candidate.scores | {"precise": exact, "refinement": score}
        refined.append(candidate._replace(score=score, scores=scores))
    refined.sort(key=lambda c: (c.distance, -c.score))
    return refined


def _sigmoid(logit: float) -> float:
    return 1 / (1 + math.exp(-max(min(logit, 500.0), -500.0)))
