"""Concepts in search: each use of the expansion, its reports, and what is missing."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from clinrag_core.index.build import Recipe, build_knowledge_base
from clinrag_core.index.chunk_table import to_table
from clinrag_core.index.concepts import ConceptIndex
from clinrag_core.index.knowledge_base import KnowledgeBase
from clinrag_core.index.ranking import best_rows
from clinrag_core.index.shard_files import search_texts
from clinrag_core.lexicon.concepts.open import open_recogniser
from clinrag_core.retrieve.concept_first import (
    ConceptBM25Retriever,
    ConceptExpander,
    ConceptRetriever,
)
from clinrag_core.retrieve.request import SearchRequest
from clinrag_core.settings import BM25Settings, ConceptSettings

HEPATITIS = "chunk-0000000001"


@pytest.fixture(scope="module")
def recogniser(tmp_path_factory: pytest.TempPathFactory):
    return open_recogniser((), tmp_path_factory.mktemp("thesauri"))


@pytest.fixture
def annotated(base: KnowledgeBase, recogniser, monkeypatch: pytest.MonkeyPatch) -> KnowledgeBase:
    texts = search_texts(base.table)
    index = ConceptIndex.build(base.ids, texts, recogniser, BM25Settings())
    monkeypatch.setattr(base, "concepts", index)
    return base


def expander_of(recogniser, **choices: object) -> ConceptExpander:
    settings = ConceptSettings.model_validate({"enabled": True, "common_from": 1.0, **choices})
    return ConceptExpander(recogniser, settings)


def retrievers(recogniser, **choices: object):
    expander = expander_of(recogniser, **choices)
    return {
        "bm25": ConceptBM25Retriever(lambda: expander),
        "concepts": ConceptRetriever(lambda: expander),
    }


def test_a_synonym_of_the_question_finds_the_passage(annotated, recogniser, engine_with):
    engine = engine_with(retrievers=retrievers(recogniser))
    request = SearchRequest(query="INH", components=("concepts",), subject_first=False)
    found = engine.search(request)
    assert found.components_used == ("concepts",)
    assert found.score_kind == "concepts"
    assert "isoniazid" in found.results[0].chunk.text.lower()


def test_every_added_concept_says_what_brought_it(recogniser):
    expander = expander_of(
        recogniser, is_a={"weight": 0.5, "levels": 2}, narrower={"weight": 0.0},
        related={"weight": 0.25},
    )  # fmt: skip
    added = {a.name: a for a in expander.expand("RIF in TB meningitis").concepts}
    assert added["rifampicin"].relation == "named"
    assert added["rifampicin"].source == "RIF"
    assert (added["rifamycin"].relation, added["rifamycin"].weight) == ("is_a", 0.5)
    assert added["antituberculosis drug"].weight == 0.25  # two levels up, or related: the same
    assert (added["corticosteroid"].relation, added["corticosteroid"].weight) == ("related", 0.25)
    assert added["corticosteroid"].source == "tuberculous meningitis"


def test_limits_weights_and_the_collection_bound_what_is_added(recogniser):
    wide = expander_of(recogniser, narrower={"weight": 0.5, "limit": 3})
    narrow = wide.expand("pneumonia")
    assert [a.relation for a in narrow.concepts] == ["named"] + ["narrower"] * 3
    assert wide.expand("pneumonia", lambda _: False).concepts == ()
    off = expander_of(recogniser, narrower={"weight": 0.0}).expand("pneumonia")
    assert [a.relation for a in off.concepts] == ["named"]


def test_concepts_in_most_passages_are_not_searched_by(annotated, recogniser, engine_with):
    engine = engine_with(retrievers=retrievers(recogniser, common_from=0.1))
    common = SearchRequest(query="tuberculosis", components=("concepts",))
    assert engine.search(common).results == ()
    rare = SearchRequest(query="hepatic impairment", components=("concepts",))
    assert [hit.chunk.group for hit in engine.search(rare).results] == ["contraindications"]


def test_inside_bm25_concepts_add_to_the_words(annotated, recogniser, engine_with):
    request = SearchRequest(query="liver problems of INH", components=("bm25",), boost=False)
    plain = {h.chunk.id: h.score for h in engine_with().search(request).results}
    inside = engine_with(retrievers=retrievers(recogniser, lexical_weight=0.25)).search(request)
    scores = {h.chunk.id: h.score for h in inside.results}
    assert scores["chunk-0000000002"] > plain["chunk-0000000002"]
    assert set(plain) <= set(scores)


def test_the_control_weighs_recognised_words_alone(annotated, recogniser, engine_with):
    request = SearchRequest(query="isoniazid trials", components=("bm25",), boost=False, top_k=100)
    plain = {h.chunk.id: h.score for h in engine_with().search(request).results}
    control = engine_with(retrievers=retrievers(recogniser, word_factor=1.5)).search(request)
    raised = {h.chunk.id: h.score for h in control.results}
    assert plain.keys() == raised.keys()
    assert raised["chunk-0000000005"] > plain["chunk-0000000005"]  # by its title "Isoniazid"
    bm25 = annotated.bm25
    words = bm25.scores(["isoniazid", "trial"]) + 0.5 * bm25.scores(["isoniazid"])
    assert dict(best_rows(words, annotated.ids, 100)) == pytest.approx(raised)


def test_without_an_index_the_component_is_unavailable(recogniser, engine_with):
    response = engine_with(retrievers=retrievers(recogniser)).search(SearchRequest(query="TB"))
    assert set(response.component_errors) == {"bm25_unavailable", "concepts_unavailable"}
    assert response.components_used == ("dense",)


def test_an_index_of_another_thesaurus_is_unavailable(
    annotated, recogniser, engine_with, monkeypatch
):
    monkeypatch.setattr(annotated.concepts, "thesaurus", "another")
    response = engine_with(retrievers=retrievers(recogniser)).search(SearchRequest(query="TB"))
    assert "concepts_unavailable" in response.component_errors


def test_a_late_component_is_dropped(annotated, recogniser, engine_with):
    expander = expander_of(recogniser)

    def slow():
        time.sleep(0.3)
        return expander

    engine = engine_with(retrievers={"concepts": ConceptRetriever(slow, timeout_ms=20)})
    response = asyncio.run(engine.search_async(SearchRequest(query="isoniazid dose")))
    assert "concepts_timeout" in response.component_errors
    assert response.results


def test_a_knowledge_base_is_annotated_when_it_is_built(encoder, chunk, recogniser, tmp_path: Path):
    from clinrag_core.encode.protocol import Passage

    chunks = [chunk(1, "dosage", "Take INH daily."), chunk(2, None, "Nothing of the field.")]
    vectors = encoder.encode_passages([Passage(c.embed_title, c.embed_text) for c in chunks])
    parts = {
        "kind": "label",
        "encoder_name": "tiny",
        "encoder": encoder.fingerprint,
        "similarity": "cosine",
        "chunker": "c",
        "corpus_digest": "d",
        "bm25": BM25Settings(),
    }
    plain, recipe = Recipe(**parts), Recipe(**parts, concepts=recogniser)
    assert plain.fingerprint != recipe.fingerprint
    base = KnowledgeBase(build_knowledge_base(recipe, to_table(chunks), vectors, tmp_path))
    assert base.concepts is not None
    assert base.concepts.share("clinrag:isoniazid") == 1.0  # the title names it
    scores = base.concepts.scores({"clinrag:isoniazid": 1.0})
    assert scores[0] > scores[1] > 0
