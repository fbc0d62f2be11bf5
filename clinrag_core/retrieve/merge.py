"""Merges the components' lists: section bonus, fusion, boosts. Pure.

The order is total and the same for the same lists: ties are broken by the rank in each list, in
the order of the lists, then by chunk id.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.retrieve.boost import Boost, score_boosts, total_multiplier
from clinrag_core.retrieve.fuse import Fused, reciprocal_rank_fusion, weighted_fusion

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from clinrag_core.retrieve.analyse import QueryAnalysis
    from clinrag_core.retrieve.boost import Traits
    from clinrag_core.retrieve.components import RankedList
    from clinrag_core.retrieve.request import FusionMethod


class Ranked(NamedTuple):
    """One passage in the merged order."""

    id: str
    score: float
    fused: float | None
    """Before boosts; None if there was a single list."""
    ranks: dict[str, int]
    """By list, `component/knowledge base`."""
    boosts: tuple[Boost, ...]


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
    lists: Sequence[RankedList], fusion: Fusion, rules: BoostRules | None = None
) -> list[Ranked]:
    """Return the union of the lists, best first.

    A single list keeps its scores; several are fused. With rules, sections asked for gain
    `alpha` in the dense lists before fusion, and intents and tables multiply fused scores.
    """
    owner = {i: found.knowledge_base for found in lists for i, _ in found.hits}
    bonuses: dict[str, Boost] = {}
    if rules is not None:
        lists = [_with_bonus(found, rules, bonuses) for found in lists]
    fused, single = _fused(lists, fusion)
    if rules is None:
        return [Ranked(f.id, f.score, None if single else f.score, f.ranks, ()) for f in fused]
    analysis = rules.analysis
    ranked: list[Ranked] = []
    known: dict[Traits, tuple[tuple[Boost, ...], float]] = {}  # few kinds among many passages
    for hit in fused:
        traits = rules.traits(owner[hit.id], hit.id)
        if traits not in known:
            boosts = score_boosts(traits, analysis.intents, analysis.tabular)
            known[traits] = (boosts, total_multiplier(boosts))
        boosts, factor = known[traits]
        if hit.id in bonuses:
            boosts = (bonuses[hit.id], *boosts)
        score = hit.score * factor if hit.score > 0 else hit.score
        ranked.append(Ranked(hit.id, score, None if single else hit.score, hit.ranks, boosts))
    ranked.sort(key=lambda r: -r.score)  # stable: equal scores keep the fused order
    return ranked


def _fused(lists: Sequence[RankedList], fusion: Fusion) -> tuple[list[Fused], bool]:
    runs = {f"{found.component}/{found.knowledge_base}": found.hits for found in lists}
    if len(runs) == 1:
        ((name, hits),) = runs.items()
        return [Fused(i, score, {name: rank}) for rank, (i, score) in enumerate(hits, 1)], True
    if fusion.method == "rrf":
        ids = {name: [i for i, _ in hits] for name, hits in runs.items()}
        return reciprocal_rank_fusion(ids, fusion.rrf_k), False
    weights = {name: fusion.weights.get(name.split("/")[0], 0.0) for name in runs}
    return weighted_fusion(runs, weights), False


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
