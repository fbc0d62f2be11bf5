"""BM25 fitted by rank_bm25 and compiled to a term-major impact matrix.

`LuceneBM25` is rank_bm25's Okapi with Lucene's idf; `compile_impacts` turns its statistics into
one number per (term, passage), in rank_bm25's order of operations, so that adding up a query's
columns gives the scores of `LuceneBM25.get_scores` bit for bit, without its scan over all passages.
"""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import rank_bm25

from clinrag_core.errors import IndexBuildError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from clinrag_core.settings import BM25Settings


def lucene_idf(passages: int, containing: int) -> float:
    """Inverse document frequency ln(1 + (N - n + 0.5) / (n + 0.5)), never negative.

    Robertson's idf, which rank_bm25 uses, is 0 or below for a term in half of the passages: a
    collection of one to three passages cannot be searched with it (Lucene BM25Similarity;
    Kamphuis et al., ECIR 2020, doi:10.1007/978-3-030-45442-5_4).
    """
    return math.log(1 + (passages - containing + 0.5) / (containing + 0.5))


class LuceneBM25(rank_bm25.BM25Okapi):
    """rank_bm25's BM25Okapi with Lucene's idf, or that of a larger background collection.

    Args:
        corpus: tokens of each passage; read once, so a generator will do.
        settings: k1 and b.
        background: idf of terms in a larger collection, for one too small to have its own; a term
            it lacks counts as its rarest.
    """

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
        if not self.background:
            self.idf = {term: lucene_idf(self.corpus_size, n) for term, n in nd.items()}
            return
        if not all(math.isfinite(idf) and idf >= 0 for idf in self.background.values()):
            raise IndexBuildError("background idf: every value must be finite and not negative")
        rarest = max(self.background.values())
        self.idf = {term: self.background.get(term, rarest) for term in nd}


@dataclass(frozen=True, slots=True)
class Impacts:
    """Scores of every term in every passage that holds it, in compressed sparse columns.

    Column t is `rows[starts[t]:starts[t + 1]]` (ascending) and `values` at the same places.
    """

    terms: tuple[str, ...]  # sorted
    starts: NDArray[np.int64]  # terms + 1
    rows: NDArray[np.int32]
    values: NDArray[np.float64]  # > 0 unless the idf is 0
    idf: NDArray[np.float64]  # by term


def compile_impacts(bm25: LuceneBM25) -> Impacts:
    """Term scores of a fitted `LuceneBM25`.

    impact = idf * (f * (k1 + 1) / (f + k1 * (1 - b + b * |d| / avgdl))), computed in exactly the
    order of rank_bm25 0.2.2, `BM25Okapi.get_scores`, so that the rounding is the same.
    """
    terms = tuple(sorted(bm25.idf))
    column = {term: i for i, term in enumerate(terms)}.__getitem__
    columns, frequencies, widths = array("i"), array("i"), array("q")
    for counts in bm25.doc_freqs:
        columns.extend(map(column, counts))
        frequencies.extend(counts.values())
        widths.append(len(counts))

    term_of = np.frombuffer(columns, dtype=np.int32) if columns else np.empty(0, np.int32)
    order = np.argsort(term_of, kind="stable")
    term_of = term_of[order]
    rows = np.repeat(np.arange(len(widths), dtype=np.int32), np.asarray(widths))[order]
    f = np.asarray(frequencies, dtype=np.int64)[order]
    idf = np.array([bm25.idf[term] for term in terms], dtype=np.float64)

    if len(f):
        lengths = np.array(bm25.doc_len)
        saturation = bm25.k1 * (1 - bm25.b + bm25.b * lengths / bm25.avgdl)
        values = idf[term_of] * (f * (bm25.k1 + 1) / (f + saturation[rows]))
    else:
        values = np.empty(0, np.float64)
    starts = np.zeros(len(terms) + 1, dtype=np.int64)
    np.cumsum(np.bincount(term_of, minlength=len(terms)), out=starts[1:])
    return Impacts(terms, starts, rows, values, idf)
