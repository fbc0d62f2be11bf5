"""Merges the components' lists: one list per component, fusion, boosts, subject. Pure.

A component's lists of several knowledge bases become one by score before anything is fused, so
that the best passage of the wrong base counts for no more than its score (ADR 0016). The order is
total: ties are broken by the rank in each component's list, then by chunk id.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.retrieve.boost import Boost, score_boosts, total_multiplier
from clinrag_core.retrieve.fuse import Fused, reciprocal_rank_fusion, weighted_fusion

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from clinrag_core.retrieve.analyse import QueryAnalysis
    from clinrag_core.retrieve.boost import Traits
    from clinrag_core.retrieve.components import Hits, RankedList
    from clinrag_core.retrieve.request import FusionMethod


class Ranked(NamedTuple):
    """One passage in the merged order."""

    id: str
    score: float
    fused: float | None
    """Before boosts; None if there was a single list."""
    ranks: dict[str, int]
    """By component."""
    boosts: tuple[Boost, ...]
    distance: int = 0
    """From the subject of the question: what is nearer ranks first."""


class Fusion(NamedTuple):
    """The method that merges lists."""

    method: FusionMethod
    rrf_k: int
    weights: Mapping[str, float]
    """By component, for weighted fusion."""


class BoostRules(NamedTuple):
    """The boosts of one search."""

    analysis: QueryAnalysis
    traits: Callable[[str, str], Traits]
    """(knowledge base, chunk id) to traits."""
    alpha: float
    """Section bonus on a cosine; 0 for another similarity."""


def merge(
    lists: Sequence[RankedList],
    fusion: Fusion,
    rules: BoostRules | None = None,
    distance: Callable[[str, str], int] = lambda _base, _chunk_id: 0,
) -> list[Ranked]:
    """Return the union of the lists: by distance from the subject, then by score.

    A single component keeps its scores; several are fused. With rules, sections asked for gain
    `alpha` in the dense list before fusion, and intents and tables multiply fused scores.

    Args:
        lists: by component and knowledge base.
        fusion: how components are fused.
        rules: the boosts; None for none.
        distance: (knowledge base, chunk id) to the distance from the subject.
    """
    owner = {i: found.knowledge_base for found in lists for i, _ in found.hits}
    bonuses: dict[str, Boost] = {}
    if rules is not None:
        lists = [_with_bonus(found, rules, bonuses) for found in lists]
    runs = _by_component(lists)
    single = len(runs) == 1
    ranked: list[Ranked] = []
    known: dict[Traits, tuple[tuple[Boost, ...], float]] = {}  # few kinds among many passages
    for hit in _fused(runs, fusion):
        boosts, factor = (), 1.0
        if rules is not None:
            traits = rules.traits(owner[hit.id], hit.id)
            if traits not in known:
                found = score_boosts(traits, rules.analysis.intents, rules.analysis.tabular)
                known[traits] = (found, total_multiplier(found))
            boosts, factor = known[traits]
        if hit.id in bonuses:
            boosts = (bonuses[hit.id], *boosts)
        score = hit.score * factor if hit.score > 0 else hit.score
        fused = None if single else hit.score
        away = distance(owner[hit.id], hit.id)
        ranked.append(Ranked(hit.id, score, fused, hit.ranks, boosts, away))
    # Stable: equal scores keep the fused order.
    ranked.sort(key=lambda r: (r.distance, -r.score))
    return ranked


def _by_component(lists: Sequence[RankedList]) -> dict[str, Hits]:
    """Return one list per component, by (-score, id) over all knowledge bases."""
    runs: dict[str, Hits] = {}
    for found in lists:
        runs.setdefault(found.component, []).extend(found.hits)
    return {name: sorted(hits, key=lambda h: (-h[1], h[0])) for name, hits in runs.items()}


def _fused(runs: Mapping[str, Hits], fusion: Fusion) -> list[Fused]:
    """Return the lists as one; a single list keeps its scores."""
    if len(runs) == 1:
        ((name, hits),) = runs.items()
        return [Fused(i, score, {name: rank}) for rank, (i, score) in enumerate(hits, 1)]
    if fusion.method == "rrf":
        ids = {name: [i for i, _ in hits] for name, hits in runs.items()}
        return reciprocal_rank_fusion(ids, fusion.rrf_k)
    return weighted_fusion(runs, {name: fusion.weights.get(name, 0.0) for name in runs})


def _with_bonus(dense: RankedList, rules: BoostRules, bonuses: dict[str, Boost]) -> RankedList:
    """Return a dense list with `alpha` added to the sections asked for.

    Fills `bonuses` by chunk id; lists of other components stay as they are.
    """
    if dense.component != "dense" or rules.alpha <= 0 or not rules.analysis.groups:
        return dense
    hits: list[tuple[str, float]] = []
    for chunk_id, score in dense.hits:
        group = rules.traits(dense.knowledge_base, chunk_id).group
        bonus = rules.alpha if group in rules.analysis.groups else 0.0
        if group is not None and bonus:
            bonuses[chunk_id] = Boost(kind="section", name=group, value=bonus)
        hits.append((chunk_id, score + bonus))
    hits.sort(key=lambda hit: (-hit[1], hit[0]))
    return dense._replace(hits=hits)
