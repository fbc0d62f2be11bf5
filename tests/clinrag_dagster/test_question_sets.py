"""The thesaurus and the external question sets as assets."""

import json
from collections.abc import Callable
from pathlib import Path

import dagster as dg
import pytest

from clinrag_core.evaluate.mirage import SETS
from clinrag_core.settings import ConceptSettings, Settings
from clinrag_dagster.defs.evaluation.question_sets import question_sets, thesaurus
from clinrag_dagster.resources import ClinragResource


@pytest.fixture
def run(
    tiny_settings: Settings, resource_for: Callable[[Settings], ClinragResource], tmp_path: Path
) -> Callable[..., dg.ExecuteInProcessResult]:
    def run(asset: dg.AssetsDefinition, **update: object) -> dg.ExecuteInProcessResult:
        settings = tiny_settings.model_copy(update={"home": tmp_path / "home", **update})
        resources = {"clinrag": resource_for(settings)}
        return dg.materialize([asset], resources=resources, raise_on_error=False)

    return run


def check(result: dg.ExecuteInProcessResult) -> dg.AssetCheckEvaluation:
    (evaluation,) = result.get_asset_check_evaluations()
    return evaluation


def test_the_shipped_thesaurus_is_compiled_and_recognises(run, tmp_path: Path):
    result = run(thesaurus)
    assert result.success
    assert check(result).passed
    assert list((tmp_path / "home" / "thesauri").glob("*/hashes.npy"))


def test_a_thesaurus_that_cannot_be_read_fails_with_its_path(run, tmp_path: Path):
    result = run(thesaurus, concepts=ConceptSettings(thesauri=(tmp_path / "absent.obo",)))
    assert not result.success
    (failure,) = [e for e in result.all_events if e.is_step_failure]
    assert "absent.obo" in failure.step_failure_data.error.to_string()


def test_accuracies_that_are_not_as_published_fail(run, tmp_path: Path):
    bench = tmp_path / "bench" / "mirage"
    (bench / "predictions").mkdir(parents=True)
    row = {"question": "?", "options": {"A": "a", "B": "b"}, "answer": "B"}
    (bench / "benchmark.json").write_text(json.dumps({name: {"1": row} for name in SETS}))
    result = run(question_sets, external_benchmarks=tmp_path / "bench")
    assert not check(result).passed
    assert check(result).description == "no recorded outputs to score"


def test_published_accuracies_pass_and_the_pools_are_searched(run, reference_bench: Path):
    result = run(question_sets, external_benchmarks=reference_bench)
    assert check(result).passed
    assert check(result).description == "17 of 20 published accuracies come out exactly"
    (event,) = result.get_asset_materialization_events()
    shown = str(event.materialization.metadata["retrieval"].value)
    assert "liveqa-med" in shown
    assert "medicationqa" in shown
