"""BM25 as rank_bm25 scores it, compiled to a term-major impact matrix.

`LuceneBM25` is rank_bm25's Okapi with Lucene's idf; `compile_impacts` turns term counts into one
number per (term, passage), in rank_bm25's order of operations, so that adding up a query's columns
gives the scores of `LuceneBM25.get_scores` bit for bit, without its scan over all passages.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import rank_bm25

from clinrag_core.errors import IndexBuildError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from clinrag_core.index.bm25_counts import TermCounts
    from clinrag_core.settings import BM25Settings


def lucene_idf(passages: int, containing: int) -> float:
    """Inverse document frequency ln(1 + (N - n + 0.5) / (n + 0.5)), never negative.

    Robertson's idf, which rank_bm25 uses, is 0 or below for a term in half of the passages: a
    collection of one to three passages cannot be searched with it (Lucene BM25Similarity;
    Kamphuis et al., ECIR 2020, doi:10.1007/978-3-030-45442-5_4).
    """
    return math.log(1 + (passages - containing + 0.5) / (containing + 0.5))


def term_idf(
    containing: Mapping[str, int], passages: int, background: Mapping[str, float] | None
) -> dict[str, float]:
    """Return the idf by term: `lucene_idf`, or that of a larger background collection.

    A term that the background lacks counts as its rarest one.

    Raises:
        IndexBuildError: a background idf is negative or not finite.
    """
    if not background:
        return {term: lucene_idf(passages, n) for term, n in containing.items()}
    if not all(math.isfinite(idf) and idf >= 0 for idf in background.values()):
        raise IndexBuildError("background idf: every value must be finite and not negative")
    rarest = max(background.values())
    return {term: background.get(term, rarest) for term in containing}


class LuceneBM25(rank_bm25.BM25Okapi):
    """rank_bm25's BM25Okapi with the idf of `term_idf`; the corpus is read once."""

    idf: dict[str, float]
    doc_freqs: list[dict[str, int]]
    doc_len: list[int]
    avgdl: float
    corpus_size: int

    def __init__(
        self,
        corpus: Iterable[list[str]],
        settings: BM25Settings,
        background: Mapping[str, float] | None = None,
    ) -> None:
        self.background = background
        # BM25Okapi is untyped: it only iterates over the corpus
        super().__init__(cast("Any", corpus), k1=settings.k1, b=settings.b)

    def _calc_idf(self, nd: dict[str, int]) -> None:
        self.idf = term_idf(nd, self.corpus_size, self.background)


@dataclass(frozen=True, slots=True)
class Impacts:
    """Scores of every term in every passage that contains it, in compressed sparse columns.

    Column t is `rows[starts[t]:starts[t + 1]]` (ascending) and `values` at the same places.
    """

    terms: tuple[str, ...]  # sorted
    starts: NDArray[np.int64]  # terms + 1
    rows: NDArray[np.int32]
    values: NDArray[np.float64]  # > 0 unless the idf is 0
    idf: NDArray[np.float64]  # by term


def compile_impacts(
    counts: TermCounts, settings: BM25Settings, background: Mapping[str, float] | None = None
) -> Impacts:
    """Term scores of some passages, as a `LuceneBM25` fitted to them gives them.

    impact = idf * (f * (k1 + 1) / (f + k1 * (1 - b + b * |d| / avgdl))), computed in exactly the
    order of rank_bm25 0.2.2, `BM25Okapi.get_scores`, so that the rounding is the same.
    """
    terms, passages = counts.terms, len(counts)
    starts = np.zeros(len(terms) + 1, dtype=np.int64)
    holding = np.bincount(counts.columns, minlength=len(terms))
    np.cumsum(holding, out=starts[1:])
    by_term = term_idf(dict(zip(terms, holding.tolist(), strict=True)), passages, background)
    idf = np.array([by_term[term] for term in terms], dtype=np.float64)

    order = np.argsort(counts.columns, kind="stable")
    term_of = counts.columns[order]
    rows = np.repeat(np.arange(passages, dtype=np.int32), counts.widths)[order]
    if len(rows):
        f = counts.frequencies.astype(np.int64)[order]
        k1, b, lengths = settings.k1, settings.b, counts.lengths
        saturation = k1 * (1 - b + b * lengths / (int(lengths.sum()) / passages))
        values = idf[term_of] * (f * (k1 + 1) / (f + saturation[rows]))
    else:
        values = np.empty(0, np.float64)
    return Impacts(terms, starts, rows, values, idf)
