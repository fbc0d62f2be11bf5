"""The ten correctness properties of semantic search, numbered as in seed 001."""

from __future__ import annotations

import asyncio

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clinrag_core.encode.protocol import Passage
from clinrag_core.retrieve.components import RankedList
from clinrag_core.retrieve.fuse import reciprocal_rank_fusion
from clinrag_core.retrieve.merge import Fusion, merge
from clinrag_core.retrieve.request import SearchRequest
from clinrag_core.retrieve.rerank import LazyReranker

WORDS = ["isoniazid", "dose", "tuberculosis", "adults", "hepatitis", "trial", "visits", "liver"]
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
rankings = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8)
quick = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@quick
@given(texts, texts)
def test_property_1_similarity_is_symmetric(encoder, a: str, b: str):
    one, two = encoder.encode_passages([Passage("", a), Passage("", b)])
    assert np.isclose(one @ two, two @ one)
    assert -1.001 <= one @ two <= 1.001


@quick
@given(st.text(max_size=60))
def test_property_2_embeddings_have_one_dimension(encoder, text: str):
    assert encoder.encode_query(text).shape == (encoder.dimension,)


@quick
@given(texts)
def test_property_3_hybrid_results_contain_the_union_before_truncation(engine_with, query: str):
    engine = engine_with()
    both = {hit.id for hit in engine.rank(SearchRequest(query=query))}
    for component in ("bm25", "dense"):
        alone = {h.id for h in engine.rank(SearchRequest(query=query, components=(component,)))}
        assert alone <= both


@given(rankings, rankings)
def test_property_4_what_leads_in_every_list_leads_in_the_fusion(one: list[str], two: list[str]):
    order = [hit.id for hit in reciprocal_rank_fusion({"bm25": one, "dense": two})]
    both = [i for i in one if i in two]
    for a in both:
        for b in both:
            if one.index(a) < one.index(b) and two.index(a) < two.index(b):
                assert order.index(a) < order.index(b)


scored = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(1, 9), max_size=8)


@given(scored, scored, st.sets(st.sampled_from("abcdefgh")))
def test_property_4_holds_over_two_knowledge_bases(one, two, guidelines: set[str]):
    """What scores more in every component leads in the search, whatever base it is in."""
    lists = [
        RankedList(component, base, [(i, s) for i, s in scores.items() if (i in guidelines) is own])
        for component, scores in (("bm25", one), ("dense", two))
        for base, own in (("kb_guidelines", True), ("kb_druglabels", False))
    ]
    for method in ("rrf", "weighted"):
        order = [hit.id for hit in merge(lists, Fusion(method, 60, {"bm25": 0.5, "dense": 0.5}))]
        for a in one.keys() & two.keys():
            for b in one.keys() & two.keys():
                if one[a] > one[b] and two[a] > two[b]:
                    assert order.index(a) < order.index(b)


@quick
@given(texts)
def test_property_5_without_semantic_search_keyword_results_come(
    engine_with, broken_retriever, query: str
):
    broken = broken_retriever()
    broken.name = "dense"
    response = engine_with(retrievers={"dense": broken}).search(SearchRequest(query=query))
    keyword = engine_with().search(SearchRequest(query=query, components=("bm25",)))
    assert [h.chunk.id for h in response.results] == [h.chunk.id for h in keyword.results]
    assert response.component_errors == ("dense_error: RuntimeError",)


@quick
@given(texts, st.integers(1, 20))
def test_property_6_cached_results_are_identical(engine_with, query: str, top_k: int):
    engine = engine_with()
    request = SearchRequest(query=query, top_k=top_k)

    async def twice():
        return await engine.search_async(request), await engine.search_async(request)

    first, second = asyncio.run(twice())
    assert second.cached
    assert first.results == second.results
    assert engine.search(request).results == first.results


@quick
@given(st.integers(0, 25))
def test_property_7_every_metadata_field_comes_back(base, number: int):
    stored = base.table.slice(number, 1).to_pylist()[0]
    found = base.chunk(base.ids[number]).model_dump()
    for name, value in stored.items():
        expected = tuple(value) if isinstance(value, list) else value
        assert (found[name] or None) == (expected or None), name


@quick
@given(texts, st.floats(-1, 1))
def test_property_8_results_are_at_least_as_similar_as_asked(
    engine_with, query: str, threshold: float
):
    response = engine_with().search(SearchRequest(query=query, min_similarity=threshold, top_k=100))
    assert all(hit.similarity >= threshold for hit in response.results)
    everything = engine_with().search(SearchRequest(query=query, top_k=100)).results
    assert {h.doc_id for h in response.results} == {
        h.doc_id for h in everything if h.similarity >= threshold
    }


@quick
@given(texts)
def test_property_8_holds_where_no_vector_can_be_compared(
    engine_with, broken_retriever, query: str
):
    broken = broken_retriever()
    broken.name = "dense"
    request = SearchRequest(query=query, min_similarity=-1.0)
    response = engine_with(retrievers={"dense": broken}).search(request)
    assert response.results == ()
    assert response.component_errors == ("dense_error: RuntimeError",)


@quick
@given(texts, st.integers(1, 100))
def test_property_9_at_most_k_results(engine_with, query: str, top_k: int):
    assert len(engine_with().search(SearchRequest(query=query, top_k=top_k)).results) <= top_k


class _LengthReranker:
    name = "by-length"

    def score(self, query, passages, *, should_stop):
        return np.array([len(p.text) % 17 for p in passages], dtype=np.float32)


@quick
@given(texts)
def test_property_10_reranked_results_descend(engine_with, query: str):
    engine = engine_with(reranker=LazyReranker("by-length", _LengthReranker))
    response = engine.search(SearchRequest(query=query, rerank=True, top_k=50))
    scores = [hit.score for hit in response.results]
    assert response.reranked
    assert scores == sorted(scores, reverse=True)
    assert scores == [hit.component_scores["reranker"] for hit in response.results]


@given(rankings, rankings, st.sampled_from(["rrf", "weighted"]))
def test_the_merged_order_is_total_and_deterministic(one, two, method):
    lists = [
        RankedList("bm25", "kb", [(i, 9.0 - n // 2) for n, i in enumerate(one)]),
        RankedList("dense", "kb", [(i, 0.9 - n // 3 / 10) for n, i in enumerate(two)]),
    ]
    fusion = Fusion(method, 60, {"bm25": 0.5, "dense": 0.5})
    assert merge(lists, fusion) == merge(lists, fusion)
    assert {hit.id for hit in merge(lists, fusion)} == {*one, *two}
