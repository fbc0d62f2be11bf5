"""Paired comparison of pipelines: sound on extremes, agrees with ranx, corrected for number."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clinrag_core.errors import BenchmarkError
from clinrag_core.evaluate.compare import compare_paired, compare_pipelines, holm
from clinrag_core.evaluate.evaluation import QuestionResult
from clinrag_core.index.knowledge_base import read_chunks

VALUES = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=40)


def sides(values: list[tuple[float, float]]) -> tuple[dict[str, float], dict[str, float]]:
    return (
        {f"q{i}": own for i, (own, _) in enumerate(values)},
        {f"q{i}": other for i, (_, other) in enumerate(values)},
    )


@settings(max_examples=40, deadline=None)
@given(VALUES)
def test_the_interval_contains_the_effect_and_sides_can_be_changed(values):
    own, other = sides(values)
    there, back = compare_paired(own, other), compare_paired(other, own)
    assert there.low - 1e-9 <= there.delta <= there.high + 1e-9
    assert there.delta == pytest.approx(-back.delta)
    assert (there.wins, there.losses) == (back.losses, back.wins)
    assert there.wins + there.ties + there.losses == there.questions
    assert 0 < there.p <= 1


def test_equal_pipelines_differ_by_nothing():
    own, _ = sides([(0.3, 0), (0.9, 0)])
    same = compare_paired(own, own)
    assert (same.delta, same.low, same.high, same.p, same.ties) == (0, 0, 0, 1, 2)


def test_the_same_values_give_the_same_figures_in_any_order():
    own, other = sides([(0.1 * i, 0.05 * i) for i in range(10)])
    shuffled = dict(sorted(own.items(), reverse=True))
    assert compare_paired(own, other) == compare_paired(shuffled, other)


def test_significance_agrees_with_scipy():
    from scipy.stats import permutation_test

    rng = np.random.default_rng(4)
    one = rng.random(60)
    other = np.clip(one + rng.normal(0.03, 0.12, 60), 0, 1)
    own, base = sides(list(zip(one.tolist(), other.tolist(), strict=True)))
    theirs = permutation_test(
        (one, other), lambda x, y: np.mean(x - y), permutation_type="samples", rng=rng
    )
    assert compare_paired(own, base).p == pytest.approx(theirs.pvalue, abs=0.02)


@pytest.mark.parametrize(
    ("own", "other"),
    [({}, {}), ({"a": 1.0}, {"b": 1.0}), ({"a": float("nan")}, {"a": 1.0})],
)
def test_what_cannot_be_compared_is_an_error(own, other):
    with pytest.raises(BenchmarkError):
        compare_paired(own, other)


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm_is_never_smaller_and_keeps_the_order(p_values: list[float]):
    corrected = holm(p_values)
    assert all(c >= p for c, p in zip(corrected, p_values, strict=True))
    assert all(c <= 1 for c in corrected)
    for i, p in enumerate(p_values):
        for j, q in enumerate(p_values):
            if p < q:
                assert corrected[i] <= corrected[j]


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])


def result(question: str, pipeline: str, value: float, intent: str = "DOSAGE") -> QuestionResult:
    return QuestionResult(
        question_id=question, pipeline=pipeline, slice="labels", split="test", intent=intent,
        best_rank=1, metrics={"ndcg_at_10": value},
    )  # fmt: skip


def test_parts_with_a_single_question_are_left_out():
    results = [
        result(f"q{i}", name, value, "DOSAGE" if i else "RARE")
        for i in range(5)
        for name, value in (("default", 0.5), ("bm25", 0.4))
    ]
    found = compare_pipelines(results, "ndcg_at_10", "default")
    assert {c.part for c in found} == {"all", "kb: labels", "intent: DOSAGE"}
    assert all(c.delta == pytest.approx(-0.1) for c in found)
    assert all(c.losses == c.questions for c in found)


def test_the_default_search_is_that_of_the_profile_over_all_bases(
    tiny_settings, tiny_reranker, build_candidates
):
    """Figures were of the base that a question belongs to, and without the profile's reranker."""
    built = build_candidates(tiny_settings)
    plain = built.retrieval_runs.read().value
    assert "rrf" not in plain.runs
    folder = built.workspace.knowledge_bases
    tables = {
        name: set(read_chunks(folder / name / state).column("id").to_pylist())
        for name, state in plain.evaluated.knowledge_bases.items()
    }
    found = {i for ids in plain.runs["default"].values() for i in ids}
    assert all(found & ids for ids in tables.values())
    one_base = [q for q in built.benchmark.read().value.questions if len(q.knowledge_bases) == 1]
    for question in one_base:
        own = plain.runs["own_bases"].get(question.id, [])
        assert sum(bool(ids & set(own)) for ids in tables.values()) <= 1
    retrieval = tiny_settings.retrieval.model_copy(update={"reranker": str(tiny_reranker)})
    settings = tiny_settings.model_copy(update={"retrieval": retrieval})
    reranked = build_candidates(settings).retrieval_runs.read().value
    assert {c.pipeline for c in compare_pipelines(reranked.results, "ndcg_at_10", "default")} == {
        "bm25", "boosted", "dense", "multistage", "own_bases", "rrf", "weighted",
    }  # fmt: skip
    for question, ids in reranked.runs["default"].items():
        assert sorted(ids) == sorted(reranked.runs["rrf"][question])
    assert reranked.runs["default"] != reranked.runs["rrf"]
