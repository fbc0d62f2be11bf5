"""Which passages name a concept, and how often: an inverted index of concept ids, scored as BM25.

Passages are annotated when a knowledge base is built. A question's concepts have weights; the
words of the passages do not count here.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from clinrag_core.errors import IndexBuildError
from clinrag_core.index.bm25 import BM25Index
from clinrag_core.workspace import read_json, write_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from clinrag_core.lexicon.concepts.recognise import ConceptRecogniser
    from clinrag_core.settings import BM25Settings

RECORD = "concepts.json"


class ConceptIndex:
    """The concepts of passages; build with `build` or `load`. Reading is thread-safe.

    Attributes:
        thesaurus: fingerprint of the thesaurus that the passages were annotated with.
    """

    def __init__(self, postings: BM25Index, thesaurus: str) -> None:
        self._postings = postings
        self._known = frozenset(postings.terms)
        self.thesaurus = thesaurus

    @classmethod
    def build(
        cls,
        ids: Sequence[str],
        texts: Iterable[str],
        recogniser: ConceptRecogniser,
        settings: BM25Settings,
    ) -> ConceptIndex:
        """Annotate passages."""
        postings = BM25Index.build(ids, texts, settings, tokenizer=recogniser.tokens)
        return cls(postings, recogniser.thesaurus.record.fingerprint)

    def save(self, directory: Path) -> None:
        """Write the index; equal indexes give equal bytes."""
        self._postings.save(directory)
        write_json(directory / RECORD, {"thesaurus": self.thesaurus})

    @classmethod
    def load(
        cls, *directories: Path, ids: Sequence[str], settings: BM25Settings | None = None
    ) -> ConceptIndex:
        """Open saved indexes as one, memory-mapped; `settings` as in `BM25Index.load`.

        Raises:
            IndexBuildError: a file is missing or damaged, or it is of other passages.
        """
        records = [read_json(directory / RECORD) for directory in directories]
        made_with = {str(one.get("thesaurus")) for one in records if isinstance(one, dict)}
        postings = BM25Index.load(*directories, settings=settings)
        if len(made_with) != 1 or postings.chunk_ids != tuple(ids):
            raise IndexBuildError(f"{RECORD}: not the concept index of these passages")
        return cls(postings, made_with.pop())

    def share(self, concept: str) -> float:
        """Return the share of passages that name a concept; infinite where none does."""
        if concept not in self._known:
            return math.inf
        return len(self._postings.rows_with([concept])) / len(self._postings)

    def scores(self, weights: Mapping[str, float]) -> NDArray[np.float64]:
        """Return the score of every passage, by row: the weighted sum over concepts."""
        total = np.zeros(len(self._postings), dtype=np.float64)
        for concept, weight in weights.items():
            if weight > 0 and concept in self._known:
                total += weight * self._postings.scores([concept])
        return total
