"""The lexical index: BM25 over chunks with the clinical tokeniser.

Terms are counted in `bm25_counts`; `bm25_impacts` is the formula, `bm25_files` the file format,
`bm25_check` the comparison with rank_bm25.
"""

from __future__ import annotations

import threading
from collections import Counter
from functools import cached_property, partial, reduce
from typing import TYPE_CHECKING

import numpy as np

from clinrag_core.errors import IndexBuildError
from clinrag_core.index.bm25_counts import TermCounts, count_terms
from clinrag_core.index.bm25_files import read_index, write_index
from clinrag_core.index.bm25_impacts import Impacts, compile_impacts
from clinrag_core.index.bm25_kernel import top_kernel
from clinrag_core.settings import BM25Settings
from clinrag_core.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray


_ALL = np.empty(0, dtype=bool)


class BM25Index:
    """Search by BM25 with scores equal to rank_bm25's, bit for bit.

    Build with `build` or `load`, not with the constructor. Reading is safe from several threads.

    Attributes:
        chunk_ids: ids in the order in which the chunks were given; row i of the index is id i.
        settings: k1 and b.
    """

    def __init__(
        self,
        impacts: Impacts,
        chunk_ids: tuple[str, ...],
        id_ranks: NDArray[np.int32],
        settings: BM25Settings,
        *,
        background_idf: bool,
    ) -> None:
        self.chunk_ids = chunk_ids
        self.settings = settings
        self._impacts = impacts
        self._id_ranks = id_ranks
        self._background_idf = background_idf
        self._local = threading.local()

    @classmethod
    def build(
        cls,
        chunk_ids: Sequence[str],
        texts: Iterable[str],
        settings: BM25Settings,
        *,
        background: Mapping[str, float] | None = None,
        tokenizer: Callable[[str], list[str]] = tokenize,
    ) -> BM25Index:
        """Index passages; each text (`Chunk.embed_text`) is tokenised once and not kept.

        Args:
            chunk_ids: unique.
            texts: in the order of the ids.
            settings: k1 and b.
            background: see `from_counts`.
            tokenizer: another than the clinical one, to reproduce published figures; search such
                an index with `top`, and do not save it.

        Raises:
            IndexBuildError: an id twice, or another number of texts than of ids.
        """
        counts = count_terms(texts, tokenizer)
        return cls.from_counts(chunk_ids, counts, settings, background=background)

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
        impacts = compile_impacts(counts, settings, background)
        ranks = np.empty(len(ids), dtype=np.int32)
        ranks[sorted(range(len(ids)), key=ids.__getitem__)] = np.arange(len(ids), dtype=np.int32)
        return cls(impacts, ids, ranks, settings, background_idf=bool(background))

    def save(self, directory: Path) -> None:
        """Write the index; equal indexes give equal bytes. The caller makes the write atomic."""
        write_index(
            directory,
            impacts=self._impacts,
            chunk_ids=self.chunk_ids,
            id_ranks=self._id_ranks,
            settings=self.settings,
            background_idf=self._background_idf,
        )

    @classmethod
    def load(cls, directory: Path) -> BM25Index:
        """Open a saved index, memory-mapped, after comparing every byte with its recorded hash.

        Raises:
            IndexBuildError: missing, altered or inconsistent files, or another tokeniser.
        """
        record, impacts, ids, ranks = read_index(directory)
        settings = BM25Settings(k1=record.k1, b=record.b)
        return cls(impacts, ids, ranks, settings, background_idf=record.background_idf)

    def __len__(self) -> int:
        return len(self.chunk_ids)

    @property
    def terms(self) -> tuple[str, ...]:
        """The vocabulary, sorted."""
        return self._impacts.terms

    @cached_property
    def _columns(self) -> dict[str, int]:
        return {term: column for column, term in enumerate(self._impacts.terms)}

    def idf(self) -> dict[str, float]:
        """Inverse document frequency by term; the `background` of a smaller index."""
        return dict(zip(self._impacts.terms, self._impacts.idf.tolist(), strict=True))

    def rows_with(self, tokens: Sequence[str]) -> NDArray[np.int32]:
        """Return the rows of the passages that contain every one of some tokens, ascending."""
        starts, rows = self._impacts.starts, self._impacts.rows
        columns = [self._columns.get(token) for token in tokens]
        if not columns or None in columns:
            return np.empty(0, dtype=np.int32)
        holding = [rows[starts[c] : starts[c + 1]] for c in columns if c is not None]
        return reduce(partial(np.intersect1d, assume_unique=True), holding)

    def scores(self, tokens: Sequence[str]) -> NDArray[np.float64]:
        """BM25 score of every passage, by row; a token counts as often as it is given."""
        starts, rows, values = self._impacts.starts, self._impacts.rows, self._impacts.values
        scores = np.zeros(len(self.chunk_ids), dtype=np.float64)
        for token in tokens:
            column = self._columns.get(token)
            if column is not None:
                entries = slice(starts[column], starts[column + 1])
                scores[rows[entries]] += values[entries]  # a row occurs once in a column
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
        columns = [self._columns[token] for token in tokens if token in self._columns]
        if k < 1 or not columns:
            return []
        impacts = self._impacts
        heap = top_kernel()(
            impacts.starts,
            impacts.rows,
            impacts.values,
            np.array(columns, dtype=np.int64),
            k,
            self._id_ranks,
            _ALL if mask is None else mask,
            *self._buffers(),
        )
        return [(self.chunk_ids[row], score) for score, _, row in sorted(heap, reverse=True)]

    def _buffers(self) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """Return this thread's scores and touched rows: a search clears only what it touched."""
        if not hasattr(self._local, "buffers"):
            count = len(self.chunk_ids)
            self._local.buffers = (np.zeros(count, np.float64), np.empty(count, np.int32))
        return self._local.buffers
