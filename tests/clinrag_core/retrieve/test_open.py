"""A release with its optional parts: sparse index and reranker, from a profile's settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from clinrag_core.retrieve.open import open_engine
from clinrag_core.retrieve.request import SearchRequest
from clinrag_core.settings import Settings

REQUEST = SearchRequest(query="isoniazid dose", components=("bm25", "splade", "dense"), top_k=5)


@pytest.fixture
def settings(
    tiny_settings: Settings, tiny_splade: Path, tiny_reranker: Path, build_release
) -> Settings:
    sparse = tiny_settings.sparse.model_copy(update={"name": "splade", "model": str(tiny_splade)})
    retrieval = tiny_settings.retrieval.model_copy(update={"reranker": str(tiny_reranker)})
    chosen = tiny_settings.model_copy(update={"sparse": sparse, "retrieval": retrieval})
    build_release(chosen)
    return chosen


def test_three_components_and_a_reranker_answer_together(settings: Settings):
    engine = open_engine(settings)
    response = engine.search(REQUEST.model_copy(update={"rerank": True}))
    assert response.component_errors == ()
    assert response.components_used == ("bm25", "splade", "dense")
    assert response.reranked
    found = {name for hit in response.results for name in hit.component_scores}
    assert found == {"bm25", "splade", "dense", "reranker"}


def test_an_encoder_that_loads_during_the_command_gives_the_same(settings: Settings):
    waited, during = open_engine(settings).encoder, open_engine(settings, once=True).encoder
    assert (during.fingerprint, during.dimension, during.precision) == (
        waited.fingerprint,
        waited.dimension,
        waited.precision,
    )
    long = "isoniazid " * 600
    assert (during.encode_query(long) == waited.encode_query(long)).all()
    assert during.queries_truncated == waited.queries_truncated == 1


def test_another_sparse_encoder_than_the_index_has_is_unavailable(settings: Settings):
    other = settings.sparse.model_copy(update={"top_terms": 7})
    response = open_engine(settings.model_copy(update={"sparse": other})).search(REQUEST)
    assert response.component_errors == ("splade_unavailable",)
    assert response.results


def test_missing_weights_cost_their_component_only(settings: Settings, tmp_path: Path):
    gone = settings.sparse.model_copy(update={"model": str(tmp_path)})
    lost = settings.retrieval.model_copy(update={"reranker": str(tmp_path)})
    engine = open_engine(settings.model_copy(update={"sparse": gone, "retrieval": lost}))
    response = engine.search(REQUEST.model_copy(update={"rerank": True}))
    assert response.component_errors == ("splade_unavailable",)
    assert (response.reranked, response.reranker_error) == (False, "unavailable")
    assert response.results
