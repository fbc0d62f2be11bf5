"""Filters on the metadata of a passage; the same for every component and store."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field, model_validator

from clinrag_core.model.base import Record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_compute: Any = pc  # its functions are made at import, so type checkers do not see them


FILTERED = [
    "organisation",
    "year",
    "topics",
    "drug",
    "drug_names",
    "loinc",
    "group",
    "has_table",
    "document_id",
]
"""Fields of a passage that filters read: the payload of a vector store."""
_COLUMNS = {
    "sources": ["organisation"],
    "topics": ["topics"],
    "drugs": ["drug", "drug_names"],
    "loinc": ["loinc"],
    "groups": ["group"],
    "document_ids": ["document_id"],
}
"""Fields of a filter that hold values, and the columns that are compared with them."""
_EXACT = ("sources", "loinc", "groups", "document_ids")


class MetadataFilter(Record):
    """What is admitted; a field left empty admits everything. Fields are joined by 'and'."""

    sources: tuple[str, ...] = Field(
        default=(), description="publishers, e.g. 'WHO' or 'FDA'; exactly as recorded"
    )
    year_from: int | None = Field(default=None, ge=1900, le=2100)
    year_to: int | None = Field(default=None, ge=1900, le=2100)
    topics: tuple[str, ...] = Field(default=(), description="any of them")
    drugs: tuple[str, ...] = Field(default=(), description="partition key or any name of a drug")
    loinc: tuple[str, ...] = Field(default=(), description="effective section codes")
    groups: tuple[str, ...] = Field(default=(), description="section groups, e.g. 'dosage'")
    document_ids: tuple[str, ...] = ()
    tables_only: bool = False

    @model_validator(mode="after")
    def _years_in_order(self) -> MetadataFilter:
        if self.year_from and self.year_to and self.year_from > self.year_to:
            raise ValueError(f"year_from {self.year_from} is after year_to {self.year_to}")
        return self

    @property
    def is_empty(self) -> bool:
        """Whether everything is admitted."""
        return self == MetadataFilter()


class UnmatchedFilter(Record):
    """A value of a filter that no passage has, with the values nearest to it."""

    field: str
    value: str
    nearest: tuple[str, ...] = ()


def known_values(tables: Sequence[pa.Table], field: str) -> list[str]:
    """Return the values of a filter's field that passages have, sorted; of drugs their keys."""
    return sorted({v for table in tables for v in _values(table, _COLUMNS[field][0])})


def unmatched_filters(tables: Sequence[pa.Table], wanted: MetadataFilter) -> list[UnmatchedFilter]:
    """Return the values that admit no row of any chunk table, and for each up to three near it."""
    missing: list[UnmatchedFilter] = []
    for field, columns in _COLUMNS.items():
        values: tuple[str, ...] = getattr(wanted, field)
        if not values:
            continue
        known = {value for table in tables for name in columns for value in _values(table, name)}
        if field == "drugs":
            known = {value.casefold() for value in known}
        for value in values:
            wanted_value = value.casefold() if field == "drugs" else value
            if wanted_value not in known:
                nearest = tuple(difflib.get_close_matches(wanted_value, sorted(known), 3))
                missing.append(UnmatchedFilter(field=field, value=value, nearest=nearest))
    return missing


def filter_mask(table: pa.Table, wanted: MetadataFilter) -> NDArray[np.bool_] | None:
    """Return, by row of a chunk table, if a passage is admitted; None if all are."""
    if wanted.is_empty:
        return None
    mask = np.ones(table.num_rows, dtype=bool)
    if wanted.year_from is not None:
        mask &= _true(_compute.greater_equal(table.column("year"), wanted.year_from))
    if wanted.year_to is not None:
        mask &= _true(_compute.less_equal(table.column("year"), wanted.year_to))
    if wanted.tables_only:
        mask &= _true(table.column("has_table"))
    if wanted.drugs:
        names = [drug.casefold() for drug in wanted.drugs]
        mask &= _any_of(table.column("drug_names"), names) | _true(
            _compute.is_in(_compute.utf8_lower(table.column("drug")), pa.array(names))
        )
    if wanted.topics:
        mask &= _any_of(table.column("topics"), wanted.topics)
    for field in _EXACT:
        allowed: tuple[str, ...] = getattr(wanted, field)
        if allowed:
            (name,) = _COLUMNS[field]
            mask &= _true(_compute.is_in(table.column(name), pa.array(allowed, pa.string())))
    return mask


def _values(table: pa.Table, name: str) -> list[str]:
    """Return the distinct values of a column of strings, or of lists of strings."""
    column = table.column(name)
    if pa.types.is_list(column.type):
        column = _compute.list_flatten(column)
    return [value for value in _compute.unique(column).to_pylist() if value]


def _true(column: Any) -> NDArray[np.bool_]:
    return np.asarray(
        _compute.fill_null(column, fill_value=False).to_numpy(zero_copy_only=False), bool
    )


def _any_of(column: Any, allowed: Any) -> NDArray[np.bool_]:
    """Return the rows of a list column that contain one of some values."""
    lists = column.combine_chunks()
    parents = np.asarray(_compute.list_parent_indices(lists).to_numpy(zero_copy_only=False))
    hits = _true(_compute.is_in(_compute.list_flatten(lists), pa.array(allowed, pa.string())))
    mask = np.zeros(len(lists), dtype=bool)
    mask[parents[hits]] = True
    return mask
