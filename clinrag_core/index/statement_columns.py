"""What the columns of a table of statements say of all rows at once, as arrays.

Each column is read once; a ranking combines the arrays without reading any statement.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as arrow_compute

from clinrag_core.index.inverted import InvertedColumn

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from clinrag_core.model.statement import StatementKind, Unfit

pc: Any = arrow_compute  # its functions are made when it is imported


class StatementColumns:
    """The columns of a table of statements, by row."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def __len__(self) -> int:
        return self.table.num_rows

    @cached_property
    def blocks(self) -> NDArray[np.int32]:
        """Number of the block of each statement: equal for those of one paragraph or table."""
        return self._numbered("document_id", "section_ordinal", "block")

    @cached_property
    def sections(self) -> NDArray[np.int32]:
        """Number of the section of each statement."""
        return self._numbered("document_id", "section_ordinal")

    @cached_property
    def advises(self) -> NDArray[np.bool_]:
        """Which statements recommend or forbid something."""
        return self.table.column("advises").to_numpy()

    def of_documents(self, documents: Iterable[str]) -> NDArray[np.bool_]:
        """Return which statements are of some documents."""
        numbers = [
            self._document_numbers[one] for one in documents if one in self._document_numbers
        ]
        return np.isin(self._documents, numbers)

    @cached_property
    def _documents(self) -> NDArray[np.int32]:
        return self._coded("document_id").indices.to_numpy()

    @cached_property
    def _document_numbers(self) -> dict[str, int]:
        names = self._coded("document_id").dictionary.to_pylist()
        return {name: number for number, name in enumerate(names)}

    def of_kinds(self, *kinds: StatementKind) -> NDArray[np.bool_]:
        """Return which statements are of one of some kinds."""
        masks = [self._kinds[kind] for kind in kinds if kind in self._kinds]
        return np.logical_or.reduce(masks) if masks else np.zeros(len(self), dtype=bool)

    @cached_property
    def _kinds(self) -> dict[str, NDArray[np.bool_]]:
        kinds = self._coded("statement_kind")
        numbers = kinds.indices.to_numpy()
        return {kind: numbers == code for code, kind in enumerate(kinds.dictionary.to_pylist())}

    @cached_property
    def has_figure(self) -> NDArray[np.bool_]:
        """Which statements have a digit in their words, caption or run-in label."""
        columns = ("said", "caption", "run_in")
        found = [pc.match_substring_regex(self.table.column(name), "[0-9]") for name in columns]
        return np.logical_or.reduce([mask.to_numpy() for mask in found])

    def years_since(self, year: int) -> NDArray[np.float32]:
        """Return the years from one to that of each document, a label's effective date first; or 0.

        0 also where a document has no date.
        """
        return np.where(np.isnan(self._years), 0.0, self._years - year).astype(np.float32)

    @cached_property
    def _years(self) -> NDArray[np.float64]:
        effective = pc.cast(pc.year(self.table.column("effective")), "float64")
        printed = pc.cast(self.table.column("year"), "float64")
        return pc.coalesce(effective, printed, np.nan).to_numpy()

    def in_groups(self, groups: Collection[str | None]) -> NDArray[np.bool_]:
        """Return which statements are in one of some section groups of labels; None is no group."""
        mask = np.zeros(len(self), dtype=bool)
        for group in groups:
            mask[self._rows_of_groups.get(group, [])] = True
        return mask

    @cached_property
    def _rows_of_groups(self) -> dict[str | None, NDArray[np.int64]]:
        groups = self.table.column("group").to_pylist()
        names = np.array([group or "" for group in groups])
        return {group: np.flatnonzero(names == (group or "")) for group in set(groups)}

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
        masks = [self._products.holding(one) for one in set(ingredients)]
        return np.logical_or.reduce(masks) if masks else np.zeros(len(self), dtype=bool)

    def rows_of(self, ingredients: Iterable[str], groups: Sequence[str]) -> list[int]:
        """Return the rows in some section groups of the labels of some ingredients."""
        rows: list[int] = np.flatnonzero(
            self.of_ingredients(ingredients) & self.in_groups(groups)
        ).tolist()
        return rows

    @cached_property
    def _products(self) -> InvertedColumn:
        return InvertedColumn(self.table.column("ingredients"))

    @cached_property
    def _marks(self) -> dict[str, NDArray[np.float32]]:
        return self._marked("unfit")

    def _marked(self, column: str) -> dict[str, NDArray[np.float32]]:
        """Return for each value of a column of lists 1 where a statement has it, else 0."""
        rows = InvertedColumn(self.table.column(column))
        return {value: rows.holding(value).astype(np.float32) for value in rows.values}

    def _numbered(self, *columns: str) -> NDArray[np.int32]:
        """Return a number for each row, equal where some columns of whole numbers or names are."""
        numbers = np.zeros(len(self), dtype=np.int64)
        for name in columns:
            codes = self._coded(name).indices.to_numpy()
            _, numbers = np.unique(
                numbers * (codes.max(initial=0) + 1) + codes, return_inverse=True
            )
        return numbers.astype(np.int32)

    def _coded(self, column: str) -> pa.DictionaryArray:
        """Return a column without gaps as its distinct values and the number of each row's."""
        return self.table.column(column).combine_chunks().dictionary_encode()
