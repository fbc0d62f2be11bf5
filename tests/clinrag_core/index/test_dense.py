from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clinrag_core.errors import IndexBuildError
from clinrag_core.index.dense import DenseIndex, check_vectors


def unit_vectors(count: int, seed: int = 0, dimension: int = 16) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(count, dimension)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@settings(max_examples=25, deadline=None)
@given(count=st.integers(1, 60), k=st.integers(0, 70), seed=st.integers(0, 5))
def test_search_is_the_exact_order_by_inner_product_then_id(count: int, k: int, seed: int):
    vectors = unit_vectors(count, seed)
    vectors[count // 2 :] = vectors[0]  # many ties
    ids = [f"c{i:02d}" for i in range(count)][::-1]
    query = unit_vectors(1, seed + 1)[0]
    hits = DenseIndex.build(vectors, ids).search(query, k)
    scores = {i: float(s) for i, s in zip(ids, vectors @ query, strict=True)}
    expected = sorted(ids, key=lambda i: (-round(scores[i], 6), i))[: min(k, count)]
    assert [i for i, _ in hits] == expected


def test_k_over_the_size_never_pads(tmp_path: Path):
    """FAISS pads with id -1, which as a position is the last passage: evidence from nowhere."""
    index = DenseIndex.build(unit_vectors(3), ["a", "b", "c"])
    assert len(index.search(unit_vectors(1)[0], 10)) == 3


def test_an_empty_index_finds_nothing():
    index = DenseIndex.build(np.zeros((0, 16), dtype=np.float32), [])
    assert index.search(unit_vectors(1)[0], 5) == []


def test_a_saved_index_gives_the_same_hits_and_the_same_bytes(tmp_path: Path):
    index = DenseIndex.build(unit_vectors(20), [str(i) for i in range(20)])
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    index.save(tmp_path / "a")
    index.save(tmp_path / "b")
    assert (tmp_path / "a" / DenseIndex.FILE).read_bytes() == (
        tmp_path / "b" / DenseIndex.FILE
    ).read_bytes()
    loaded = DenseIndex.load(tmp_path / "a", ids=index.ids)
    query = unit_vectors(1, 9)[0]
    assert loaded.search(query, 7) == index.search(query, 7)


def test_an_index_of_another_size_or_damaged_is_refused(tmp_path: Path):
    DenseIndex.build(unit_vectors(4), list("abcd")).save(tmp_path)
    with pytest.raises(IndexBuildError, match="4 vectors for 3"):
        DenseIndex.load(tmp_path, ids=list("abc"))
    (tmp_path / DenseIndex.FILE).write_bytes(b"broken")
    with pytest.raises(IndexBuildError, match="cannot be read"):
        DenseIndex.load(tmp_path, ids=list("abcd"))


@pytest.mark.parametrize(
    ("damage", "message"), [(np.nan, "NaN"), (2.0, "not normalised"), (np.inf, "NaN")]
)
def test_vectors_that_would_lose_passages_are_refused(damage: float, message: str):
    vectors = unit_vectors(4)
    vectors[1, 0] = damage
    with pytest.raises(IndexBuildError, match=message):
        check_vectors(vectors, 4, normalised=True)


def test_a_wrong_number_of_vectors_is_refused():
    with pytest.raises(IndexBuildError, match="for 5 passages"):
        check_vectors(unit_vectors(4), 5, normalised=True)
