"""BM25 as rank_bm25 scores it, and the term-major postings that the same scores come from.

`LuceneBM25` is rank_bm25's Okapi with Lucene's idf. Postings hold frequencies, nothing that depends
on other passages: those of several shards are searched as one, with statistics over all of them,
in rank_bm25's order of operations, so that scores are those of `LuceneBM25.get_scores` bit for bit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import rank_bm25

from clinrag_core.errors import IndexBuildError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

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
    """rank_bm25's BM25Okapi with `lucene_idf`; the corpus is read once."""

    idf: dict[str, float]
    doc_freqs: list[dict[str, int]]
    doc_len: list[int]
    avgdl: float
    corpus_size: int

    def __init__(self, corpus: Iterable[list[str]], settings: BM25Settings) -> None:
        # BM25Okapi is untyped: it only iterates over the corpus
        super().__init__(cast("Any", corpus), k1=settings.k1, b=settings.b)

    def _calc_idf(self, nd: dict[str, int]) -> None:
        self.idf = {term: lucene_idf(self.corpus_size, n) for term, n in nd.items()}


@dataclass(frozen=True, slots=True)
class Postings:
    """The passages that contain each term, and how often, in compressed sparse columns.

    Column t is `rows[starts[t]:starts[t + 1]]` (ascending) and `frequencies` at the same places.
    """

    terms: tuple[str, ...]  # sorted
    starts: NDArray[np.int64]  # terms + 1
    rows: NDArray[np.int32]
    frequencies: NDArray[np.int32]
    lengths: NDArray[np.int32]  # tokens of each passage
    idf: NDArray[np.float64] | None = None  # by term, of a background; None: of the passages

    def holding(self) -> NDArray[np.int64]:
        """Return the number of passages with each term."""
        return np.diff(self.starts)


def invert(counts: TermCounts, background: Mapping[str, float] | None = None) -> Postings:
    """Return the postings of some passages; `background` as in `term_idf`."""
    terms, passages = counts.terms, len(counts)
    starts = np.zeros(len(terms) + 1, dtype=np.int64)
    np.cumsum(np.bincount(counts.columns, minlength=len(terms)), out=starts[1:])
    idf = None
    if background:
        by_term = term_idf(dict.fromkeys(terms, 0), passages, background)
        idf = np.array([by_term[term] for term in terms], dtype=np.float64)
    order = np.argsort(counts.columns, kind="stable")
    rows = np.repeat(np.arange(passages, dtype=np.int32), counts.widths)[order]
    frequencies = np.asarray(counts.frequencies, dtype=np.int32)[order]
    return Postings(terms, starts, rows, frequencies, counts.lengths.astype(np.int32), idf)


def length_norms(parts: Sequence[Postings], settings: BM25Settings) -> NDArray[np.float64]:
    """Return k1 * (1 - b + b * |d| / avgdl) of each passage of all parts."""
    lengths = np.concatenate([np.empty(0, np.int64), *(part.lengths for part in parts)])
    if not len(lengths) or not (tokens := int(lengths.sum())):
        return np.zeros(len(lengths))
    k1, b = settings.k1, settings.b
    norms = k1 * (1 - b + b * lengths / (tokens / len(lengths)))
    return np.asarray(norms, dtype=np.float64)
