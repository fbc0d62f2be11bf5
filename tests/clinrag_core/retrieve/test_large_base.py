"""A knowledge base beyond the size of exact search is searched through its graph."""

from __future__ import annotations

from pathlib import Path

import pytest

from clinrag_core.index import build
from clinrag_core.index.build import Recipe, build_knowledge_base
from clinrag_core.index.filters import MetadataFilter
from clinrag_core.index.knowledge_base import KnowledgeBase
from clinrag_core.settings import BM25Settings


@pytest.fixture
def large(base: KnowledgeBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> KnowledgeBase:
    monkeypatch.setattr(build, "EXACT_BELOW", 10)
    recipe = Recipe(
        kind="label",
        encoder_name="tiny",
        encoder=base.manifest.encoder,
        similarity="cosine",
        chunker="c",
        corpus_digest="d",
        bm25=BM25Settings(),
    )
    return KnowledgeBase(build_knowledge_base(recipe, base.table, base.dense.vectors(), tmp_path))


def test_the_graph_finds_what_exact_search_finds(base: KnowledgeBase, large: KnowledgeBase):
    assert base.store._graph is None
    assert large.store._graph is not None
    for vector in base.dense.vectors():
        found, exact = large.store.query(vector, 3)[0], base.store.query(vector, 3)[0]
        # The two sum in another order on some processors: 32 bits have seven digits.
        assert (found.id, found.score) == (exact.id, pytest.approx(exact.score, abs=1e-6))


def test_a_filter_is_searched_exactly(large: KnowledgeBase):
    wanted = MetadataFilter(groups=("dosage",))
    admitted = {r["id"] for r in large.table.to_pylist() if r["group"] == "dosage"}
    hits = large.store.query(large.dense.vectors()[0], 5, wanted)
    assert {hit.id for hit in hits} == admitted
