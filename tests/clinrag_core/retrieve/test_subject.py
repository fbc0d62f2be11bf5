"""Passages on the subject of a question rank first; labels for other diseases rank last."""

from __future__ import annotations

import numpy as np
import pytest

from clinrag_core.retrieve.engine import SearchEngine
from clinrag_core.retrieve.request import SearchRequest
from clinrag_core.retrieve.rerank import LazyReranker
from clinrag_core.settings import RetrievalSettings

TB_WORDS = "Test for latent tuberculosis before use; treat active tuberculosis first."
LABELS = [
    ("isoniazid", "indications", "Isoniazid is indicated for all forms of tuberculosis."),
    ("isoniazid", "dosage", "The dose of isoniazid is 300 mg once daily."),
    ("isoniazid", "interactions", "Isoniazid raises the concentration of phenytoin."),
    ("adalimumab", "indications", "Adalimumab is indicated for rheumatoid arthritis."),
    ("adalimumab", "boxed_warning", f"{TB_WORDS} Tuberculosis testing: tuberculosis in adults."),
    ("adalimumab", "warnings", f"{TB_WORDS} Phenytoin was not studied."),
    ("tigecycline", "indications", "To reduce the development of drug-resistant bacteria, use it "
     "only for skin infections. Empiric use needs a culture."),
    ("tigecycline", "warnings", "Tuberculosis screening: test for tuberculosis in adults."),
]  # fmt: skip
GUIDELINES = [
    "Adults should have a test for latent tuberculosis infection when exposed.",
    "Treat tuberculosis with a regimen of several drugs.",
    "Rifampicin given as RIF needs monitoring of the liver.",
    "Visits are needed every month.",
]


@pytest.fixture(scope="module")
def bases(make_base, chunk):
    labels = [
        chunk(
            n, group, text, id=f"label-{n:010d}", document_id=drug, drug=drug, drug_names=(drug,),
            document_title=drug, embed_title=drug,
        )
        for n, (drug, group, text) in enumerate(LABELS)
    ]  # fmt: skip
    guidelines = [
        chunk(
            n, None, text, id=f"guide-{n:010d}", document_id="g", document_title="Guide",
            embed_title="Guide", kind="guideline", drug=None, drug_names=(),
        )
        for n, text in enumerate(GUIDELINES)
    ]  # fmt: skip
    return [make_base("label", labels), make_base("guideline", guidelines)]


@pytest.fixture
def engine(bases, encoder):
    with_bases = SearchEngine({b.name: b for b in bases}, encoder, RetrievalSettings())
    yield with_bases
    with_bases.close()


def ask(engine: SearchEngine, query: str, **more: object):
    return engine.search(SearchRequest(query=query, top_k=50, **more)).results


def drugs_of(hits) -> list[str | None]:
    return [hit.chunk.drug for hit in hits]


def test_labels_for_other_diseases_rank_behind_everything_else(engine):
    """The label of an arthritis drug was the first hit of most questions that name TB."""
    query = "Test for tuberculosis in adults: tuberculosis testing before use?"
    plain = ask(engine, query, subject_first=False)
    assert plain[0].chunk.drug in {"adalimumab", "tigecycline"}
    hits = ask(engine, query)
    assert {hit.chunk.id for hit in hits} == {hit.chunk.id for hit in plain}
    others = [drug in {"adalimumab", "tigecycline"} for drug in drugs_of(hits)]
    assert others == sorted(others)
    assert [not hit.on_subject for hit in hits] == others


def test_a_label_that_the_question_names_is_on_the_subject(engine):
    hits = ask(engine, "Test for tuberculosis before adalimumab?")
    assert hits[0].chunk.drug == "adalimumab"
    assert hits[0].on_subject


def test_passages_that_name_no_drug_asked_about_rank_behind(engine):
    hits = ask(engine, "How do isoniazid and phenytoin interact? Phenytoin dose?")
    naming = [hit.on_subject for hit in hits]
    assert naming == sorted(naming, reverse=True)
    assert all(hit.chunk.drug == "isoniazid" or "henytoin" in hit.chunk.text
               for hit in hits if hit.on_subject)  # fmt: skip


def test_every_name_of_a_drug_counts(engine):
    (first, *_) = ask(engine, "rifampin liver")
    assert first.chunk.id == "guide-0000000002"
    assert first.on_subject


def test_a_drug_that_no_passage_names_leaves_the_order_as_it_is(engine):
    query = "warfarin monitoring of the liver"
    ids = [hit.chunk.id for hit in ask(engine, query)]
    assert ids == [hit.chunk.id for hit in ask(engine, query, subject_first=False)]


def test_scores_descend_at_each_distance_from_the_subject(engine):
    for query in ("isoniazid dose in tuberculosis", "test for tuberculosis", "phenytoin"):
        for on_subject in (True, False):
            scores = [h.score for h in ask(engine, query) if h.on_subject is on_subject]
            if on_subject:
                assert scores == sorted(scores, reverse=True)


class _ByLength:
    def score(self, query, passages, *, should_stop):
        return np.array([len(p.text) for p in passages], dtype=np.float32)


def test_a_reranker_brings_no_label_for_another_disease_back(bases, encoder):
    reranker = LazyReranker("by-length", _ByLength)
    engine = SearchEngine(
        {b.name: b for b in bases}, encoder, RetrievalSettings(), reranker=reranker
    )
    hits = ask(engine, "test for tuberculosis")
    assert hits
    assert {"adalimumab", "tigecycline"}.isdisjoint(drugs_of(hits))


def test_diversity_keeps_the_nearest_first_and_fills_up_with_others(engine):
    hits = ask(engine, "test for tuberculosis", diversity=0.5)
    others = [not hit.on_subject for hit in hits]
    assert others == sorted(others)
    assert any(others)


def test_one_component_ranks_over_all_bases_by_its_score(engine):
    """Fused lists per base made the best of the wrong base as good as the best of the right one."""
    hits = ask(engine, "tuberculosis test visits", components=("bm25",), subject_first=False)
    assert len({hit.knowledge_base for hit in hits}) == 2
    assert [hit.score for hit in hits] == [hit.component_scores["bm25"] for hit in hits]
    assert [hit.component_ranks["bm25"] for hit in hits] == list(range(1, len(hits) + 1))
