"""Runs of jobs in this process, recorded as runs of the code location.

A run that `execute_in_process` makes belongs to no code location, so the timeline, the job pages
and re-execution of the UI do not know it. Runs started here carry the same origin as those of the
webserver and the daemon.
"""

import re
from collections.abc import Mapping

import dagster as dg
from dagster._core.definitions.job_base import InMemoryJob
from dagster._core.definitions.repository_definition.valid_definitions import (
    SINGLETON_REPOSITORY_NAME,
)
from dagster._core.execution.api import execute_run
from dagster._core.execution.job_execution_result import JobExecutionResult
from dagster._core.remote_origin import RemoteJobOrigin, RemoteRepositoryOrigin
from dagster._core.workspace.load_target import ModuleTarget

import clinrag_core.errors
from clinrag_core.errors import ClinragError

LOCATION = "clinrag"
"""Name of the code location in `workspace.yaml` and `[tool.dg.project]`."""
RUNNER_TAG = "clinrag/runner"
MAKE_RUN = {RUNNER_TAG: "make-run"}
"""Tags of the runs that `make run` starts under its lock."""
CLINRAG_ERRORS = {name for name in vars(clinrag_core.errors) if name.endswith("Error")}
CLASS_NAME = re.compile(r"^[\w.]+: ")
QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


class ChainFailedError(ClinragError):
    """A run of the chain failed; what was released before is still served."""


def job_origin(job: str) -> RemoteJobOrigin:
    """Return the origin that the webserver gives runs of a job of this code location."""
    target = ModuleTarget(
        module_name="clinrag_dagster.definitions",
        attribute=None,
        working_directory=None,
        location_name=LOCATION,
    )
    (location,) = target.create_origins()
    return RemoteRepositoryOrigin(location, SINGLETON_REPOSITORY_NAME).get_job_origin(job)


def execute(
    defs: dg.Definitions,
    instance: dg.DagsterInstance,
    job: str,
    tags: Mapping[str, str],
    config: Mapping[str, object] | None = None,
) -> str:
    """Run a job in this process and return the run's id.

    Raises:
        ChainFailedError: a step failed or a check of severity ERROR did; names each.
    """
    definition = defs.resolve_job_def(job)
    run = instance.create_run_for_job(
        definition,
        run_config={**QUIET, **(config or {})},
        tags={**definition.run_tags, **tags},
        remote_job_origin=job_origin(job),
    )
    result = execute_run(InMemoryJob(definition), run, instance)
    if reasons := failure_reasons(result):
        raise ChainFailedError(f"{job} stopped: " + "; ".join(reasons))
    return run.run_id


def failure_reasons(result: JobExecutionResult) -> list[str]:
    """Return why a run failed: its failed checks of severity ERROR, then its failed steps."""
    failed_checks: dict[str, list[str]] = {}
    for check in result.get_asset_check_evaluations():
        if not check.passed and check.severity == dg.AssetCheckSeverity.ERROR:
            name = f"{check.asset_key.to_user_string()}: {check.check_name}"
            failed_checks.setdefault(check.description or "no reason given", []).append(name)
    reasons = [f"{', '.join(names)}: {why}" for why, names in failed_checks.items()]
    reasons += [
        f"{event.step_key}: {_first_cause(event)}"
        for event in result.all_events
        if event.is_step_failure and not _is_failed_check(event)
    ]
    return reasons or ([] if result.success else ["the run failed before its first step"])


def _is_failed_check(event: dg.DagsterEvent) -> bool:
    """True if a step failed only because of its blocking check, which gives the reason."""
    error = event.step_failure_data.error
    return error is not None and error.cls_name == "DagsterAssetCheckFailedError"


def _first_cause(event: dg.DagsterEvent) -> str:
    """Return the message of the outermost clinrag error, which says what to do, or the innermost.

    Dagster wraps the error of a step, and libraries wrap errors of other libraries.
    """
    error = event.step_failure_data.error
    while error is not None and error.cls_name not in CLINRAG_ERRORS and error.cause is not None:
        error = error.cause
    return CLASS_NAME.sub("", error.message.strip()) if error is not None else "no reason given"


def recover(instance: dg.DagsterInstance) -> list[str]:
    """End runs whose process was killed, free their pool slots, and return their ids.

    Call it only under the run lock: then every `make run` in progress is dead, and without this the
    next run would wait for ever for its pool slot.
    """
    filters = dg.RunsFilter(
        statuses=[
            dg.DagsterRunStatus.NOT_STARTED,
            dg.DagsterRunStatus.STARTED,
            dg.DagsterRunStatus.STARTING,
        ],
        tags=MAKE_RUN,
    )
    dead = [record.dagster_run for record in instance.get_run_records(filters)]
    for run in dead:
        instance.report_run_failed(run, "the process was killed")
        instance.event_log_storage.free_concurrency_slots_for_run(run.run_id)
    return [run.run_id for run in dead]
