"""The statements of a knowledge base: their table, their vectors and their BM25 index.

Scores are given for every statement, because selection combines several of them before any is cut
off. Vectors are stored in half precision.
"""

from __future__ import annotations

from collections import OrderedDict
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from clinrag_core.errors import IndexBuildError
from clinrag_core.index.bm25 import BM25Index
from clinrag_core.index.chunk_table import (
    STATEMENT_SCHEMA,
    concatenate,
    read_statement_table,
    write_table,
)
from clinrag_core.index.inverted import InvertedColumn, coverage
from clinrag_core.index.statement_columns import StatementColumns
from clinrag_core.model.statement import IndexedStatement
from clinrag_core.text.stems import key_stems

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from clinrag_core.encode.protocol import Vectors
    from clinrag_core.index.bm25_counts import TermCounts
    from clinrag_core.index.inverted import Coverage
    from clinrag_core.index.knowledge_base import KnowledgeBase
    from clinrag_core.settings import BM25Settings

TABLE = "statements.arrow"
VECTORS = "vectors.npy"
BM25 = "bm25"
_LISTS = ("headings", "unfit", "aspects", "ingredients", "routes")
_FIELDS = set(IndexedStatement.model_fields)
"""Shared by all statements: a set of its own took a third of the memory of each."""
_ALIKE = ("document_id", "document_title", "embed_title", "group", "loinc", *_LISTS)
"""What many statements have in common: kept once, it takes a third of the memory."""
KEPT = 24_576
"""Statements kept in memory after they were read: those that are read ahead, and others besides."""


class StatementParts(NamedTuple):
    """What the index of some statements is written from."""

    table: pa.Table
    vectors: Vectors
    """float32 of shape `(statements, dimension)`, in the table's order."""
    counts: TermCounts
    """Of `statement_texts(table)`."""


