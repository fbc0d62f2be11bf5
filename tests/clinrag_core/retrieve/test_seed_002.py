"""The scenarios of the hybrid retrieval specification (seed 002), by their names."""

from __future__ import annotations

import asyncio
import logging
import threading
import time

import numpy as np
import pytest
from fakes.searches import search
from pydantic import ValidationError

from clinrag_core.errors import GpuNotAvailableError, QueryError, VectorStoreUnavailableError
from clinrag_core.index.stores.qdrant_store import QdrantDatabase, connect
from clinrag_core.retrieve.components import RankedList
from clinrag_core.retrieve.diversify import maximal_marginal_relevance
from clinrag_core.retrieve.fuse import weighted_fusion
from clinrag_core.retrieve.merge import Fusion, merge
from clinrag_core.retrieve.request import SearchRequest
from clinrag_core.retrieve.rerank import LazyReranker
from clinrag_core.settings import VectorStoreSettings


def test_hybrid_retrieval_executes_all_components_in_parallel(
    engine_with, slow_retriever, monkeypatch: pytest.MonkeyPatch
):
    """Each waits until the other has begun: one after the other, the barrier would break."""
    both = threading.Barrier(2, timeout=10)
    one, two = slow_retriever(0), slow_retriever(0)
    two.name = "dense"
    for retriever in (one, two):
        answer = retriever.search
        waiting = {}

        def search_when_both_have_begun(base, *rest, answer=answer, begun=waiting):
            if not begun:
                begun[base.name] = both.wait()
            return answer(base, *rest)

        monkeypatch.setattr(retriever, "search", search_when_both_have_begun)
    limits = {"bm25": 20_000, "splade": 20_000, "dense": 20_000, "reranker": 200}
    engine = engine_with(retrievers={"bm25": one, "dense": two}, timeouts_ms=limits)
    response = search(engine, query="isoniazid dose")
    assert response.component_errors == ()
    assert not both.broken


def test_graceful_degradation_when_component_fails(engine_with, slow_retriever, caplog):
    caplog.set_level(logging.WARNING)
    late = slow_retriever(0.5)
    late.name = "splade"
    engine = engine_with(
        retrievers={"splade": late},
        timeouts_ms={"bm25": 5_000, "splade": 50, "dense": 5_000, "reranker": 200},
    )
    response = search(engine, query="isoniazid dose", components=("bm25", "splade", "dense"))
    assert response.component_errors == ("splade_timeout",)
    assert response.components_used == ("bm25", "dense")
    assert response.results
    assert "splade is late" in caplog.text


def test_a_failing_component_is_named_and_the_question_is_not_logged(
    engine_with, broken_retriever, caplog
):
    caplog.set_level(logging.DEBUG)
    response = search(engine_with(retrievers={"bm25": broken_retriever()}), query="secret words")
    assert response.component_errors == ("bm25_error: RuntimeError",)
    assert "secret" not in caplog.text


def test_per_component_score_tracking(engine_with):
    engine = engine_with()
    alone = search(engine, query="isoniazid dose", components=("bm25",))
    fused = search(engine, query="isoniazid dose")
    scores = {h.chunk.id: h.component_scores["bm25"] for h in alone.results}
    for hit in fused.results:
        if "bm25" in hit.component_scores:
            assert hit.component_scores["bm25"] == scores.get(
                hit.chunk.id, hit.component_scores["bm25"]
            )
    assert alone.score_kind == "bm25"
    assert fused.score_kind == "rrf"


def test_weighted_fusion_with_custom_weights():
    runs = {
        "bm25": [("a", 10.0), ("b", 5.0), ("c", 0.0)],
        "splade": [("b", 4.0), ("a", 2.0)],
        "dense": [("c", 0.9)],
    }
    fused = {
        f.id: f.score for f in weighted_fusion(runs, {"bm25": 0.3, "splade": 0.4, "dense": 0.3})
    }
    assert fused == pytest.approx({"a": 0.3, "b": 0.3 * 0.5 + 0.4, "c": 0.3})


def test_per_query_type_weights_favour_dense_for_paraphrases(engine_with):
    engine = engine_with()
    query = "how long must somebody who lives with a sick relative keep taking the medicine"
    response = search(engine, query=query, fusion_method="weighted")
    assert response.analysis.query_type == "paraphrase"
    assert response.fusion_metadata.weights == {"bm25": 0.2, "splade": 0.3, "dense": 0.5}


class _Backwards:
    name = "backwards"

    def score(self, query, passages, *, should_stop):
        return np.arange(len(passages), dtype=np.float32)


def test_reranking_top_100_results_with_cross_encoder(engine_with):
    engine = engine_with(reranker=LazyReranker("bge-reranker-base", _Backwards))
    plain = search(engine, query="isoniazid", rerank=False, top_k=100)
    response = search(engine, query="isoniazid", top_k=100)  # the profile's choice
    assert response.reranked
    assert response.fusion_metadata.reranker_model == "bge-reranker-base"
    assert [h.chunk.id for h in response.results] == [h.chunk.id for h in plain.results][::-1]
    assert response.score_kind == "reranker"


def test_reranking_fails_fast_if_gpu_unavailable(engine_with):
    def no_gpu():
        raise GpuNotAvailableError("Reranker requires GPU")

    engine = engine_with(reranker=LazyReranker("bge-reranker-base", no_gpu))
    plain = search(engine, query="isoniazid")
    for _ in range(2):
        response = search(engine, query="isoniazid", rerank=True)
        assert (response.reranked, response.reranker_error) == (False, "gpu_unavailable")
        assert [h.chunk.id for h in response.results] == [h.chunk.id for h in plain.results]


