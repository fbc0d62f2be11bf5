"""Compares the compiled index with rank_bm25.

Run by a blocking asset check on every candidate: scores are computed again from the texts by
rank_bm25 itself, without the index's arrays. Of a large index a sample of the passages is tokenised
again; their scores then rest on the index's own counts of passages, which small ones are checked
for in full.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from clinrag_core.errors import IndexBuildError
from clinrag_core.index.bm25_impacts import LuceneBM25
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from clinrag_core.index.bm25 import BM25Index
    from clinrag_core.settings import BM25Settings


DEPTH = 100
"""Hits of a query that are compared: the candidates that a search takes of each list."""
SAMPLE = 20_000
"""Passages of which all are tokenised again by a check: half a minute (benchmarks/bm25.py)."""


@dataclass(frozen=True, slots=True)
class BM25Agreement:
    """The agreement of an index with rank_bm25 on some queries."""

    queries: int
    k: int
    """Depth of the compared rankings."""
    max_abs_diff: float
    """Largest difference of the score of any passage; 0.0 when bit-identical."""
    differing: tuple[int, ...]
    """Positions of the queries whose k best differ in id, order or score."""

    @property
    def exact(self) -> bool:
        """True if every score and every ranking is the same."""
        return self.max_abs_diff == 0.0 and not self.differing


def reference_scores(
    texts: Sequence[str], queries: Sequence[str], settings: BM25Settings
) -> NDArray[np.float64]:
    """Scores by rank_bm25's own `get_scores`, one row per query, one column per text.

    Passages and queries without any token score 0, where rank_bm25 divides by zero.
    """
    scores = np.zeros((len(queries), len(texts)))
    tokens = [tokenize(text) for text in texts]
    if not any(tokens):
        return scores
    bm25 = LuceneBM25(tokens, settings)
    empty = np.array([not words for words in tokens])
    for i, query in enumerate(queries):
        # b = 1 makes the denominator of an empty passage 0
        with np.errstate(invalid="ignore"):
            row = np.asarray(cast("object", bm25.get_scores(tokenize(query))), dtype=np.float64)
        scores[i] = np.where(empty, 0.0, row)
    return scores


def _ranking(scores: NDArray[np.float64], ids: Sequence[str]) -> list[tuple[str, float]]:
    """Plain sort by (-score, chunk id), on purpose not the index's code."""
    hits = [(chunk_id, float(score)) for chunk_id, score in zip(ids, scores, strict=True)]
    return sorted((hit for hit in hits if hit[1] > 0), key=lambda hit: (-hit[1], hit[0]))[:DEPTH]


def compare_with_rank_bm25(
    index: BM25Index, texts: Sequence[str], queries: Sequence[str]
) -> BM25Agreement:
    """Compare the best of each query with those of rank_bm25, fitted again on the texts.

    The texts are in the index's order of ids.

    Raises:
        IndexBuildError: another number of texts than the index has passages.
    """
    if len(texts) != len(index):
        raise IndexBuildError(f"the index has {len(index)} passages, but {len(texts)} texts came")
    expected = reference_scores(texts, queries, index.settings)
    largest, differing = 0.0, list[int]()
    for i, query in enumerate(queries):
        if len(texts):
            difference = np.abs(index.scores(tokenize(query)) - expected[i])
            largest = max(largest, float(difference.max()))
        if index.search(query, DEPTH) != _ranking(expected[i], index.chunk_ids):
            differing.append(i)
    return BM25Agreement(len(queries), DEPTH, largest, tuple(differing))


def compare_sample(
    index: BM25Index,
    read: Callable[[Sequence[int]], Sequence[str]],
    queries: Sequence[str],
) -> BM25Agreement:
    """Compare the scores of some passages with rank_bm25's, and the order of each query's hits.

    Compared are about `SAMPLE` passages, evenly spread, and the best of every query. The texts
    of the others are not read, so that the check costs the same whatever the size of the index.

    Args:
        index: whose statistics (passages, mean length, passages with a term) are taken as they are.
        read: gives the texts of rows of the index.
        queries: to score.
    """
    tokens = [tokenize(query) for query in queries]
    found = [index.search(query, DEPTH) for query in queries]
    row_of = {name: row for row, name in enumerate(index.chunk_ids)}
    best = {row_of[name] for hits in found for name, _ in hits}
    rows = np.array(sorted(best | {*range(0, len(index), max(len(index) // SAMPLE, 1))}))
    bm25 = LuceneBM25([tokenize(text) for text in read(rows.tolist())], index.settings)
    bm25.avgdl = index.mean_length
    bm25.idf = {term: index.weight(term) for words in tokens for term in words}
    largest, differing = 0.0, list[int]()
    for number, (words, hits) in enumerate(zip(tokens, found, strict=True)):
        expected = np.asarray(cast("object", bm25.get_scores(words)), dtype=np.float64)
        scores = index.scores(words)
        difference = np.abs(scores[rows] - expected)
        largest = max(largest, float(difference.max(initial=0.0)))
        if hits != _ranking(scores, index.chunk_ids):
            differing.append(number)
    return BM25Agreement(len(queries), DEPTH, largest, tuple(differing))


# Deliberately not the tokeniser's pattern: the tokeniser is what is checked.
_FIGURE = lazy_re(r"(?<![\w.,/–-])([1-9]\d{0,3}) (?=(?:mg|g|mL|days|weeks|months|years)\b)")


@dataclass(frozen=True, slots=True)
class LostFigures:
    """Figures before a unit, in a sample of passages, and how many the index does not know."""

    passages: int
    figures: int
    lost: int


def lost_figures(
    index: BM25Index, read: Callable[[Sequence[int]], Sequence[str]], sample: int
) -> LostFigures:
    """Count figures such as the 300 of "300 mg" that do not find the passage they occur in.

    About `sample` passages are compared, evenly spread over those with a figure among `SAMPLE`
    evenly spread over all; `read` gives the texts of rows of the index.
    """
    rows = list(range(0, len(index), max(len(index) // SAMPLE, 1)))
    texts = zip(rows, read(rows), strict=True)
    figures_of = [(row, set(_FIGURE.findall(text))) for row, text in texts]
    figures_of = [(row, figures) for row, figures in figures_of if figures]
    figures_of = figures_of[:: max(len(figures_of) // sample, 1)]
    rows_of: dict[str, list[int]] = {}
    for row, figures in figures_of:
        for figure in figures:
            rows_of.setdefault(figure, []).append(row)
    lost = 0
    for figure, rows in sorted(rows_of.items()):
        lost += int((index.scores([figure])[rows] <= 0).sum())
    return LostFigures(len(figures_of), sum(map(len, rows_of.values())), lost)
