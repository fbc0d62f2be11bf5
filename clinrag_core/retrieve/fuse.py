"""Reciprocal rank fusion: ranks of several lists as one score."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Fused(NamedTuple):
    """One passage after fusion."""

    id: str
    score: float
    ranks: dict[str, int]


def reciprocal_rank_fusion(runs: Mapping[str, Sequence[str]], k: int = 60) -> list[Fused]:
    """Fuse ranked lists: score = sum over lists of 1 / (k + rank), rank from 1.

    Source: Cormack, Clarke, Buettcher 2009; DESIGN.md 6.1. An id absent from a list adds nothing.
    Ties are broken by the rank in each list, in the order the lists are given (absent last), then
    by id, so the order is total.

    Args:
        runs: component name to ids, best first, without repeats.
        k: rank constant.
    """
    ranks: dict[str, dict[str, int]] = {}
    for name, ids in runs.items():
        for rank, chunk_id in enumerate(ids, start=1):
            ranks.setdefault(chunk_id, {})[name] = rank
    fused = [
        Fused(chunk_id, sum(1 / (k + rank) for rank in found.values()), found)
        for chunk_id, found in ranks.items()
    ]
    last = 1 + max((len(ids) for ids in runs.values()), default=0)

    def order(hit: Fused) -> tuple[float, list[int], str]:
        return -hit.score, [hit.ranks.get(name, last) for name in runs], hit.id

    return sorted(fused, key=order)
