"""The lexical index: BM25 over chunks with the clinical tokeniser.

Terms are counted in `bm25_counts`; `bm25_impacts` is the formula, `bm25_files` the file format,
`bm25_check` the comparison with rank_bm25. An index has one part or several, whose statistics are
added up when it is opened, as those of the segments of a Lucene index.
"""

from __future__ import annotations

import threading
from collections import Counter
from functools import cached_property, partial, reduce
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clinrag_core.errors import IndexBuildError
from clinrag_core.index.bm25_counts import TermCounts, count_terms
from clinrag_core.index.bm25_files import SavedPostings, read_postings, write_postings
from clinrag_core.index.bm25_impacts import Postings, invert, length_norms, lucene_idf
from clinrag_core.index.bm25_kernel import add_kernel, best_kernel
from clinrag_core.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from clinrag_core.settings import BM25Settings


_ALL = np.empty(0, dtype=bool)


KERNEL_FROM = 100_000
"""Passages from which on the compiled loops are used: below, numpy takes under a millisecond, and
numba takes a second to load (benchmarks/bm25.py)."""


class _Weighted(NamedTuple):
    """Terms of a question in one part."""

    part: Postings
    first: int
    """Row of its first passage."""
    columns: NDArray[np.int64]
    weights: NDArray[np.float64]
    """idf of each column's term."""


def _best_rows(scores: NDArray[np.float64], k: int) -> NDArray[np.int64]:
    """Return the rows of the `k` best scores above 0, and of those that tie with the last."""
    rows = np.flatnonzero(scores > 0)
    if len(rows) <= k:
        return rows
    least = np.partition(scores[rows], len(rows) - k)[len(rows) - k]
    return rows[scores[rows] >= least]


