"""The executors of Dagster's steps: each file has the form its executor wants, each step exists."""

import sys
import tomllib
from pathlib import Path

import dagster as dg
import pytest

from clinrag_core.errors import ConfigurationError
from clinrag_core.settings import ExecutorSettings, load_settings
from clinrag_dagster.definitions import build_defs
from clinrag_dagster.executors import STEP_EXECUTORS, step_executor

FILES = Path(__file__).resolve().parents[2] / "deploy" / "executors"


def chosen(name: str, file: Path) -> dg.ExecutorDefinition:
    pytest.importorskip(
        STEP_EXECUTORS[name].module,
        reason=f"{STEP_EXECUTORS[name].distribution} is not installed",
    )
    return step_executor(ExecutorSettings(steps=name, steps_file=file))


def test_there_is_a_file_for_each_executor():
    assert {file.stem for file in FILES.glob("*.toml")} == set(STEP_EXECUTORS)


@pytest.mark.parametrize("name", STEP_EXECUTORS)
def test_dagster_takes_the_shipped_file(name: str):
    executor = chosen(name, FILES / f"{name}.toml")
    defs = build_defs(load_settings("sample", {}), executor=executor)
    job = defs.resolve_job_def("label_documents")
    assert job.executor_def is executor
    dg.validate_run_config(job)


@pytest.mark.parametrize("name", STEP_EXECUTORS)
def test_a_misspelt_field_is_refused_with_the_file(name: str, tmp_path: Path):
    file = tmp_path / "executor.toml"
    file.write_text("no_such_field = 1\n")
    with pytest.raises(ConfigurationError, match=r"executor\.toml.*no_such_field"):
        chosen(name, file)


def test_the_steps_that_get_a_gpu_exist():
    config = tomllib.loads((FILES / "k8s.toml").read_text())
    graph = build_defs(load_settings("sample", {})).resolve_asset_graph()
    steps = {key.path[-1] for key in graph.get_all_asset_keys()}
    assert set(config["per_step_k8s_config"]) <= steps


def test_a_missing_file_is_an_error(tmp_path: Path):
    with pytest.raises(ConfigurationError, match=r"absent\.toml"):
        chosen("docker", tmp_path / "absent.toml")


def test_an_executor_that_is_not_installed_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "dagster_k8s", None)
    with pytest.raises(ConfigurationError, match="pip install dagster-k8s"):
        step_executor(ExecutorSettings(steps="k8s"))


def test_steps_run_in_their_run_unless_a_profile_says_otherwise():
    assert step_executor(ExecutorSettings()) is dg.in_process_executor
