"""Fusion: several ranked lists as one, by rank (RRF) or by weighted, normalised score."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


_ABSENT = 1 << 60  # sorts after every rank


class Fused(NamedTuple):
    """One passage after fusion."""

    id: str
    score: float
    ranks: dict[str, int]


def reciprocal_rank_fusion(runs: Mapping[str, Sequence[str]], k: int = 60) -> list[Fused]:
    """Fuse ranked lists: score = sum over lists of 1 / (k + rank), rank from 1.

    Source: Cormack, Clarke, Buettcher 2009. An id absent from a list adds nothing.
    Ties are broken by the rank in each list, in the order the lists are given (absent last), then
    by id, so the order is total.

    Args:
        runs: component name to ids, best first, without repeats.
        k: rank constant.
    """
    scores: dict[str, float] = {}
    ranks: dict[str, dict[str, int]] = {}
    for name, ids in runs.items():
        for rank, chunk_id in enumerate(ids, start=1):
            scores[chunk_id] = scores.get(chunk_id, 0.0) + 1 / (k + rank)
            ranks.setdefault(chunk_id, {})[name] = rank
    fused = [Fused(chunk_id, score, ranks[chunk_id]) for chunk_id, score in scores.items()]
    return _ordered(fused, list(runs))


def weighted_fusion(
    runs: Mapping[str, Sequence[tuple[str, float]]], weights: Mapping[str, float]
) -> list[Fused]:
    """Fuse scored lists: sum over lists of weight * min-max normalised score.

    Source: seed 002. The best of a list counts 1, the last 0, a list of one passage
    (or of equal scores) 1; an absent passage adds 0. Weights of the lists that are there are
    scaled to sum to 1, so that a list left out lowers nothing.

    Args:
        runs: list name to (id, score), best first, without repeats.
        weights: of each list, >= 0; a list without one counts 0.
    """
    total = sum(weights.get(name, 0.0) for name in runs)
    scores: dict[str, float] = {}
    ranks: dict[str, dict[str, int]] = {}
    for name, hits in runs.items():
        if not hits:
            continue
        weight = weights.get(name, 0.0) / total if total > 0 else 1 / len(runs)
        low = min(score for _, score in hits)
        spread = max(score for _, score in hits) - low
        for rank, (chunk_id, score) in enumerate(hits, start=1):
            share = (score - low) / spread if spread > 0 else 1.0
            scores[chunk_id] = scores.get(chunk_id, 0.0) + weight * share
            ranks.setdefault(chunk_id, {})[name] = rank
    fused = [Fused(chunk_id, score, ranks[chunk_id]) for chunk_id, score in scores.items()]
    return _ordered(fused, list(runs))


def _ordered(fused: list[Fused], names: list[str]) -> list[Fused]:
    """Sort by score; equal scores by the rank in each list, absent last, then by id.

    Most scores differ, so the costly key is made for the equal ones only.
    """
    fused.sort(key=lambda hit: -hit.score)
    ordered: list[Fused] = []
    for _, tied in groupby(fused, key=lambda hit: hit.score):
        group = list(tied)
        if len(group) > 1:
            group.sort(key=lambda h: ([h.ranks.get(name, _ABSENT) for name in names], h.id))
        ordered += group
    return ordered
