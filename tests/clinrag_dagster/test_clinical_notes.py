"""Notes of a folder as an asset: a note that fails fails the check, and metadata names nobody."""

from collections.abc import Callable
from pathlib import Path

import dagster as dg
import pytest

from clinrag_core.settings import NoteSettings, Settings
from clinrag_dagster.defs.evaluation.clinical_notes import notes_report
from clinrag_dagster.resources import ClinragResource

NOTE = "HPI: Mrs. Wilhelmina Strand has a cough.\nPlan: review in 2 weeks\n"


@pytest.fixture
def run(
    tiny_settings: Settings, resource_for: Callable[[Settings], ClinragResource]
) -> Callable[[Path | None], dg.ExecuteInProcessResult]:
    def run(folder: Path | None) -> dg.ExecuteInProcessResult:
        chosen = tiny_settings.model_copy(update={"notes": NoteSettings(folder=folder)})
        resources = {"clinrag": resource_for(chosen)}
        return dg.materialize([notes_report], resources=resources, raise_on_error=False)

    return run


def check(result: dg.ExecuteInProcessResult) -> dg.AssetCheckEvaluation:
    (evaluation,) = result.get_asset_check_evaluations()
    return evaluation


def test_notes_that_are_cited_pass_and_are_not_named(run, tmp_path: Path):
    (tmp_path / "strand.txt").write_text(NOTE)
    result = run(tmp_path)
    assert check(result).passed
    events = "".join(str(event) for event in result.all_events)
    for word in ("Wilhelmina", "Strand", "strand.txt", "cough"):
        assert word not in events


def test_a_note_that_cannot_be_read_fails_the_check(run, tmp_path: Path):
    (tmp_path / "a.txt").write_text(NOTE)
    (tmp_path / "b.txt").write_text(" ")
    found = check(run(tmp_path))
    assert not found.passed
    assert "1 notes failed" in (found.description or "")


@pytest.mark.parametrize("folder", [None, Path("/nowhere")])
def test_without_a_folder_it_fails_and_says_what_to_name(run, folder: Path | None):
    result = run(folder)
    assert not result.success
    (failure,) = [e for e in result.all_events if e.is_step_failure]
    assert "folder" in str(failure.step_failure_data.user_failure_data or failure.message)
