"""Verdicts and promotions: a loss stops a candidate, too little to judge by does not."""

import datetime as dt
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinrag_core.errors import BaselineError
from clinrag_core.evaluate.baseline import (
    Baseline,
    Evaluated,
    compare_with_baseline,
    promotion_refusal,
)
from clinrag_core.evaluate.gated_metrics import GATED, Measured
from clinrag_core.pipeline.baselines import BaselineStore, baseline_store, promote
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.pipeline.reports import make_safety_report
from clinrag_core.settings import AcceptanceSettings

SETTINGS = AcceptanceSettings(minimum_questions=25, lost_share=0.03)
QUESTIONS = [f"q{n:03d}" for n in range(100)]


def measured(values: list[float], questions: list[str] | None = None) -> Measured:
    """The same values for every gated metric."""
    ids = (questions or QUESTIONS)[: len(values)]
    own = dict(zip(ids, values, strict=True))
    return Measured(
        questions={q: f"digest of {q}" for q in ids}, values={m.name: own for m in GATED}
    )


def evaluated(values: Measured, name: str = "e1") -> Evaluated:
    return Evaluated(
        corpus="tiny",
        profile="tiny",
        evaluation=name,
        benchmark="b",
        knowledge_bases={"kb": "f"},
        encoder="enc",
        commit=None,
        measured=values,
    )


def baseline(values: Measured, sequence: int = 1) -> Baseline:
    moment = dt.datetime(2026, 11, 21, tzinfo=dt.UTC)
    return Baseline(
        sequence=sequence,
        author="a",
        reason="r",
        accepted=moment,
        evaluated=evaluated(values, f"old{sequence}"),
    )


units = st.lists(st.floats(min_value=0, max_value=1, allow_nan=False), min_size=30, max_size=60)


@given(units)
def test_the_same_values_always_pass(values: list[float]):
    verdicts = compare_with_baseline(baseline(measured(values)), measured(values), SETTINGS)
    assert all(v.passed and v.delta == 0 for v in verdicts)


@given(units, st.randoms(use_true_random=False))
def test_a_mean_that_fell_beyond_its_tolerance_never_passes(values: list[float], random):
    now = [max(value - random.choice([0.2, 0.4]), 0) for value in values]
    for verdict in compare_with_baseline(baseline(measured(values)), measured(now), SETTINGS):
        fell = (math.fsum(now) - math.fsum(values)) / len(values)
        assert verdict.passed == (fell >= -verdict.tolerance)


@given(units)
def test_a_first_evaluation_is_not_judged(values: list[float]):
    verdicts = compare_with_baseline(None, measured(values), SETTINGS)
    assert all(v.passed and not v.judged for v in verdicts)
    assert {v.verdict for v in verdicts} == {"not judged: first evaluation"}


@given(st.lists(st.just(1.0), max_size=24))
def test_what_the_baseline_has_too_few_questions_for_is_not_judged(values: list[float]):
    then = baseline(measured([1.0] * len(values)))
    verdicts = compare_with_baseline(then, measured([0.0] * len(values)), SETTINGS)
    assert all(v.passed and not v.judged for v in verdicts)


@given(st.lists(st.just(1.0), max_size=24))
def test_what_was_judged_and_cannot_be_any_more_fails(values: list[float]):
    verdicts = compare_with_baseline(baseline(measured([1.0] * 25)), measured(values), SETTINGS)
    assert not any(v.passed for v in verdicts)


@pytest.mark.parametrize("broken", [math.nan, math.inf, -math.inf])
def test_a_value_that_is_not_a_number_never_passes(broken: float):
    values = [1.0] * 50
    sick = [*values[:-1], broken]
    assert not any(
        v.passed
        for v in compare_with_baseline(baseline(measured(values)), measured(sick), SETTINGS)
    )
    assert not any(
        v.passed
        for v in compare_with_baseline(baseline(measured(sick)), measured(values), SETTINGS)
    )