class StatementIndex(StatementColumns):
    """The statements of a knowledge base, by row."""

    def __init__(self, table: pa.Table, vectors: Vectors, bm25: BM25Index) -> None:
        if not table.num_rows == len(vectors) == len(bm25):
            raise IndexBuildError(
                f"{table.num_rows} statements with {len(vectors)} vectors and {len(bm25)} terms"
            )
        super().__init__(table)
        self.vectors = vectors
        self.bm25 = bm25
        self._passages: NDArray[np.int32] | None = None
        self._read: OrderedDict[int, IndexedStatement] = OrderedDict()
        self._alike: dict[Any, Any] = {}
        self._lock = Lock()

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
    def load(
        cls, *folders: Path, settings: BM25Settings | None = None, checked: bool = False
    ) -> StatementIndex:
        """Open written indexes as one; `settings` and `checked` as in `BM25Index.load`.

        Raises:
            IndexBuildError: a part is damaged, or the parts do not agree.
            WorkspaceError: the table is missing or of another version.
        """
        table = concatenate([read_statement_table(f / TABLE) for f in folders], STATEMENT_SCHEMA)
        vectors = np.concatenate([_vectors(folder / VECTORS) for folder in folders])
        postings = (folder / BM25 for folder in folders)
        return cls(table, vectors, BM25Index.load(*postings, settings=settings, checked=checked))

    @property
    def ids(self) -> Sequence[str]:
        """Id of each statement."""
        return self.bm25.chunk_ids

    def statements(self, rows: Sequence[int]) -> list[IndexedStatement]:
        """The statements of some rows, without stems, in their order; those read last are kept."""
        with self._lock:
            known = {row: one for row in rows if (one := self._read.get(row)) is not None}
            for row in known:
                self._read.move_to_end(row)
        missing = [row for row in rows if row not in known]
        if missing:
            values = self._quoted.take(missing).to_pylist()
            read = {
                row: _statement(one, self._alike) for row, one in zip(missing, values, strict=True)
            }
            known |= read
            with self._lock:
                self._read |= read
                for _ in range(len(self._read) - KEPT):
                    self._read.popitem(last=False)
        return [known[row] for row in rows]

    def around(self, statement_id: str, reach: int) -> tuple[list[IndexedStatement], int]:
        """Return a statement with those near it in its section, and its position among them.

        `reach` is how many at most on each side. Nothing and 0 if the index has no such statement.
        """
        row = self._row_of.get(statement_id)
        if row is None:
            return [], 0
        near = range(max(row - reach, 0), min(row + reach + 1, len(self)))
        rows = [other for other in near if self.sections[other] == self.sections[row]]
        return self.statements(rows), rows.index(row)

    @cached_property
    def _row_of(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.ids)}

    @cached_property
    def _quoted(self) -> pa.Table:
        """The table without what only ranking reads."""
        return self.table.drop_columns(["stems"])

    def titled(self, names: Iterable[str]) -> NDArray[np.bool_]:
        """Return which statements are in a section or document titled with one of some names."""
        titles = self._title_stems
        has_name = np.zeros(len(titles), dtype=bool)
        for stems in map(key_stems, names):
            if stems:
                has_name |= np.logical_and.reduce([titles.holding(stem) for stem in stems])
        return has_name[self.sections]

    def coverage(self, weights: Mapping[str, float]) -> Coverage:
        """Compare some weighted stems with those of each statement."""
        return coverage(weights, self._stems)

    @cached_property
    def _stems(self) -> InvertedColumn:
        return InvertedColumn(self.table.column("stems"))

    @cached_property
    def _title_stems(self) -> InvertedColumn:
        """Key stems of the document title and headings of each section."""
        _, first = np.unique(self.sections, return_index=True)
        rows = first.tolist()  # pyarrow loads numpy.ma for an array
        titles = self.table.select(["document_title", "headings"]).take(rows).to_pylist()
        named = [(one["document_title"], *(one["headings"] or ())) for one in titles]
        stems = {name: key_stems(name) for name in set().union(*named)}  # sections share most
        every = [sorted({stem for name in names for stem in stems[name]}) for names in named]
        return InvertedColumn(pa.chunked_array([every], pa.list_(pa.string())))

    def mean_of_blocks(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return for each statement the mean of a value over its block."""
        return _means(self.blocks, self._block_sizes, values)

    def mean_of_sections(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return for each statement the mean of a value over its section."""
        return _means(self.sections, np.bincount(self.sections), values)

    @cached_property
    def _block_sizes(self) -> NDArray[np.int64]:
        return np.bincount(self.blocks)

    @cached_property
    def narrative_density(self) -> NDArray[np.float32]:
        """Share of study narrative in the section of each statement."""
        return self.mean_of_sections(self.unfit_for("narrative"))

    def next_to(
        self, statement: IndexedStatement
    ) -> tuple[IndexedStatement | None, IndexedStatement | None]:
        """Return the statements right before and after one in its block; None where none is."""
        near, at = self.around(statement.id, 1)
        before = near[at - 1] if at else None
        after = near[at + 1] if at + 1 < len(near) else None
        return (
            before if before is not None and before.block == statement.block else None,
            after if after is not None and after.block == statement.block else None,
        )

    def passages(self, base: KnowledgeBase) -> NDArray[np.int32]:
        """Return the row of the passage that holds each statement's own words."""
        if self._passages is None:
            quotes = self.table.column("quotes").to_pylist()
            rows = [base.row(of[0]["chunk_id"]) for of in quotes]
            self._passages = np.array(rows, dtype=np.int32)
        return self._passages


def _vectors(path: Path) -> Vectors:
    try:
        return np.load(path, allow_pickle=False).astype(np.float32)
    except (OSError, ValueError) as error:
        raise IndexBuildError(f"{path.parent.name}/{VECTORS} cannot be read: {error}") from error


def _means(
    groups: NDArray[np.int32], sizes: NDArray[np.int64], values: NDArray[np.float32]
) -> NDArray[np.float32]:
    return (np.bincount(groups, values) / sizes).astype(np.float32)[groups]


def _statement(values: dict[str, Any], alike: dict[Any, Any]) -> IndexedStatement:
    """Return the statement of a table row; `alike` holds what others have in common with it."""
    values |= {name: values[name] or () for name in _LISTS}
    checked = IndexedStatement.model_validate(values)
    fields = vars(checked)
    for name in _ALIKE:
        fields[name] = alike.setdefault(fields[name], fields[name])
    if checked.text == checked.said:
        fields["text"] = checked.said
    object.__setattr__(checked, "__pydantic_fields_set__", _FIELDS)
    return checked


def statement_texts(table: pa.Table) -> list[tuple[str, str]]:
    """Return the title and text of each statement, as encoders and BM25 read them."""
    columns = ("embed_title", "run_in", "caption", "said")
    titles, run_ins, captions, said = (table.column(name).to_pylist() for name in columns)
    return [
        (title, "\n".join(p for p in (run_in, "" if cap in own else cap, own) if p))
        for title, run_in, cap, own in zip(titles, run_ins, captions, said, strict=True)
    ]
