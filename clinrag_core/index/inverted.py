"""Which statements contain a stem or another value: an inverted index of a column of a table.

Coverage of a question is then computed for all statements at once, without reading any.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow.compute as arrow_compute

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa
    from numpy.typing import NDArray


class InvertedColumn:
    """The rows of a column of lists of strings that contain each value."""

    def __init__(self, column: pa.ChunkedArray) -> None:
        """Invert a column, in whose lists each value occurs once."""
        lists = column.combine_chunks()
        pc: Any = arrow_compute  # its functions are made when it is imported
        values = pc.list_flatten(lists).dictionary_encode()
        self.values: list[str] = values.dictionary.to_pylist()
        """Every value, in the order of its first row."""
        codes = values.indices.to_numpy().astype(np.min_scalar_type(len(self.values)))
        order = np.argsort(codes, kind="stable")  # 16 bits are sorted five times as fast as 32
        self._rows: NDArray[np.int32] = (
            pc.list_parent_indices(lists).to_numpy()[order].astype(np.int32)
        )
        self._starts = np.searchsorted(codes[order], np.arange(len(self.values) + 1))
        self._codes = {value: code for code, value in enumerate(self.values)}
        self._count = len(column)

    def __len__(self) -> int:
        return self._count

    def holding(self, value: str) -> NDArray[np.bool_]:
        """Return which rows contain a value."""
        mask = np.zeros(self._count, dtype=bool)
        code = self._codes.get(value)
        if code is not None:
            mask[self._rows[self._starts[code] : self._starts[code + 1]]] = True
        return mask


class Coverage(NamedTuple):
    """How a question's stems compare with those of each row."""

    own: NDArray[np.float64]
    """Weighted share of the question's stems in the row, in [0, 1]; as `weighted_containment`."""


def coverage(weights: Mapping[str, float], stems: InvertedColumn) -> Coverage:
    """Compare a question's weighted stems with every row."""
    covered = np.zeros(len(stems))
    for stem, weight in weights.items():
        covered += weight * stems.holding(stem)
    return Coverage(covered / (math.fsum(weights.values()) or 1.0))
