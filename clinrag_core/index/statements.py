"""The statements of a knowledge base: their table, their vectors and their BM25 index.

Scores are given for every statement, because selection combines several of them before any is cut
off. Vectors are stored in half precision.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clinrag_core.errors import IndexBuildError
from clinrag_core.index.bm25 import BM25Index
from clinrag_core.index.chunk_table import read_statement_table, write_table
from clinrag_core.model.statement import IndexedStatement, Quote, Unfit

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa
    from numpy.typing import NDArray

    from clinrag_core.encode.protocol import Vectors
    from clinrag_core.index.bm25_counts import TermCounts
    from clinrag_core.index.knowledge_base import KnowledgeBase
    from clinrag_core.settings import BM25Settings

TABLE = "statements.arrow"
VECTORS = "vectors.npy"
BM25 = "bm25"
_LISTS = ("headings", "unfit", "aspects", "ingredients")


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
        self._passages: NDArray[np.int32] | None = None
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

    def statements(self, rows: Sequence[int]) -> list[IndexedStatement]:
        """The statements of some rows, in their order; those read once are kept."""
        missing = [row for row in rows if row not in self._read]
        if missing:
            for row, values in zip(missing, self.table.take(missing).to_pylist(), strict=True):
                self._read[row] = _statement(values)
        return [self._read[row] for row in rows]

    @cached_property
    def blocks(self) -> NDArray[np.int32]:
        """Number of the block of each statement: equal for those of one paragraph or table."""
        return self._numbered("document_id", "section_ordinal", "block")

    @cached_property
    def sections(self) -> NDArray[np.int32]:
        """Number of the section of each statement."""
        return self._numbered("document_id", "section_ordinal")

    def unfit_for(self, *reasons: Unfit) -> NDArray[np.float32]:
        """Return 1 for each statement that is unfit for one of some reasons, else 0."""
        marks = [self._marks[reason] for reason in reasons if reason in self._marks]
        return np.maximum.reduce(marks) if marks else np.zeros(len(self), dtype=np.float32)

    def states(self, aspect: str) -> NDArray[np.float32]:
        """Return 1 for each statement that says an aspect, else 0."""
        return self._aspects.get(aspect, np.zeros(len(self), dtype=np.float32))

    @cached_property
    def _aspects(self) -> dict[str, NDArray[np.float32]]:
        return self._marked("aspects")

    def of_ingredients(self, ingredients: Iterable[str]) -> NDArray[np.bool_]:
        """Return which statements are of labels of products with one of some ingredients."""
        wanted = set(ingredients)
        mask = np.zeros(len(self), dtype=bool)
        for product, rows in self._products.items():
            if not wanted.isdisjoint(product):
                mask[rows] = True
        return mask

    def rows_of(self, ingredients: Iterable[str], groups: Sequence[str]) -> list[int]:
        """Return the rows in some section groups of the labels of some ingredients."""
        in_group = self._groups
        rows = np.flatnonzero(self.of_ingredients(ingredients)).tolist()
        return [row for row in rows if in_group[row] in groups]

    @cached_property
    def _groups(self) -> list[str | None]:
        return self.table.column("group").to_pylist()

    def next_to(self, statement: IndexedStatement) -> tuple[IndexedStatement | None, ...]:
        """Return the statements right before and after one in its block; None where none is."""
        row = self._rows.get(statement.id)
        if row is None:
            return (None, None)
        found: list[IndexedStatement | None] = []
        for other in (row - 1, row + 1):
            one = self.statements([other])[0] if 0 <= other < len(self) else None
            is_near = one is not None and (
                (one.document_id, one.section_ordinal, one.block)
                == (statement.document_id, statement.section_ordinal, statement.block)
            )
            found.append(one if is_near else None)
        return tuple(found)

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {one: row for row, one in enumerate(self.table.column("id").to_pylist())}

    def passages(self, base: KnowledgeBase) -> NDArray[np.int32]:
        """Return the row of the passage that holds each statement's own words."""
        if self._passages is None:
            quotes = self.table.column("quotes").to_pylist()
            rows = [base.row(of[0]["chunk_id"]) for of in quotes]
            self._passages = np.array(rows, dtype=np.int32)
        return self._passages

    @cached_property
    def _products(self) -> dict[tuple[str, ...], list[int]]:
        products: dict[tuple[str, ...], list[int]] = {}
        for row, names in enumerate(self.table.column("ingredients").to_pylist()):
            if names:
                products.setdefault(tuple(names), []).append(row)
        return products

    @cached_property
    def _marks(self) -> dict[str, NDArray[np.float32]]:
        return self._marked("unfit")

    def _marked(self, column: str) -> dict[str, NDArray[np.float32]]:
        """Return for each value of a column of lists 1 where a statement has it, else 0."""
        marks: dict[str, NDArray[np.float32]] = {}
        for row, values in enumerate(self.table.column(column).to_pylist()):
            for value in values or ():
                marks.setdefault(value, np.zeros(len(self), dtype=np.float32))[row] = 1.0
        return marks

    def _numbered(self, *columns: str) -> NDArray[np.int32]:
        values = zip(*(self.table.column(name).to_pylist() for name in columns), strict=True)
        numbers: dict[tuple[object, ...], int] = {}
        return np.array([numbers.setdefault(v, len(numbers)) for v in values], dtype=np.int32)


def _statement(values: dict[str, Any]) -> IndexedStatement:
    """Return the statement of a table row, which was validated when it was written."""
    values |= {name: tuple(values[name] or ()) for name in _LISTS}
    values["quotes"] = tuple(Quote.model_construct(**quote) for quote in values["quotes"])
    return IndexedStatement.model_construct(**values)


def statement_texts(table: pa.Table) -> list[tuple[str, str]]:
    """Return the title and text of each statement, as encoders and BM25 read them."""
    columns = ("embed_title", "run_in", "caption", "said")
    titles, run_ins, captions, said = (table.column(name).to_pylist() for name in columns)
    return [
        (title, "\n".join(p for p in (run_in, "" if cap in own else cap, own) if p))
        for title, run_in, cap, own in zip(titles, run_ins, captions, said, strict=True)
    ]
