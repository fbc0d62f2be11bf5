"""The statements of a knowledge base: their table, their vectors and their BM25 index.

Scores are given for every statement, because selection combines several of them before any is cut
off. Vectors are stored in half precision: of the 100 best of a question 100 stay (`benchmarks`).
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clinrag_core.errors import IndexBuildError
from clinrag_core.index.bm25 import BM25Index
from clinrag_core.index.chunk_table import read_statement_table, write_table
from clinrag_core.model.statement import IndexedStatement

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pyarrow as pa
    from numpy.typing import NDArray

    from clinrag_core.encode.protocol import Vectors
    from clinrag_core.index.bm25_counts import TermCounts
    from clinrag_core.settings import BM25Settings

TABLE = "statements.arrow"
VECTORS = "vectors.npy"
BM25 = "bm25"
_LISTS = ("headings", "unfit", "ingredients")


class StatementParts(NamedTuple):
    """What the index of some statements is written from."""

    table: pa.Table
    vectors: Vectors
    """float32 of shape `(statements, dimension)`, in the table's order."""
    counts: TermCounts
    """Of `statement_texts(table)`."""


class StatementIndex:
    """The statements of a knowledge base, by row."""

    def __init__(self, table: pa.Table, vectors: Vectors, bm25: BM25Index) -> None:
        if not table.num_rows == len(vectors) == len(bm25):
            raise IndexBuildError(
                f"{table.num_rows} statements with {len(vectors)} vectors and {len(bm25)} terms"
            )
        self.table = table
        self.vectors = vectors
        self.bm25 = bm25
        self._read: dict[int, IndexedStatement] = {}

    def __len__(self) -> int:
        return self.table.num_rows

    @staticmethod
    def write(
        folder: Path,
        table: pa.Table,
        vectors: Vectors,
        counts: TermCounts,
        settings: BM25Settings,
        background: Mapping[str, float] | None = None,
    ) -> None:
        """Write the index of some statements; `background` as in `BM25Index.from_counts`."""
        folder.mkdir()
        write_table(folder / TABLE, table)
        np.save(folder / VECTORS, vectors.astype(np.float16), allow_pickle=False)
        ids: list[str] = table.column("id").to_pylist()
        BM25Index.from_counts(ids, counts, settings, background=background).save(folder / BM25)

    @classmethod
    def load(cls, folder: Path) -> StatementIndex:
        """Open a written index.

        Raises:
            IndexBuildError: a part is damaged, or the parts do not agree.
            WorkspaceError: the table is missing or of another version.
        """
        table = read_statement_table(folder / TABLE)
        try:
            vectors = np.load(folder / VECTORS, allow_pickle=False).astype(np.float32)
        except (OSError, ValueError) as error:
            raise IndexBuildError(f"{folder.name}/{VECTORS} cannot be read: {error}") from error
        return cls(table, vectors, BM25Index.load(folder / BM25))

    def statement(self, row: int) -> IndexedStatement:
        """The statement of a row; those read once are kept."""
        found = self._read.get(row)
        if found is None:
            values: dict[str, Any] = self.table.slice(row, 1).to_pylist()[0]
            values |= {name: values[name] or () for name in _LISTS}
            found = self._read[row] = IndexedStatement.model_validate(values)
        return found

    @cached_property
    def blocks(self) -> NDArray[np.int32]:
        """Number of the block of each statement: equal for those of one paragraph or table."""
        return self._numbered("document_id", "section_ordinal", "block")

    @cached_property
    def sections(self) -> NDArray[np.int32]:
        """Number of the section of each statement."""
        return self._numbered("document_id", "section_ordinal")

    def unfit(self, *reasons: str) -> NDArray[np.bool_]:
        """Return which statements are unfit for one of some reasons."""
        wanted = set(reasons)
        marks: list[list[str]] = self._unfit
        return np.array([not wanted.isdisjoint(mark or ()) for mark in marks], dtype=bool)

    @cached_property
    def _unfit(self) -> list[list[str]]:
        return self.table.column("unfit").to_pylist()

    def _numbered(self, *columns: str) -> NDArray[np.int32]:
        values = zip(*(self.table.column(name).to_pylist() for name in columns), strict=True)
        numbers: dict[tuple[object, ...], int] = {}
        return np.array([numbers.setdefault(v, len(numbers)) for v in values], dtype=np.int32)


def statement_texts(table: pa.Table) -> list[tuple[str, str]]:
    """Return the title and text of each statement, as encoders and BM25 read them."""
    columns = ("embed_title", "run_in", "caption", "said")
    titles, run_ins, captions, said = (table.column(name).to_pylist() for name in columns)
    return [
        (title, "\n".join(p for p in (run_in, "" if cap in own else cap, own) if p))
        for title, run_in, cap, own in zip(titles, run_ins, captions, said, strict=True)
    ]
