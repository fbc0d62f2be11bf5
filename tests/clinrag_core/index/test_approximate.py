"""HNSW: recall on clustered vectors, the same after saving, the same from the same input."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from clinrag_core.errors import IndexBuildError
from clinrag_core.index.approximate import ApproximateIndex
from clinrag_core.index.dense import DenseIndex


@pytest.fixture(scope="module")
def vectors() -> np.ndarray:
    rng = np.random.default_rng(5)
    centres = rng.standard_normal((20, 32))
    found = centres[rng.integers(20, size=3_000)] + 0.7 * rng.standard_normal((3_000, 32))
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


def test_recall_against_exact_search(vectors: np.ndarray):
    ids = [f"c{n:05d}" for n in range(len(vectors))]
    exact, graph = DenseIndex.build(vectors, ids), ApproximateIndex.build(vectors, ids)
    shares = [
        len({i for i, _ in graph.search(q, 10)} & {i for i, _ in exact.search(q, 10)}) / 10
        for q in vectors[:200]
    ]
    assert np.mean(shares) >= 0.98


def test_equal_input_gives_equal_bytes_and_a_saved_graph_the_same_hits(
    vectors: np.ndarray, tmp_path: Path
):
    ids = [f"c{n:05d}" for n in range(500)]
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        ApproximateIndex.build(vectors[:500], ids).save(tmp_path / name)
    assert (tmp_path / "one" / ApproximateIndex.FILE).read_bytes() == (
        tmp_path / "two" / ApproximateIndex.FILE
    ).read_bytes()
    built = ApproximateIndex.build(vectors[:500], ids)
    loaded = ApproximateIndex.load(tmp_path / "one", ids)
    assert loaded.search(vectors[7], 5) == built.search(vectors[7], 5)
    assert built.search(vectors[7], 5)[0][0] == ids[7]
    with pytest.raises(IndexBuildError):
        ApproximateIndex.load(tmp_path, ids)
