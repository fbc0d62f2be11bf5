"""Which statements contain a word: an inverted index of stems, made from a column of a table.

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


class StemIndex:
    """The rows of a column of stems that contain each stem."""

    def __init__(self, column: pa.ChunkedArray) -> None:
        """Invert a column of lists of strings, each stem once in a list."""
        lists = column.combine_chunks()
        pc: Any = arrow_compute  # its functions are made when it is imported
        stems = pc.list_flatten(lists).dictionary_encode()
        codes = stems.indices.to_numpy()
        order = np.argsort(codes, kind="stable")
        self._rows: NDArray[np.int32] = (
            pc.list_parent_indices(lists).to_numpy()[order].astype(np.int32)
        )
        self._starts = np.searchsorted(codes[order], np.arange(len(stems.dictionary) + 1))
        self._codes = {stem: code for code, stem in enumerate(stems.dictionary.to_pylist())}
        self._count = len(column)
        self.sizes: NDArray[np.int32] = pc.list_value_length(lists).fill_null(0).to_numpy()
        """Stems of each row."""

    def __len__(self) -> int:
        return self._count

    def holding(self, stem: str) -> NDArray[np.bool_]:
        """Return which rows contain a stem."""
        mask = np.zeros(self._count, dtype=bool)
        code = self._codes.get(stem)
        if code is not None:
            mask[self._rows[self._starts[code] : self._starts[code + 1]]] = True
        return mask


class Coverage(NamedTuple):
    """How a question's stems and those of each row compare."""

    own: NDArray[np.float64]
    """Weighted share of the question's stems in the row, in [0, 1]; as `weighted_containment`."""
    with_titles: NDArray[np.float64]
    """The same for the row and its titles."""
    others: NDArray[np.int32]
    """Stems of the row that the question does not have."""


def coverage(
    weights: Mapping[str, float], own: StemIndex, titles: StemIndex, title_of: NDArray[np.int32]
) -> Coverage:
    """Compare a question's weighted stems with every row; `title_of` is its row of `titles`."""
    in_own, in_all = np.zeros(len(own)), np.zeros(len(own))
    others = own.sizes.copy()
    for stem, weight in weights.items():
        said = own.holding(stem)
        others -= said
        in_own += weight * said
        in_all += weight * (said | titles.holding(stem)[title_of])
    total = math.fsum(weights.values()) or 1.0
    return Coverage(in_own / total, in_all / total, others)
