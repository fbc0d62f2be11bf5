"""The weights of words: their inverse document frequency in the knowledge bases of an engine."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from clinrag_core.index.knowledge_base import KnowledgeBase


class WordWeights(dict[str, float]):
    """Weight of each token, the greatest of some knowledge bases; it never changes."""

    def __init__(self, bases: Iterable[KnowledgeBase] = ()) -> None:
        super().__init__()
        for base in bases:
            for token, value in base.idf.items():
                self[token] = max(self.get(token, 0.0), value)

    @cached_property
    def most(self) -> float:
        """The greatest of the weights; 1 without any."""
        return max(self.values(), default=1.0)


def greatest(idf: Mapping[str, float]) -> float:
    """Return the greatest of some weights: that of a word in no passage; 1 without any."""
    return idf.most if isinstance(idf, WordWeights) else max(idf.values(), default=1.0)