class BM25Index:
    """Search by BM25 with scores equal to rank_bm25's, bit for bit.

    Build with `build` or `load`, not with the constructor. Reading is safe from several threads.

    Attributes:
        chunk_ids: ids in the order in which the chunks were given; row i of the index is id i.
        settings: k1 and b.
    """

    def __init__(
        self, parts: Sequence[Postings], chunk_ids: tuple[str, ...], settings: BM25Settings
    ) -> None:
        self.chunk_ids = chunk_ids
        self.settings = settings
        self._parts = tuple(parts)
        self._firsts = tuple(accumulate((len(part.lengths) for part in parts), initial=0))
        self._norms = length_norms(parts, settings)
        self._local = threading.local()

    @classmethod
    def build(
        cls,
        chunk_ids: Sequence[str],
        texts: Iterable[str],
        settings: BM25Settings,
        *,
        tokenizer: Callable[[str], list[str]] = tokenize,
    ) -> BM25Index:
        """Index passages; each text (`Chunk.embed_text`) is tokenised once and not kept.

        Args:
            chunk_ids: unique.
            texts: in the order of the ids.
            settings: k1 and b.
            tokenizer: another than the clinical one, to reproduce published figures; search such
                an index with `top`, and do not save it.

        Raises:
            IndexBuildError: an id twice, or another number of texts than of ids.
        """
        counts = count_terms(texts, tokenizer)
        return cls.from_counts(chunk_ids, counts, settings)

    @classmethod
    def from_counts(
        cls,
        chunk_ids: Sequence[str],
        counts: TermCounts,
        settings: BM25Settings,
        *,
        background: Mapping[str, float] | None = None,
    ) -> BM25Index:
        """Index passages whose terms are counted already; the same bytes as `build`.

        Args:
            chunk_ids: unique.
            counts: by the clinical tokeniser, in the order of the ids.
            settings: k1 and b.
            background: idf by term of a larger collection (`BM25Index.idf`), for a collection too
                small to distinguish rare words from common ones.

        Raises:
            IndexBuildError: an id twice, or counts of another number of passages than of ids.
        """
        ids = tuple(chunk_ids)
        if len(set(ids)) != len(ids):
            twice = Counter(ids).most_common(1)[0][0]
            raise IndexBuildError(f"chunk id {twice!r} occurs twice: chunk ids must be unique")
        if len(counts) != len(ids):
            raise IndexBuildError(f"{len(ids)} chunk ids, but {len(counts)} texts")
        return cls([invert(counts, background)], ids, settings)

    def save(self, directory: Path) -> None:
        """Write the index; equal indexes give equal bytes. The caller makes the write atomic.

        Raises:
            IndexBuildError: it was opened from several parts, which are saved already.
        """
        if len(self._parts) != 1:
            raise IndexBuildError("an index of several parts is not saved as one")
        write_postings(directory, SavedPostings(self._parts[0], self.chunk_ids, self.settings))

    @classmethod
    def load(
        cls, *directories: Path, settings: BM25Settings | None = None, checked: bool = False
    ) -> BM25Index:
        """Open saved indexes as one, memory-mapped.

        Args:
            directories: of the parts, in order, at least one.
            settings: k1 and b; by default those that the first part was saved with.
            checked: False compares every byte with its recorded hash first.

        Raises:
            IndexBuildError: missing, altered or inconsistent files, or another tokeniser.
        """
        saved = [read_postings(directory, checked=checked) for directory in directories]
        settings = settings or saved[0].settings
        ids = tuple(chunk_id for one in saved for chunk_id in one.chunk_ids)
        return cls([one.postings for one in saved], ids, settings)

    def __len__(self) -> int:
        return len(self.chunk_ids)

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """The vocabulary, sorted."""
        if len(self._parts) == 1:
            return self._parts[0].terms
        return tuple(sorted(set[str]().union(*(part.terms for part in self._parts))))

    @cached_property
    def _columns(self) -> tuple[dict[str, int], ...]:
        return tuple(
            {term: column for column, term in enumerate(part.terms)} for part in self._parts
        )

    @property
    def mean_length(self) -> float:
        """Tokens of a passage, on average."""
        return sum(int(part.lengths.sum(dtype=np.int64)) for part in self._parts) / len(self)

    def idf(self) -> dict[str, float]:
        """Inverse document frequency by term; the `background` of a smaller index."""
        if any(part.idf is not None for part in self._parts):
            return {term: self.weight(term) for term in self.terms}
        holding: Counter[str] = Counter()
        for part in self._parts:
            holding.update(dict(zip(part.terms, part.holding().tolist(), strict=True)))
        of_count = {n: lucene_idf(len(self), n) for n in set(holding.values())}
        return {term: of_count[holding[term]] for term in self.terms}

    def weight(self, token: str) -> float:
        """Return the idf of a term; 0 where no passage has it."""
        holding = 0
        for part, columns in zip(self._parts, self._columns, strict=True):
            if (column := columns.get(token)) is None:
                continue
            if part.idf is not None:
                return float(part.idf[column])
            holding += int(part.starts[column + 1] - part.starts[column])
        return lucene_idf(len(self), holding) if holding else 0.0

    def _weighted(self, tokens: Sequence[str]) -> list[_Weighted]:
        """Return each part with any of some tokens: its first row, columns and their idf."""
        weights = {token: self.weight(token) for token in set(tokens)}
        found: list[_Weighted] = []
        for part, first, columns in zip(self._parts, self._firsts, self._columns, strict=False):
            known = [(columns[token], weights[token]) for token in tokens if token in columns]
            if known:
                places, idf = zip(*known, strict=True)
                columns_of, idf_of = np.array(places, np.int64), np.array(idf, np.float64)
                found.append(_Weighted(part, first, columns_of, idf_of))
        return found

    def rows_with(self, tokens: Sequence[str]) -> NDArray[np.int32]:
        """Return the rows of the passages that contain every one of some tokens, ascending."""
        found = [np.empty(0, dtype=np.int32)]
        for part, first, columns in zip(self._parts, self._firsts, self._columns, strict=False):
            places = [columns.get(token) for token in tokens]
            if not places or None in places:
                continue
            starts = part.starts
            holding = [part.rows[starts[c] : starts[c + 1]] for c in places if c is not None]
            rows = reduce(partial(np.intersect1d, assume_unique=True), holding)
            found.append((rows + first).astype(np.int32, copy=False))
        return np.concatenate(found)

    def scores(self, tokens: Sequence[str]) -> NDArray[np.float64]:
        """BM25 score of every passage, by row; a token counts as often as it is given."""
        scores = np.zeros(len(self.chunk_ids), dtype=np.float64)
        gain = self.settings.k1 + 1
        for part, first, columns, weights in self._weighted(tokens):
            for column, weight in zip(columns.tolist(), weights.tolist(), strict=True):
                entries = slice(part.starts[column], part.starts[column + 1])
                rows, f = part.rows[entries] + first, part.frequencies[entries].astype(np.float64)
                # a row occurs once in a column
                scores[rows] += weight * (f * gain / (f + self._norms[rows]))
        return scores

    def search(self, query: str, k: int) -> list[tuple[str, float]]:
        """Return the k best passages of a question as (chunk id, score), fewer if fewer match.

        Ordered by (-score, chunk id). A passage without any word of the question is not a hit.
        """
        return self.top(tokenize(query), k)

    def top(
        self, tokens: Sequence[str], k: int, mask: NDArray[np.bool_] | None = None
    ) -> list[tuple[str, float]]:
        """`search` for a question that is tokenised already.

        Args:
            tokens: as `tokenize` gives them.
            k: number of passages.
            mask: by row, True for passages that are admitted; None admits all.
        """
        parts = self._weighted(tokens)
        if k < 1 or not parts:
            return []
        if len(self) < KERNEL_FROM:
            scores = self.scores(tokens)
            if mask is not None:
                scores[~mask] = 0.0
            found = [(float(scores[row]), row) for row in _best_rows(scores, k).tolist()]
        else:
            found = self._kernel_top(parts, k, _ALL if mask is None else mask)
        hits = [(self.chunk_ids[row], score) for score, row in found]
        return sorted(hits, key=lambda hit: (-hit[1], hit[0]))[:k]

    def _kernel_top(
        self, parts: Sequence[_Weighted], k: int, mask: NDArray[np.bool_]
    ) -> list[tuple[float, int]]:
        """Return (score, row) of the `k` best rows and of those that tie, by the compiled loops."""
        scores, touched = self._buffers()
        add, gain, count = add_kernel(), self.settings.k1 + 1, 0
        for part, first, columns, weights in parts:
            arrays = (part.starts, part.rows, part.frequencies, columns, weights)
            count = add(*arrays, gain, self._norms, scores, touched, first, count)
        return best_kernel()(scores, touched, count, k, mask)

    def _buffers(self) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """Return this thread's scores and touched rows: a search clears only what it touched."""
        if not hasattr(self._local, "buffers"):
            count = len(self.chunk_ids)
            self._local.buffers = (np.zeros(count, np.float64), np.empty(count, np.int32))
        return self._local.buffers
