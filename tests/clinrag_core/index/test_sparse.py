"""The sparse index gives the scores of the matrix product, before and after it was saved."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinrag_core.encode.protocol import SparseVectors
from clinrag_core.encode.splade import rows_to_csr
from clinrag_core.errors import IndexBuildError
from clinrag_core.index.sparse import SparseIndex

VOCABULARY = 12
rows = st.dictionaries(st.integers(0, VOCABULARY - 1), st.integers(1, 5), max_size=6)


def csr(found: list[dict[int, int]]) -> SparseVectors:
    return rows_to_csr(
        [
            (np.array(sorted(r), np.int32), np.array([r[i] for i in sorted(r)], np.float32))
            for r in found
        ]
    )


def dense(found: list[dict[int, int]]) -> np.ndarray:
    out = np.zeros((len(found), VOCABULARY))
    for n, r in enumerate(found):
        for i, v in r.items():
            out[n, i] = v
    return out


@given(st.lists(rows, min_size=1, max_size=10), rows, st.integers(1, 12))
def test_search_is_the_matrix_product(found: list[dict[int, int]], query: dict[int, int], k: int):
    ids = [f"c{9 - n}" for n in range(len(found))]
    index = SparseIndex.build(csr(found), ids, VOCABULARY, "e")
    scores = dense(found) @ dense([query])[0]
    order = sorted(
        (n for n in range(len(ids)) if scores[n] > 0), key=lambda n: (-scores[n], ids[n])
    )
    assert index.search(csr([query]), k) == [(ids[n], pytest.approx(scores[n])) for n in order[:k]]


def test_a_saved_index_gives_the_same_hits_and_bytes(tmp_path: Path):
    found = [{0: 1, 3: 2}, {3: 5}, {}]
    index = SparseIndex.build(csr(found), ["a", "b", "c"], VOCABULARY, "e")
    for name in ("one", "two"):
        index.save(tmp_path / name)
    for file in (tmp_path / "one").iterdir():
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()
    loaded = SparseIndex.load(tmp_path / "one", ids=["a", "b", "c"])
    query = csr([{3: 1}])
    assert loaded.search(query, 5) == index.search(query, 5) == [("b", 5.0), ("a", 2.0)]
    assert loaded.search(query, 5, np.array([True, False, True])) == [("a", 2.0)]
    with pytest.raises(IndexBuildError):
        SparseIndex.load(tmp_path / "one", ids=["a"])


def test_weights_must_be_positive():
    with pytest.raises(IndexBuildError, match="above 0"):
        SparseIndex.build(csr([{1: -1}]), ["a"], VOCABULARY, "e")
