"""`make run`: the whole chain of a profile through Dagster, in this process, with progress.

Only partitions with something to do are run; the release job then short-cuts whatever is
unchanged. Ends with the evaluation table and where to look next.
"""

import logging
import re
import sys
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

import dagster as dg
from filelock import FileLock, Timeout
from rich.console import Console

import clinrag_core.errors
from clinrag_core.errors import ClinragError
from clinrag_core.pipeline.pipeline import KINDS, Pipeline
from clinrag_core.settings import load_settings
from clinrag_dagster.build import build_defs
from clinrag_dagster.instance import open_instance
from clinrag_dagster.jobs import DOCUMENT_JOBS, RELEASE_JOB
from clinrag_dagster.partitions import (
    RANGE_END_TAG,
    RANGE_START_TAG,
    partition_name,
    ranges,
    sync_partitions,
)
from clinrag_dagster.summary import print_stopped, print_summary

RUNNER_TAG = "clinrag/runner"
CLINRAG_ERRORS = {name for name in vars(clinrag_core.errors) if name.endswith("Error")}
CLASS_NAME = re.compile(r"^[\w.]+: ")
QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


class ChainFailedError(ClinragError):
    """A run of the chain failed; what was released before is still served."""


@contextmanager
def _timed(console: Console, what: str) -> Generator[None]:
    started = time.perf_counter()
    yield
    console.print(f"[bold]{what}[/bold]: {time.perf_counter() - started:.1f} s")


def execute(
    defs: dg.Definitions,
    instance: dg.DagsterInstance,
    job: str,
    tags: dict[str, str],
    config: Mapping[str, object] | None = None,
) -> None:
    """Run a job in this process.

    Raises:
        ChainFailedError: a step failed or a check of severity ERROR did; names each.
    """
    result = defs.resolve_job_def(job).execute_in_process(
        instance=instance,
        tags={**tags, RUNNER_TAG: "make-run"},
        run_config={**QUIET, **(config or {})},
        raise_on_error=False,
    )
    failed_checks: dict[str, list[str]] = {}
    for check in result.get_asset_check_evaluations():
        if not check.passed and check.severity == dg.AssetCheckSeverity.ERROR:
            name = f"{check.asset_key.to_user_string()}: {check.check_name}"
            failed_checks.setdefault(check.description or "no reason given", []).append(name)
    reasons = [f"{', '.join(names)}: {told}" for told, names in failed_checks.items()]
    reasons += [
        f"{event.step_key}: {_first_cause(event)}"
        for event in result.all_events
        if event.is_step_failure and not _is_failed_check(event)
    ]
    if reasons or not result.success:
        raise ChainFailedError(f"{job} stopped: " + "; ".join(reasons))


def _is_failed_check(event: dg.DagsterEvent) -> bool:
    """Whether a step failed by nothing but its blocking check, which has told the reason."""
    error = event.step_failure_data.error
    return error is not None and error.cls_name == "DagsterAssetCheckFailedError"


def _first_cause(event: dg.DagsterEvent) -> str:
    """Our own error where there is one, for it says what to do; else the innermost."""
    error = event.step_failure_data.error
    while error is not None and error.cls_name not in CLINRAG_ERRORS and error.cause is not None:
        error = error.cause
    return CLASS_NAME.sub("", error.message.strip()) if error is not None else "no reason given"


@contextmanager
def _alone(home: Path) -> Generator[None]:
    """Hold the workspace's run lock, which a killed process gives back by itself."""
    home.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(home / "run.lock", timeout=0):
            yield
    except Timeout as error:
        raise ChainFailedError(f"another `make run` is at work in {home}") from error


def recover(instance: dg.DagsterInstance) -> list[str]:
    """End runs whose process was killed and give back their pool slots; returns their ids.

    Call it only under the run lock: then whatever `make run` left in progress is dead. Without
    this, the next run would wait for the slot of the dead one for ever.
    """
    filters = dg.RunsFilter(
        statuses=[dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.STARTING],
        tags={RUNNER_TAG: "make-run"},
    )
    dead = [record.dagster_run for record in instance.get_run_records(filters)]
    for run in dead:
        instance.report_run_failed(run, "the process was killed")
        instance.event_log_storage.free_concurrency_slots_for_run(run.run_id)
    return [run.run_id for run in dead]


def run_documents(defs: dg.Definitions, instance: dg.DagsterInstance, pipeline: Pipeline) -> int:
    """Run every partition that has something to do; returns how many."""
    count = 0
    for kind in KINDS:
        stale = pipeline.stale(kind)
        count += len(stale)
        stored = instance.get_dynamic_partitions(partition_name(kind))
        for start, end in ranges(stored, stale):
            tags = {RANGE_START_TAG: start, RANGE_END_TAG: end}
            execute(defs, instance, DOCUMENT_JOBS[kind], tags)
    return count


def run_chain(console: Console) -> None:
    """Everything from files to release.

    Raises:
        ClinragError: the profile or the corpus cannot be used, or a blocking check failed.
    """
    pipeline = Pipeline(load_settings())
    settings = pipeline.settings
    manifest = pipeline.manifest
    console.print(
        f"profile [bold]{settings.profile}[/bold], corpus [bold]{manifest.name}[/bold]: "
        f"{len(pipeline.keys('guideline'))} guidelines, {len(pipeline.keys('label'))} drugs"
    )
    # A missing model would otherwise show only after every file was fetched.
    console.print(f"encoder {settings.encoder.name} {pipeline.encoder_fingerprint}")
    defs = build_defs(settings)
    with (
        _alone(settings.home),
        open_instance(settings) as instance,
        _timed(console, "the whole chain"),
    ):
        if dead := recover(instance):
            console.print(f"taking up after {len(dead)} killed run(s)")
        pipeline.workspace.clean()
        changes = sync_partitions(instance, pipeline)
        for kind, keys in changes.retired.items():
            if keys:
                console.print(f"retired {kind}s: {', '.join(keys)}")
        with _timed(console, "documents"):
            done = run_documents(defs, instance, pipeline)
        if done == 0:
            console.print("no document has changed: 0 parsed")
        with _timed(console, "knowledge bases, evaluation, release"):
            try:
                execute(defs, instance, RELEASE_JOB, {})
            except ChainFailedError:
                print_stopped(pipeline, console)
                raise
    print_summary(pipeline, console)


def main() -> int:
    """Process entry: 0 when released, 1 when the chain stopped, with the reason."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=120)
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S"))
    for name in ("clinrag_core", "clinrag_dagster"):
        logger = logging.getLogger(name)
        logger.setLevel(logging.INFO)
        logger.addHandler(handler)
    try:
        run_chain(console)
    except ClinragError as error:
        console.print("stopped:", error, style="red", highlight=False, markup=False)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