def test_a_metric_that_was_not_measured_does_not_pass():
    then = baseline(measured([1.0] * 50))
    now = measured([1.0] * 50).model_copy(update={"values": {}})
    assert not any(v.passed for v in compare_with_baseline(then, now, SETTINGS))


def test_questions_that_cannot_be_judged_any_more_stop_a_candidate():
    """Documents that vanish take their questions along; what is left looks as good as ever."""
    then = baseline(measured([1.0] * 100))
    fewer = compare_with_baseline(then, measured([1.0] * 96), SETTINGS)
    assert {v.verdict for v in fewer} == {"4 questions lost"}
    assert all(v.passed for v in compare_with_baseline(then, measured([1.0] * 97), SETTINGS))


def test_a_reworded_question_is_another_question():
    then = baseline(measured([1.0] * 50))
    now = measured([1.0] * 50)
    reworded = dict.fromkeys(QUESTIONS[:10], "another digest")
    now = now.model_copy(update={"questions": {**now.questions, **reworded}})
    assert {v.verdict for v in compare_with_baseline(then, now, SETTINGS)} == {"10 questions lost"}


def test_new_questions_neither_help_nor_hurt():
    then = baseline(measured([0.5] * 50))
    assert all(
        v.delta == 0
        for v in compare_with_baseline(then, measured([0.5] * 50 + [0.0] * 50), SETTINGS)
    )


words = st.sampled_from(["", "  ", "a reason"])


@given(units, words, words, st.lists(st.just("a wrong drug"), max_size=1), st.booleans())
def test_nobody_can_accept_what_is_unsafe_or_unsigned(
    values: list[float], author: str, reason: str, unsafe: list[str], accept_loss: bool
):
    refusal = promotion_refusal(
        None,
        evaluated(measured(values)),
        unsafe,
        SETTINGS,
        author=author,
        reason=reason,
        accept_loss=accept_loss,
    )
    assert (refusal is None) == bool(author.strip() and reason.strip() and not unsafe)


@given(units, units)
def test_a_loss_is_accepted_only_in_so_many_words(before: list[float], after: list[float]):
    then, now = baseline(measured(before)), evaluated(measured(after))
    worse = not all(v.passed for v in compare_with_baseline(then, now.measured, SETTINGS))
    silent = promotion_refusal(then, now, [], SETTINGS, author="a", reason="r")
    explicit = promotion_refusal(then, now, [], SETTINGS, author="a", reason="r", accept_loss=True)
    assert (silent is None) == (not worse)
    assert explicit is None


@pytest.mark.parametrize(
    ("values", "accepted"), [([], True), ([1.0] * 24, True), ([math.nan] * 50, False)]
)
def test_a_small_evaluation_may_be_accepted_and_a_broken_one_never(
    values: list[float], accepted: bool
):
    """A corpus of one's own has few questions; its owner may still accept what there is."""
    refusal = promotion_refusal(
        None, evaluated(measured(values)), [], SETTINGS, author="a", reason="r", accept_loss=True
    )
    assert (refusal is None) == accepted


def test_a_provisional_baseline_is_compared_with_and_gives_way_to_a_person(tmp_path):
    store = BaselineStore(tmp_path / "own", "tiny", "tiny", shipped=tmp_path / "none")
    first = evaluated(measured([0.5] * 30))
    store.keep_first(first)
    store.keep_first(evaluated(measured([0.1] * 30), "e2"))
    provisional = store.accepted()
    assert provisional is not None
    assert (provisional.provisional, provisional.evaluated) == (True, first)
    worse = compare_with_baseline(provisional, measured([0.1] * 30), SETTINGS)
    assert not any(v.passed for v in worse)
    promoted = store.promote(first, [], SETTINGS, author="a", reason="read it")
    assert store.accepted() == promoted
    assert not promoted.provisional


@given(st.booleans(), st.sampled_from(["profile", "corpus"]))
def test_no_baseline_of_another_profile_or_corpus_is_ever_moved(accept_loss: bool, field: str):
    """`make promote` without CORPUS once wrote one corpus's figures as another's baseline."""
    other = evaluated(measured([0.5] * 30), "e2").model_copy(update={field: "another"})
    refusal = promotion_refusal(
        baseline(measured([0.9] * 30)), other, [], SETTINGS,
        author="a", reason="r", accept_loss=accept_loss,
    )  # fmt: skip
    assert refusal is not None
    assert "another profile or corpus" in refusal