def test_reranking_timeout_fallback(engine_with):
    waited = []

    class Slow(_Backwards):
        def score(self, query, passages, *, should_stop):
            for _ in range(1000):
                time.sleep(0.01)
                waited.append(1)
                if should_stop():
                    raise ValueError("stopped")
            return super().score(query, passages, should_stop=should_stop)

    engine = engine_with(reranker=LazyReranker("slow", Slow))
    response = search(engine, query="isoniazid", rerank=True)
    assert (response.reranked, response.reranker_error) == (False, "timeout")
    assert len(waited) < 1000  # the reranker was asked to stop
    assert response.results


def test_a_filter_admits_only_what_fits(engine_with):
    response = search(engine_with(), query="isoniazid", filter={"groups": ["dosage"]})
    assert {hit.chunk.group for hit in response.results} == {"dosage"}
    nothing = search(engine_with(), query="isoniazid", filter={"sources": ["NICE"]})
    assert nothing.results == ()


def test_diversity_prefers_what_was_not_said_yet():
    vectors = np.array([[1, 0], [1, 0], [0, 1]], dtype=np.float32)
    scores = [1.0, 0.9, 0.5]
    assert maximal_marginal_relevance(scores, vectors, 3, 1.0) == [0, 1, 2]
    assert maximal_marginal_relevance(scores, vectors, 3, 0.5) == [0, 2, 1]
    assert maximal_marginal_relevance([], vectors[:0], 3, 0.5) == []


def test_diverse_hits_never_repeat(engine_with):
    varied = search(engine_with(), query="tuberculosis care visits", top_k=8, diversity=0.8)
    assert len({h.chunk.id for h in varied.results}) == 8


def test_expansion_gives_the_whole_section(engine_with):
    response = search(engine_with(), query="isoniazid dose", expand=True, top_k=1)
    assert response.results[0].section_text == response.results[0].chunk.text


def test_another_tenant_and_another_request_miss_the_cache(engine_with):
    engine = engine_with()

    async def ask(query: str, tenant: str) -> bool:
        return (await engine.search_async(SearchRequest(query=query), tenant)).cached

    async def run() -> list[bool]:
        return [
            await ask("isoniazid", "a"),
            await ask("isoniazid", "b"),
            await ask("isoniazid", "a"),
        ]

    assert asyncio.run(run()) == [False, False, True]


def test_degraded_answers_are_not_cached(engine_with, broken_retriever):
    engine = engine_with(retrievers={"bm25": broken_retriever()})
    assert [search(engine, query="isoniazid").cached for _ in range(2)] == [False, False]


def test_ties_of_a_single_list_keep_its_order():
    lists = [RankedList("bm25", "kb", [("a", 1.0), ("b", 1.0)])]
    assert [hit.id for hit in merge(lists, Fusion("rrf", 60, {}))] == ["a", "b"]


def test_weights_of_nothing_that_runs_are_refused(engine_with):
    request = SearchRequest(query="x", weights={"splade": 1.0}, fusion_method="weighted")
    with pytest.raises(QueryError, match="splade"):
        engine_with().search(request)


def test_a_retriever_of_the_profile_runs_by_default(engine_with, slow_retriever):
    """SPLADE was built, named by the profile, and never asked."""
    splade = slow_retriever(0)
    splade.name = "splade"
    engine = engine_with(retrievers={"splade": splade})
    response = engine.search(SearchRequest(query="isoniazid"))
    assert response.components_used == ("bm25", "splade", "dense")
    assert engine_with().search(SearchRequest(query="x")).components_used == ("bm25", "dense")


@pytest.mark.parametrize(
    "wrong",
    [
        {"query": " "},
        {"query": "x", "components": ()},
        {"query": "x", "weights": {"bm25": -1.0, "dense": 2.0}},
        {"query": "x", "components": ("bm25",), "weights": {"splade": 1.0}},
        {"query": "x", "query_intent": "poetry"},
        {"query": "x", "top_k": 101},
        {"query": "x", "colour": "red"},
    ],
)
def test_requests_that_cannot_be_used(wrong):
    with pytest.raises(ValidationError):
        SearchRequest.model_validate(wrong)


def test_vectors_in_a_store_give_the_hits_of_the_release(engine_with, base):
    pytest.importorskip("qdrant_client")
    settings = VectorStoreSettings(kind="qdrant")
    client = connect(settings)
    database = QdrantDatabase(client, settings)

    def store_for(opened):
        return database.store(opened.name, opened.manifest.dimension)

    request = {"query": "isoniazid dose", "components": ("dense",), "top_k": 12}
    request |= {"filter": {"drugs": ["INH"], "year_from": 2001}}
    plain = search(engine_with(), **request)
    stored = search(engine_with(store_for=store_for), **request)
    client.close()
    assert [h.chunk.id for h in stored.results] == [h.chunk.id for h in plain.results]
    assert stored.component_errors == ()


def test_a_store_that_does_not_answer_costs_its_component_only(engine_with):
    def nowhere(_):
        raise VectorStoreUnavailableError("Qdrant does not answer")

    response = search(engine_with(store_for=nowhere), query="isoniazid dose")
    assert response.component_errors == ("dense_error: VectorStoreUnavailableError",)
    assert response.results
