"""Stage 2: variants of the question add passages; guidelines may count more.

Variants that re-order what is there hurt precise questions, so they only add, behind stage 1. The
seed's own form orders by the best dense score of any variant, and drops what none of them finds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.retrieve.stages.records import Candidate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clinrag_core.retrieve.engine import SearchEngine
    from clinrag_core.retrieve.request import SearchRequest
    from clinrag_core.retrieve.stages.records import QuestionVariant
    from clinrag_core.settings.multistage import ExpansionSettings


class Expanded(NamedTuple):
    """The candidates after stage 2."""

    candidates: list[Candidate]
    added: int
    errors: tuple[str, ...]


def expand(
    engine: SearchEngine,
    request: SearchRequest,
    candidates: Sequence[Candidate],
    variants: Sequence[QuestionVariant],
    settings: ExpansionSettings,
    is_guideline: Callable[[str], bool],
) -> Expanded:
    """Return the candidates with what the variants add, or in the order that they give."""
    found: dict[str, tuple[float, int]] = {}
    failed: list[str] = []
    texts = [variant.text for variant in variants]
    for text in [request.query, *texts] if settings.reorder else texts:
        update = {"query": text, "components": ("dense",)}
        ranked, errors = engine.candidates(request.model_copy(update=update))
        failed += errors
        for hit in ranked[: settings.variant_depth]:
            score = max(found.get(hit.id, (0.0, 0))[0], hit.score)
            found[hit.id] = (score, hit.distance)
    known = {candidate.id for candidate in candidates}
    if settings.reorder:
        chosen = [_scored(c, found[c.id][0]) for c in candidates if c.id in found]
        new: list[Candidate] = []
    else:
        chosen = [_scored(c, c.score) for c in candidates]
        new = [
            Candidate(i, 0.0, distance, {"variants": score})
            for i, (score, distance) in found.items()
            if i not in known
        ]
        new.sort(key=lambda c: (c.distance, -c.scores["variants"], c.id))
    factor = settings.guideline_factor
    if factor > 1:
        chosen = [_scored(c, c.score * factor) if is_guideline(c.id) else c for c in chosen]
    chosen.sort(key=lambda c: (c.distance, -c.score))
    # What is added stays in sight of stage 3, whatever stage 1 found.
    kept = chosen[: max(settings.depth - len(new), 0)] + new
    return Expanded(kept[: settings.depth], len(new), tuple(dict.fromkeys(failed)))


def _scored(candidate: Candidate, score: float) -> Candidate:
    return candidate._replace(score=score, scores=candidate.scores | {"expansion": score})
