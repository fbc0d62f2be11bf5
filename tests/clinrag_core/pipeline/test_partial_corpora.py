"""Corpora without labels, without guidelines, or about what the benchmark does not ask.

The empty knowledge base is built, released and searched like the other one; nothing of it is
judged.
"""

from __future__ import annotations

import pytest

from clinrag_core.pipeline import pages, reports
from clinrag_core.pipeline.corpus import is_admitted
from clinrag_core.retrieve.open import open_engine
from clinrag_core.retrieve.request import SearchRequest

GARDEN = "Gardens\n\nWatering\n\nYoung trees are watered twice a week during dry summers.\n"


@pytest.mark.parametrize("absent", ["labels", "guidelines"])
def test_a_corpus_of_one_kind_is_released_and_searched(tiny_parts, build_release, absent):
    corpus, settings = tiny_parts
    setattr(corpus, absent, type(getattr(corpus, absent))())
    corpus.write()
    build_release(settings)
    engine = open_engine(settings)
    sizes = {name: base.manifest.chunks for name, base in engine.knowledge_bases.items()}
    assert sorted(size > 0 for size in sizes.values()) == [False, True]
    hits = engine.search(SearchRequest(query="isoniazid dose in adults")).results
    assert {sizes[hit.knowledge_base] > 0 for hit in hits} == {True}


def test_a_corpus_that_no_question_is_about_still_gets_every_report(tiny_parts, build_candidates):
    corpus, settings = tiny_parts
    corpus.labels = {}
    corpus.write()
    for name in corpus.guidelines:
        (corpus.folder / f"{name}.txt").write_text(f"{name}\n\n{GARDEN}")
    pipeline = build_candidates(settings)
    assert pipeline.retrieval_runs.read().value.scores == ()
    for make in (
        reports.make_retrieval_report,
        reports.make_answer_report,
        reports.make_safety_report,
        reports.make_latency_report,
        reports.make_corpus_report,
    ):
        make(pipeline)
    assert pages.make_report_page(pipeline).is_file()


@pytest.mark.parametrize(
    ("topics", "admitted", "is_indexed"),
    [
        (("hiv",), (), True),
        ((), (), True),
        (("other",), (), False),
        (("tb", "other"), (), False),
        (("hiv",), ("hiv", "tb"), True),
        (("hiv",), ("tb",), False),
        ((), ("tb",), False),
        (("other",), ("other",), True),
    ],
)
def test_every_topic_but_other_is_indexed_unless_the_setting_names_some(
    topics, admitted, is_indexed
):
    assert is_admitted(topics, admitted) is is_indexed
