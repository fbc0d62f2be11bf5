"""Published test sets as an asset: a figure that differs fails, and so does a set without one."""

import json
from collections.abc import Callable
from pathlib import Path

import dagster as dg
import pytest

from clinrag_core.settings import Settings
from clinrag_dagster.defs.evaluation.external_benchmarks import external_benchmarks
from clinrag_dagster.resources import ClinragResource

DOCUMENTS = {"d1": "The usual dose of isoniazid is taken once a day.", "d2": "Masks and cough."}


def beir(folder: Path) -> None:
    (folder / "qrels").mkdir(parents=True)
    rows = [json.dumps({"_id": i, "title": "", "text": t}) for i, t in DOCUMENTS.items()]
    (folder / "corpus.jsonl").write_text("\n".join(rows))
    (folder / "queries.jsonl").write_text(json.dumps({"_id": "q1", "text": "isoniazid dose"}))
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1")


@pytest.fixture
def run(
    tiny_settings: Settings, resource_for: Callable[[Settings], ClinragResource], tmp_path: Path
) -> Callable[[Path | None], dg.ExecuteInProcessResult]:
    def run(folder: Path | None) -> dg.ExecuteInProcessResult:
        settings = tiny_settings.model_copy(update={"external_benchmarks": folder})
        resources = {"clinrag": resource_for(settings)}
        return dg.materialize([external_benchmarks], resources=resources, raise_on_error=False)

    return run


def check(result: dg.ExecuteInProcessResult) -> dg.AssetCheckEvaluation:
    (evaluation,) = result.get_asset_check_evaluations()
    return evaluation


def test_a_figure_that_is_not_the_published_one_fails(run, tmp_path: Path):
    beir(tmp_path / "bench" / "scifact")
    published = check(run(tmp_path / "bench"))
    assert not published.passed
    assert "bm25 (published recipe): 1.0000, published 0.687" in (published.description or "")


def test_a_set_without_published_figures_fails(run, tmp_path: Path):
    beir(tmp_path / "bench" / "unpublished")
    published = check(run(tmp_path / "bench"))
    assert not published.passed
    assert published.description == "no published figure to compare"


@pytest.mark.parametrize("folder", [None, Path("/nowhere")])
def test_without_a_folder_it_fails_and_says_what_to_name(run, folder: Path | None):
    result = run(folder)
    assert not result.success
    (failure,) = [e for e in result.all_events if e.is_step_failure]
    error = failure.step_failure_data.error.to_string()
    assert "CLINRAG_BENCH" in error or "corpus.jsonl" in error


@pytest.mark.slow
def test_scifact_comes_out_as_published(
    reference_bench: Path, tmp_path: Path, resource_for: Callable[[Settings], ClinragResource]
):
    from clinrag_core.settings import load_settings

    environ = {"CLINRAG_HOME": str(tmp_path), "CLINRAG_BENCH": str(reference_bench / "scifact")}
    settings = load_settings("sample", environ)
    result = dg.materialize([external_benchmarks], resources={"clinrag": resource_for(settings)})
    assert check(result).passed
