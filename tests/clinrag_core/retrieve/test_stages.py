"""The three stages: what each adds, reports and leaves out."""

from __future__ import annotations

import numpy as np
import pytest

from clinrag_core.lexicon.concepts.open import open_recogniser
from clinrag_core.retrieve.concept_first import ConceptExpander
from clinrag_core.retrieve.request import SearchRequest
from clinrag_core.retrieve.rerank import LazyReranker
from clinrag_core.retrieve.stages.multistage import MultistageRetriever
from clinrag_core.retrieve.stages.prune import prune
from clinrag_core.retrieve.stages.quality import evidence_quality
from clinrag_core.retrieve.stages.records import Candidate
from clinrag_core.retrieve.stages.refinement import PreciseScores, precise_scores, refine
from clinrag_core.retrieve.stages.variants import question_variants
from clinrag_core.settings import SEED, ConceptSettings, MultistageSettings
from clinrag_core.settings.multistage import RefinementSettings

REQUEST = SearchRequest(query="isoniazid dose")


@pytest.fixture(scope="module")
def expander(tmp_path_factory: pytest.TempPathFactory):
    recogniser = open_recogniser((), tmp_path_factory.mktemp("thesauri"))
    return ConceptExpander(recogniser, ConceptSettings())


def stages(**parts: dict[str, object]) -> MultistageSettings:
    return MultistageSettings.model_validate(parts)


def ids(staged) -> list[str]:
    return [candidate.id for candidate in staged.candidates]


OFF = {"enabled": False}


def test_stage_1_alone_is_the_plain_fusion(engine_with):
    engine = engine_with()
    staged = MultistageRetriever(engine, stages(expansion=OFF, refinement=OFF)).order(REQUEST)
    plain = [hit.id for hit in engine.rank(REQUEST)]
    assert ids(staged) == plain[:150]
    assert [report.stage for report in staged.reports] == ["recall"]
    assert all(0 <= c.score <= 1 for c in staged.candidates)


def test_seeds_stage_1_is_bm25_alone_where_bm25_finds(engine_with):
    engine = engine_with()
    settings = SEED.model_copy(
        update=dict(stages(expansion=OFF, refinement=OFF)) | {"recall": SEED.recall}
    )
    staged = MultistageRetriever(engine, settings).order(REQUEST)
    bm25 = engine.rank(
        SearchRequest(query=REQUEST.query, components=("bm25",), subject_first=False)
    )
    above = [hit.id for hit in bm25 if hit.score > 1]
    assert above
    assert ids(staged)[: len(above)] == above


def test_variants_only_add_behind_stage_1(engine_with, expander):
    engine = engine_with(candidates=3)
    one = MultistageRetriever(engine, stages(expansion=OFF, refinement=OFF), expander)
    two = MultistageRetriever(
        engine, stages(expansion={"enabled": True, "variant_depth": 20}, refinement=OFF), expander
    )
    request = SearchRequest(query="INH dose in TB?", subject_first=False)
    before, after = ids(one.order(request)), two.order(request)
    assert ids(after)[: len(before)] == before
    assert after.variants
    assert after.reports[1].added == len(ids(after)) - len(before) > 0


def test_seeds_variants_drop_what_none_of_them_finds(engine_with, expander):
    engine = engine_with()
    settings = stages(
        expansion={"enabled": True, "reorder": True, "variant_depth": 2, "variants": 0},
        refinement=OFF,
    )
    staged = MultistageRetriever(engine, settings, expander).order(REQUEST)
    dense = engine.rank(SearchRequest(query=REQUEST.query, components=("dense",)))
    assert ids(staged) == [hit.id for hit in dense[:2]]


def test_variants_differ_and_name_their_maker(engine_with, expander):
    made = question_variants(
        "I take INH and have yellow eyes?", engine_with().drugs, expander.recogniser, 4
    )
    texts = {variant.made_by: variant.text for variant in made}
    assert texts["symptoms"] == "I take INH and have yellow eyes (jaundice)?"
    assert texts["concepts"] == "I take INH (isoniazid) and have yellow eyes?"
    assert len(made) <= 4
    assert "INH" in texts["keywords"]


class Fixed:
    """A cross-encoder with a logit for each word of a passage that is given."""

    name = "fixed"

    def __init__(self, word: str) -> None:
        self._word = word

    def score(self, query, passages, *, should_stop):
        return [5.0 if self._word in p.text else -5.0 for p in passages]


def test_the_cross_encoder_orders_by_its_share(engine_with):
    engine = engine_with(reranker=LazyReranker("fixed", lambda: Fixed("phenytoin")))
    form = MultistageRetriever(engine, stages(refinement={"precise_weight": 0.7}))
    response = form.search(REQUEST)
    assert response.ordered_by == "cross_encoder"
    assert "phenytoin" in response.results[0].chunk.text


