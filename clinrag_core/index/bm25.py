"""The lexical index: BM25 over chunks with the clinical tokeniser.

Building, searching, saving, loading. Terms are counted in `bm25_counts`; `bm25_impacts`
holds the formula, `bm25_files` the file format, `bm25_check` the comparison with rank_bm25.
"""

from __future__ import annotations

import threading
from collections import Counter
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from clinrag_core.errors import IndexBuildError
from clinrag_core.index.bm25_counts import TermCounts, count_terms
from clinrag_core.index.bm25_files import read_index, read_record, verify_files, write_index
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
        """Index passages; each text is tokenised once and not kept.

        Args:
            chunk_ids: unique.
            texts: `Chunk.embed_text`, in the order of the ids.
            settings: k1 and b.
            background: idf by term of a larger collection (`BM25Index.idf`), for a collection too
                small to tell rare words from common ones.
            tokenizer: another than the clinical one, to reproduce published figures; such an
                index is asked with `top`, and is not for saving.

        Raises:
            IndexBuildError: an id twice, or another number of texts than of ids.
        """
        counts = _counted(len(chunk_ids), texts, tokenizer)
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
            background: as for `build`.

        Raises:
            IndexBuildError: an id twice, or counts of another number of passages than of ids.
        """
        ids = tuple(chunk_ids)
        if len(set(ids)) != len(ids):
            twice = Counter(ids).most_common(1)[0][0]
            raise IndexBuildError(f"chunk id {twice!r} occurs twice: chunk ids must be unique")
        if len(counts) != len(ids):
            raise IndexBuildError(f"{len(ids)} chunk ids, but counts of {len(counts)} passages")
        impacts = compile_impacts(counts, settings, background)
        ranks = np.empty(len(ids), dtype=np.int32)
        ranks[sorted(range(len(ids)), key=ids.__getitem__)] = np.arange(len(ids), dtype=np.int32)
        return cls(impacts, ids, ranks, settings, background_idf=bool(background))

    def save(self, directory: Path) -> None:
        """Write the index; equal indexes give equal bytes.

        Args:
            directory: made where it is missing. Make it atomic from outside
                (`workspace.new_directory`).
        """
        write_index(
            directory,
            impacts=self._impacts,
            chunk_ids=self.chunk_ids,
            id_ranks=self._id_ranks,
            settings=self.settings,
            background_idf=self._background_idf,
        )

    @classmethod
    def load(cls, directory: Path, *, verify: bool = True) -> BM25Index:
        """Open a saved index, memory-mapped.

        Args:
            directory: where `save` wrote it.
            verify: compare every byte with its recorded hash; False only where the caller has
                just done so, it leaves the checks of counts, types and lengths.

        Raises:
            IndexBuildError: missing, altered or inconsistent files, or another tokeniser.
        """
        record = read_record(directory)
        if verify:
            verify_files(directory, record)
        impacts, ids, ranks = read_index(directory, record)
        settings = BM25Settings(k1=record.k1, b=record.b)
        return cls(impacts, ids, ranks, settings, background_idf=record.background_idf)

    def __len__(self) -> int:
        return len(self.chunk_ids)

    @property
    def terms(self) -> tuple[str, ...]:
        """The vocabulary, sorted."""
        return self._impacts.terms

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays, the vocabulary and ids not counted."""
        i = self._impacts
        arrays = (i.starts, i.rows, i.values, i.idf, self._id_ranks)
        return sum(array.nbytes for array in arrays)

    @cached_property
    def _columns(self) -> dict[str, int]:
        return {term: column for column, term in enumerate(self._impacts.terms)}

    def idf(self) -> dict[str, float]:
        """Inverse document frequency by term; the `background` of a smaller index."""
        return dict(zip(self._impacts.terms, self._impacts.idf.tolist(), strict=True))

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
        """The k best passages of a question as (chunk id, score), fewer where fewer match.

        Ordered by (-score, chunk id). A passage without any word of the question is no hit.
        """
        return self.top(tokenize(query), k)

    def top(
        self, tokens: Sequence[str], k: int, mask: NDArray[np.bool_] | None = None
    ) -> list[tuple[str, float]]:
        """`search` for a question that has been tokenised already.

        Args:
            tokens: as `tokenize` gives them.
            k: passages wanted.
            mask: by row, True for passages that may be found; all where None.
        """
        if k < 1:
            return []
        columns = [self._columns[token] for token in tokens if token in self._columns]
        if not columns:
            return []
        impacts = self._impacts
        scores, touched = self._buffers()
        rows, found, count = top_kernel()(
            impacts.starts,
            impacts.rows,
            impacts.values,
            np.array(columns, dtype=np.int64),
            min(k, len(self.chunk_ids)),
            self._id_ranks,
            _ALL if mask is None else mask,
            scores,
            touched,
        )
        rows, found = rows[:count], found[:count]
        best = np.lexsort((self._id_ranks[rows], -found))
        return [(self.chunk_ids[rows[i]], float(found[i])) for i in best]

    def _buffers(self) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """Scores and touched rows, kept by thread: only what a search touched is cleared."""
        buffers: tuple[NDArray[np.float64], NDArray[np.int32]] | None
        buffers = getattr(self._local, "buffers", None)
        if buffers is None:
            count = len(self.chunk_ids)
            buffers = (np.zeros(count, dtype=np.float64), np.empty(count, dtype=np.int32))
            self._local.buffers = buffers
        return buffers


def _counted(
    passages: int, texts: Iterable[str], tokenizer: Callable[[str], list[str]]
) -> TermCounts:
    remaining = iter(texts)
    counts = count_terms(islice(remaining, passages), tokenizer)
    surplus = next(remaining, None) is not None
    if surplus or len(counts) != passages:
        found = f"more than {passages}" if surplus else str(len(counts))
        raise IndexBuildError(f"{passages} chunk ids, but {found} texts")
    return counts
