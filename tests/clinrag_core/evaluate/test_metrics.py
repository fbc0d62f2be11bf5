import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinrag_core.errors import BenchmarkError
from clinrag_core.evaluate.metrics import METRICS, evaluate_run, means

ids = st.lists(st.sampled_from([f"c{i}" for i in range(12)]), unique=True, max_size=12)


def dcg(grades: list[int]) -> float:
    return sum(grade / math.log2(rank + 1) for rank, grade in enumerate(grades, start=1))


@given(
    run=ids,
    relevant=st.dictionaries(
        st.sampled_from([f"c{i}" for i in range(14)]), st.integers(1, 2), min_size=1
    ),
)
def test_metrics_equal_their_definitions(run: list[str], relevant: dict[str, int]):
    values = evaluate_run({"q": relevant}, {"q": run})
    got = {name: value["q"] for name, value in values.items()}
    hits = [i in relevant for i in run]
    assert got["recall_at_5"] == pytest.approx(sum(hits[:5]) / len(relevant))
    assert got["precision_at_5"] == pytest.approx(sum(hits[:5]) / 5)
    first = next((rank for rank, hit in enumerate(hits[:10], 1) if hit), None)
    assert got["mrr_at_10"] == pytest.approx(1 / first if first else 0)
    ideal = dcg(sorted(relevant.values(), reverse=True)[:10])
    assert got["ndcg_at_10"] == pytest.approx(dcg([relevant.get(i, 0) for i in run[:10]]) / ideal)
    precisions = [sum(hits[:rank]) / rank for rank, hit in enumerate(hits, 1) if hit]
    assert got["map"] == pytest.approx(sum(precisions) / len(relevant))


def test_a_question_without_hits_counts_zero_and_stays_in_the_mean():
    """Frameworks drop such questions and report a better mean."""
    values = evaluate_run({"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 1}}, {"q1": ["a"], "q2": []})
    assert means(values, ["q1", "q2", "q3"])["recall_at_5"] == pytest.approx(1 / 3)


def test_a_run_where_everything_is_empty_scores_zero():
    values = evaluate_run({"q1": {"a": 1}}, {"q1": []})
    assert {name: v["q1"] for name, v in values.items()} == dict.fromkeys(METRICS, 0.0)


def test_a_refused_question_in_the_run_is_left_out():
    values = evaluate_run({"q1": {"a": 1}}, {"q1": ["a"], "x-001": ["b"]})
    assert set(values["map"]) == {"q1"}


def test_nothing_judged_is_an_error_not_a_score():
    with pytest.raises(BenchmarkError, match="no question"):
        evaluate_run({}, {"q1": ["a"]})
    with pytest.raises(BenchmarkError, match="without a relevant"):
        evaluate_run({"q1": {}}, {"q1": ["a"]})
    with pytest.raises(BenchmarkError, match="repeats"):
        evaluate_run({"q1": {"a": 1}}, {"q1": ["a", "a"]})


def test_the_mean_of_no_question_is_not_a_number():
    assert math.isnan(means({"map": {}}, [])["map"])
