"""The safety report on two cores: the figures of one process, whatever becomes of a child."""

import os

import pytest
from fakes import engine_work

from clinrag_core.evaluate.judging import MadeClaim, judge_by
from clinrag_core.evaluate.safety import Safety, load_paraphrases, measure_safety
from clinrag_core.pipeline import children
from clinrag_core.pipeline.core_pool import engine_on_cores
from clinrag_core.pipeline.pipeline import Pipeline


@pytest.fixture(scope="module")
def pipeline(make_tiny_settings, build_candidates, tmp_path_factory) -> Pipeline:
    _, settings = make_tiny_settings(tmp_path_factory.mktemp("cores"))
    return build_candidates(settings)


@pytest.fixture
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    monkeypatch.setattr(children, "_available_kib", lambda: 1 << 40)


def measured(pipeline: Pipeline) -> Safety:
    answers = pipeline.benchmark_answers.read().value.answers
    benchmark = pipeline.settings.benchmark
    with engine_on_cores(pipeline) as (engine, spread):
        safety = measure_safety(
            engine, answers, load_paraphrases(benchmark), None, None, benchmark, spread
        )
    ruler = safety.ruler.model_copy(update={"p95_ms": 0.0})
    return safety.model_copy(update={"ruler": ruler})


@pytest.mark.usefixtures("two_cores")
def test_two_cores_measure_what_one_process_does(pipeline, monkeypatch):
    on_two = measured(pipeline)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert measured(pipeline) == on_two
    assert on_two.drug_pairs.answered
    assert on_two.gates.mutants


@pytest.mark.usefixtures("two_cores")
def test_children_work_on_the_same_engine_and_results_keep_their_order(pipeline):
    batches = [[number] for number in range(9)]
    with engine_on_cores(pipeline) as (engine, spread):
        done = list(spread(engine_work.where, batches))
    assert [batch for _, batch, _ in done] == batches
    assert {drugs for _, _, drugs in done} == {len(engine.drugs.labelled)}
    assert os.getpid() not in {process for process, _, _ in done}


@pytest.mark.usefixtures("two_cores")
def test_the_time_of_gates_is_measured_in_children_as_finely_as_here(pipeline):
    """A process with a limit of processor time has a clock that moves with the scheduler's tick."""
    claims = [MadeClaim("Isoniazid is given daily.", (), {})] * 9
    with engine_on_cores(pipeline) as (_, spread):
        times = [judgement.milliseconds for judgement in judge_by(spread)(claims)]
    assert 0 not in times


@pytest.mark.usefixtures("two_cores")
def test_what_a_child_that_died_had_to_do_is_done_here(pipeline):
    with engine_on_cores(pipeline) as (engine, spread):
        done = list(spread(engine_work.end_elsewhere, [os.getpid()] * 3))
    assert done == [len(engine.drugs.labelled)] * 3


@pytest.mark.usefixtures("two_cores")
def test_an_error_of_the_work_is_raised_as_it_is(pipeline):
    with (
        engine_on_cores(pipeline) as (_, spread),
        pytest.raises(LookupError, match="no such drug"),
    ):
        list(spread(engine_work.fail, ["no such drug"]))


def test_no_child_is_started_where_memory_is_short(pipeline, two_cores, monkeypatch):
    monkeypatch.setattr(children, "_available_kib", lambda: 0)
    with engine_on_cores(pipeline) as (_, spread):
        ((process, *_),) = spread(engine_work.where, [[1]])
    assert process == os.getpid()
