"""Where the code location runs the steps of a run: here, or each in a container or a job.

`executor.steps` names the executor and `executor.steps_file` its configuration, as in
`deploy/executors/`. Where the documents of one step are parsed and encoded is a setting of its own,
`executor.kind`. `make run` runs every step in its own process.
"""

import importlib
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import dagster as dg

from clinrag_core.errors import ConfigurationError
from clinrag_core.settings import ExecutorSettings


class StepExecutor(NamedTuple):
    """An executor of another distribution."""

    module: str
    name: str
    distribution: str


STEP_EXECUTORS = {
    "docker": StepExecutor("dagster_docker", "docker_executor", "dagster-docker"),
    "k8s": StepExecutor("dagster_k8s", "k8s_job_executor", "dagster-k8s"),
    "ray": StepExecutor("dagster_ray", "ray_executor", "dagster-ray"),
}


def step_executor(settings: ExecutorSettings) -> dg.ExecutorDefinition:
    """Return the executor of a profile, configured.

    Raises:
        ConfigurationError: its distribution is not installed, or its file is missing or does not
            have the form that the executor wants.
    """
    if settings.steps == "in_process":
        return dg.in_process_executor
    chosen = STEP_EXECUTORS[settings.steps]
    try:
        found = getattr(importlib.import_module(chosen.module), chosen.name)
    except ImportError as error:
        raise ConfigurationError(
            f"executor.steps = {settings.steps!r} needs {chosen.distribution}: "
            f"pip install {chosen.distribution}"
        ) from error
    if settings.steps_file is None:
        return found
    return found.configured(with_set_variables(_config(found, settings.steps_file), os.environ))


def with_set_variables(config: dict[str, Any], environ: Mapping[str, str]) -> dict[str, Any]:
    """Return a configuration whose `env_vars` names only variables that are set.

    dagster-docker ends the run over a name that is unset, and CLINRAG_PROFILE and CLINRAG_CONFIG
    are never set both. A step needs no variable that the run which starts it does without: both
    read the same settings and the same instance. `NAME=value` stays as it is.
    """
    if "env_vars" not in config:
        return config
    given = [one for one in config["env_vars"] if "=" in one or one in environ]
    return {**config, "env_vars": given}


def _config(executor: dg.ExecutorDefinition, file: Path) -> dict[str, Any]:
    """Return what a file says, in the form that an executor wants.

    Raises:
        ConfigurationError: it is missing, or its form is another.
    """

    @dg.op
    def nothing() -> None: ...

    @dg.job(executor_def=executor)
    def any_job() -> None:
        nothing()

    try:
        config = tomllib.loads(file.read_text(encoding="utf-8"))
        dg.validate_run_config(any_job, {"execution": {"config": config}})
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigurationError(f"executor.steps_file {file}: {error}") from error
    except dg.DagsterInvalidConfigError as error:
        reasons = "; ".join(one.message.split(". Expected")[0] for one in error.errors)
        raise ConfigurationError(f"executor.steps_file {file}: {reasons}") from error
    return config