def test_without_a_cross_encoder_statements_order_and_the_stage_says_so(engine_with):
    engine = engine_with()
    form = MultistageRetriever(
        engine,
        stages(refinement={"precise_weight": 0.7}),
        statement_scores=lambda _: {"chunk-0000000003": 2.0, "chunk-0000000001": 1.0},
    )
    response = form.search(REQUEST)
    assert response.ordered_by == "statements"
    assert response.results[0].chunk.id == "chunk-0000000003"
    assert "no cross-encoder" in response.stages[-1].notes[0]


def test_without_both_the_order_of_stage_2_stays(engine_with):
    engine = engine_with()
    plain = MultistageRetriever(engine, stages(refinement=OFF)).order(REQUEST)
    refined = MultistageRetriever(engine, stages()).order(REQUEST)
    assert ids(refined) == ids(plain)
    assert "order of stage 2" in refined.reports[-1].notes[0]


def test_a_failing_cross_encoder_is_reported(engine_with, chunk):
    def missing():
        raise KeyError("weights")

    chunks = [chunk(1, None, "text")]
    reranker = LazyReranker("x", missing)
    precise = precise_scores("q", [chunks[0].id], lambda _: chunks, reranker, None)
    assert precise.by == "stage_2"
    assert "error: KeyError" in (precise.note or "")


def test_refinement_keeps_the_subject_first():
    candidates = [Candidate("near", 0.1, 0, {}), Candidate("far", 1.0, 2, {})]
    precise = PreciseScores("cross_encoder", {"far": 1.0, "near": 0.0})
    refined = refine(candidates, precise, {}, RefinementSettings(precise_weight=0.7))
    assert [c.id for c in refined] == ["near", "far"]
    assert refined[0].score == pytest.approx(0.03)


def pruned(vectors, tokens, **choices):
    matrix = np.array(vectors, dtype=np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    names = [f"p{n}" for n in range(len(matrix))]
    settings = RefinementSettings.model_validate(choices)
    return prune(names, matrix, np.array([1.0, 0.0], dtype=np.float32), tokens, settings)


def test_pruning_leaves_out_what_repeats_is_off_or_does_not_fit():
    found = pruned(
        [[1, 0.1], [1, 0.11], [0, 1], [1, 1], [1, -3]],
        [100, 100, 100, 100, 300],
        least_relevance=0.3, token_budget=250,
    )  # fmt: skip
    assert found.kept == [0, 3]
    assert [(p.chunk_id, p.reason, p.repeats) for p in found.pruned] == [
        ("p1", "redundant", "p0"),
        ("p2", "irrelevant", None),
        ("p4", "budget", None),
    ]


def test_a_filter_that_nothing_has_gives_an_empty_context(engine_with):
    nothing = SearchRequest.model_validate(
        {"query": "isoniazid dose", "filter": {"document_ids": ("absent",)}}
    )
    for settings in (stages(), SEED):
        response = MultistageRetriever(engine_with(), settings).search(nothing)
        assert response.results == ()
        assert response.component_errors == ()


def test_the_first_passage_is_kept_whatever_it_holds():
    assert pruned([[1, 0]], [9_000], token_budget=10).kept == [0]


def test_the_context_is_within_its_budget(engine_with):
    form = MultistageRetriever(
        engine_with(), stages(refinement={"token_budget": 25, "redundant_from": 1.0})
    )
    response = form.search(REQUEST)
    assert 0 < response.tokens <= 25
    assert any(p.reason == "budget" for p in response.pruned)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("We strongly recommend this.", "We conditionally recommend this."),
        ("(high certainty of evidence)", "(very low certainty of evidence)"),
        ("(low-quality evidence)", "(very low quality evidence)"),
    ],
)
def test_quality_reads_strength_and_certainty_as_printed(chunk, better: str, worse: str):
    good, poor = (evidence_quality(chunk(1, "dosage", text)) for text in (better, worse))
    assert good.score > poor.score


def test_quality_reads_the_source_its_year_and_the_section(chunk):
    old, new = (chunk(1, "dosage", "x", year=year) for year in (2003, 2024))
    assert evidence_quality(new).score > evidence_quality(old).score
    storage = chunk(1, "how_supplied", "x", year=2024)
    assert evidence_quality(new).score > evidence_quality(storage).score


def test_a_component_that_fails_is_reported_and_the_stages_go_on(engine_with, broken_retriever):
    engine = engine_with(retrievers={"bm25": broken_retriever()})
    response = MultistageRetriever(engine, stages()).search(REQUEST)
    assert response.component_errors == ("bm25_error: RuntimeError",)
    assert response.results
