"""The executors of Dagster's steps: each file has the form its executor wants, each step exists."""

import re
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import dagster as dg
import pytest

from clinrag_core.errors import ConfigurationError
from clinrag_core.settings import ExecutorSettings, load_settings
from clinrag_dagster.definitions import build_defs
from clinrag_dagster.executors import STEP_EXECUTORS, step_executor, with_set_variables

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
FILES = DEPLOY / "executors"
EXAMPLE = (DEPLOY / "systemd" / "clinrag.env.example").read_text()
OF_THE_SERVICE = {"CLINRAG_API_KEYS", "CLINRAG_METRICS_KEY", "CLINRAG_SERVICE__HOSTS"}
OF_COMPOSE = "---- compose.yaml only ----"


def chosen(name: str, file: Path) -> dg.ExecutorDefinition:
    pytest.importorskip(
        STEP_EXECUTORS[name].module,
        reason=f"{STEP_EXECUTORS[name].distribution} is not installed",
    )
    return step_executor(ExecutorSettings(steps=name, steps_file=file))


def loaded(name: str) -> dict[str, Any]:
    return tomllib.loads((FILES / f"{name}.toml").read_text())


def needed_by_steps() -> set[str]:
    """Every documented variable that is not of the service or of compose alone."""
    of_all = EXAMPLE.split(OF_COMPOSE)[0]
    return set(re.findall(r"^#?([A-Z_]+)=", of_all, flags=re.MULTILINE)) - OF_THE_SERVICE


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


@pytest.mark.parametrize("names", [loaded("docker")["env_vars"], loaded("ray")["ray"]["env_vars"]])
def test_a_step_gets_every_variable_that_it_may_need(names: list[str]):
    """A step that lacks one reads other settings than the run that started it."""
    assert set(names) == needed_by_steps()


def test_variables_that_are_unset_are_left_out():
    """dagster-docker ends the run over one; of CLINRAG_PROFILE and CLINRAG_CONFIG one is unset."""
    names = loaded("docker")["env_vars"]
    environ = {"CLINRAG_CONFIG": "/etc/clinrag/clinrag.toml", "CLINRAG_CORPUS": "", "PATH": "/bin"}
    given = with_set_variables({"env_vars": [*names, "A=b=c"], "image": "x"}, environ)
    assert given == {"env_vars": ["CLINRAG_CONFIG", "CLINRAG_CORPUS", "A=b=c"], "image": "x"}
    assert with_set_variables({"image": "x"}, environ) == {"image": "x"}


@pytest.mark.parametrize("name", ["CLINRAG_PROFILE", "CLINRAG_CONFIG"])
def test_an_executor_is_configured_with_the_variables_that_are_set(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    @dg.executor(name="docker", config_schema={"env_vars": [str]})
    def docker_executor(_: dg.InitExecutorContext) -> dg.Executor:
        raise NotImplementedError

    seen: list[dict[str, Any]] = []
    module = SimpleNamespace(docker_executor=docker_executor)
    monkeypatch.setitem(sys.modules, "dagster_docker", module)  # pyright: ignore[reportArgumentType] - what is imported of it is there
    monkeypatch.setattr(dg.ExecutorDefinition, "configured", lambda _, config: seen.append(config))
    for one in needed_by_steps():
        monkeypatch.delenv(one, raising=False)
    monkeypatch.setenv(name, "value")
    file = tmp_path / "docker.toml"
    file.write_text(f"env_vars = {sorted(needed_by_steps())}\n")
    step_executor(ExecutorSettings(steps="docker", steps_file=file))
    assert seen == [{"env_vars": [name]}]


def test_the_steps_that_get_a_gpu_exist():
    config = loaded("k8s")
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