def test_a_store_writes_no_evaluation_of_another_profile(tmp_path):
    store = BaselineStore(tmp_path, "tiny", "tiny", shipped=tmp_path / "none")
    other = evaluated(measured([0.5] * 30)).model_copy(update={"profile": "live"})
    with pytest.raises(BaselineError, match="another profile or corpus"):
        store.promote(other, [], SETTINGS, author="a", reason="r", accept_loss=True)
    assert list(tmp_path.glob("*.json")) == []


def test_the_store_keeps_every_baseline_and_reads_the_newest_of_its_corpus(tmp_path):
    store = BaselineStore(tmp_path / "own", "tiny", "tiny", shipped=tmp_path / "shipped")
    assert store.accepted() is None
    first = store.promote(evaluated(measured([0.5] * 30)), [], SETTINGS, author="a", reason="r")
    better = evaluated(measured([0.6] * 30), "e2")
    second = store.promote(better, [], SETTINGS, author="b", reason="better")
    assert store.accepted() == second
    assert [b.sequence for b in store.list()] == [2, 1] == [second.sequence, first.sequence]
    assert BaselineStore(tmp_path / "own", "tiny", "other", tmp_path / "none").accepted() is None
    with pytest.raises(BaselineError, match="already accepted"):
        store.promote(better, [], SETTINGS, author="b", reason="again")


def test_a_shipped_baseline_counts_until_one_is_accepted_here(tmp_path):
    shipped = BaselineStore(tmp_path / "shipped", "tiny", "tiny", shipped=tmp_path / "none")
    first = shipped.promote(evaluated(measured([0.5] * 30)), [], SETTINGS, author="a", reason="r")
    store = BaselineStore(tmp_path / "own", "tiny", "tiny", shipped=tmp_path / "shipped")
    assert store.accepted() == first
    own = store.promote(evaluated(measured([0.6] * 30), "e2"), [], SETTINGS, author="b", reason="r")
    assert store.accepted() == own


def test_a_damaged_baseline_is_an_error_and_not_a_missing_one(tmp_path):
    store = BaselineStore(tmp_path, "tiny", "tiny", shipped=tmp_path / "none")
    made = store.promote(evaluated(measured([0.5] * 30)), [], SETTINGS, author="a", reason="r")
    file = tmp_path / f"{made.id}.json"
    file.write_text(file.read_text()[:100])
    with pytest.raises(BaselineError, match="cannot be read"):
        store.accepted()


def test_an_evaluation_of_another_corpus_is_never_promoted(tiny_settings, build_candidates):
    """After a change of corpus, the newest evaluation is still that of the old one."""
    evaluated_pipeline = build_candidates(tiny_settings)
    make_safety_report(evaluated_pipeline)
    stored = evaluated_pipeline.retrieval_runs.read().value.evaluated.corpus
    pipeline = Pipeline(tiny_settings)
    pipeline.manifest = evaluated_pipeline.manifest.model_copy(update={"name": "another"})
    with pytest.raises(BaselineError, match=f"of corpus '{stored}'.* corpus 'another'"):
        promote(pipeline, author="a", reason="r", accept_loss=True)
    assert baseline_store(pipeline).list() == []
    assert baseline_store(evaluated_pipeline).list() == []


def test_an_evaluation_of_a_manifest_that_has_changed_is_never_promoted(
    tiny_settings, tiny_corpus, build_candidates
):
    make_safety_report(build_candidates(tiny_settings))
    tiny_corpus.guidelines.remove("tb-tests")
    tiny_corpus.write()
    pipeline = Pipeline(tiny_settings)
    with pytest.raises(BaselineError, match="manifest of corpus 'tiny' has changed"):
        promote(pipeline, author="a", reason="r", accept_loss=True)
