"""The statements of a knowledge base: their table, their vectors and their BM25 index.

Scores are given for every statement, because selection combines several of them before any is cut
off. Vectors are stored in half precision.
"""

from __future__ import annotations

from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
from cachetools import LRUCache

from clinrag_core.errors import IndexBuildError
from clinrag_core.index.bm25 import BM25Index
from clinrag_core.index.chunk_table import read_statement_table, write_table
from clinrag_core.index.stems import StemIndex, coverage
from clinrag_core.model.statement import IndexedStatement, Quote, Unfit
from clinrag_core.text.stems import key_stems

if TYPE_CHECKING:
    import re
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from clinrag_core.encode.protocol import Vectors
    from clinrag_core.index.bm25_counts import TermCounts
    from clinrag_core.index.knowledge_base import KnowledgeBase
    from clinrag_core.settings import BM25Settings

TABLE = "statements.arrow"
VECTORS = "vectors.npy"
BM25 = "bm25"
_LISTS = ("headings", "unfit", "aspects", "ingredients")
KEPT = 4_096
"""Statements kept in memory after they were read: those judged for about thirty questions."""


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
        self._read: LRUCache[int, IndexedStatement] = LRUCache(KEPT)
        self._lock = Lock()

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

    @property
    def ids(self) -> Sequence[str]:
        """Id of each statement."""
        return self.bm25.chunk_ids

    def statements(self, rows: Sequence[int]) -> list[IndexedStatement]:
        """The statements of some rows, without stems, in their order; those read last are kept."""
        with self._lock:
            known = {row: one for row in rows if (one := self._read.get(row)) is not None}
        missing = [row for row in rows if row not in known]
        if missing:
            values = self._quoted.take(missing).to_pylist()
            read = dict(zip(missing, map(_statement, values), strict=True))
            known |= read
            with self._lock:
                self._read.update(read)
        return [known[row] for row in rows]

    @cached_property
    def _quoted(self) -> pa.Table:
        """The table without what only ranking reads."""
        return self.table.drop_columns(["stems"])

    @cached_property
    def blocks(self) -> NDArray[np.int32]:
        """Number of the block of each statement: equal for those of one paragraph or table."""
        return self._numbered("document_id", "section_ordinal", "block")

    @cached_property
    def sections(self) -> NDArray[np.int32]:
        """Number of the section of each statement."""
        return self._numbered("document_id", "section_ordinal")

    def coverage(
        self, weights: Mapping[str, float]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the weighted share of some stems in each statement, and in it or its titles."""
        return coverage(weights, self._stems, self._title_stems, self.sections)

    @cached_property
    def _stems(self) -> StemIndex:
        return StemIndex(self.table.column("stems"))

    @cached_property
    def _title_stems(self) -> StemIndex:
        """Key stems of the document title and headings of each section."""
        _, first = np.unique(self.sections, return_index=True)
        titles = self.table.select(["document_title", "headings"]).take(first).to_pylist()
        texts = (" ".join((one["document_title"], *(one["headings"] or ()))) for one in titles)
        stems = [sorted(set(key_stems(text))) for text in texts]
        return StemIndex(pa.chunked_array([stems], pa.list_(pa.string())))

    def mean_of_blocks(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return for each statement the mean of a value over its block."""
        return _means(self.blocks, values)

    def mean_of_sections(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return for each statement the mean of a value over its section."""
        return _means(self.sections, values)

    @cached_property
    def narrative_density(self) -> NDArray[np.float32]:
        """Share of study narrative in the section of each statement."""
        return self.mean_of_sections(self.unfit_for("narrative"))

    @cached_property
    def advises(self) -> NDArray[np.bool_]:
        """Which statements recommend or forbid something."""
        return self.table.column("advises").to_numpy()

    @cached_property
    def is_note(self) -> NDArray[np.bool_]:
        """Which statements are notes or lead-ins."""
        kinds = self.table.column("statement_kind").to_pylist()
        return np.array([kind in ("note", "lead_in") for kind in kinds], dtype=bool)

    def in_groups(self, groups: Collection[str]) -> NDArray[np.bool_]:
        """Return which statements are in one of some section groups of labels."""
        mask = np.zeros(len(self), dtype=bool)
        for group in groups:
            mask[self._rows_of_groups.get(group, [])] = True
        return mask

    @cached_property
    def _rows_of_groups(self) -> dict[str | None, NDArray[np.int64]]:
        groups = self.table.column("group").to_pylist()
        names = np.array([group or "" for group in groups])
        return {group: np.flatnonzero(names == group) for group in set(groups) - {None}}

    def headed(self, expression: re.Pattern[str]) -> NDArray[np.bool_]:
        """Return which statements have an innermost heading, in lower case, that matches."""
        known = self._headed.get(expression)
        if known is None:
            matches = {one: bool(expression.search(one)) for one in set(self._headings)}
            known = np.array([matches[one] for one in self._headings], dtype=bool)
            self._headed[expression] = known
        return known

    @cached_property
    def _headings(self) -> list[str]:
        paths = self.table.column("headings").to_pylist()
        return [path[-1].casefold() if path else "" for path in paths]

    @cached_property
    def _headed(self) -> dict[re.Pattern[str], NDArray[np.bool_]]:
        return {}

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
        rows: list[int] = np.flatnonzero(
            self.of_ingredients(ingredients) & self.in_groups(groups)
        ).tolist()
        return rows

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


def _means(groups: NDArray[np.int32], values: NDArray[np.float32]) -> NDArray[np.float32]:
    sums = np.bincount(groups, values)
    return (sums / np.bincount(groups))[groups].astype(np.float32)


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
