"""Sensors that follow runs: the release after documents, and alerts after failures."""

import datetime as dt

import dagster as dg

from clinrag_dagster.alerts import Alert, failed_checks, failed_steps, post_json, raise_alert
from clinrag_dagster.defs.documents.jobs import guideline_documents, label_documents
from clinrag_dagster.defs.release.jobs import RELEASE_JOB, build_release
from clinrag_dagster.resources import ClinragResource
from clinrag_dagster.runs import RUNNER_TAG

WAITING = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
]


@dg.run_status_sensor(
    run_status=dg.DagsterRunStatus.SUCCESS,
    monitored_jobs=[guideline_documents, label_documents],
    request_job=build_release,
    minimum_interval_seconds=60,
    description="Indexes and evaluates new documents and, if checks pass, releases them.",
)
def documents_done(context: dg.RunStatusSensorContext) -> dg.RunRequest | dg.SkipReason:
    """Return one release run per finished document run, unless one is waiting already."""
    if RUNNER_TAG in context.dagster_run.tags:
        return dg.SkipReason("`make run` starts the release itself")
    waiting = dg.RunsFilter(job_name=RELEASE_JOB, statuses=WAITING)
    if context.instance.get_runs_count(waiting):
        return dg.SkipReason("a release run is waiting already")
    return dg.RunRequest(run_key=f"release-after-{context.dagster_run.run_id}")


def alert_of(context: dg.RunStatusSensorContext, *, run_failed: bool) -> Alert | None:
    """Return the alert for a finished run; None where everything passed."""
    run, instance = context.dagster_run, context.instance
    checks = failed_checks(instance, run.run_id)
    if not run_failed and not checks:
        return None
    return Alert(
        run=run.run_id,
        job=run.job_name,
        time=dt.datetime.now(dt.UTC),
        run_failed=run_failed,
        reasons=tuple(failed_steps(instance, run.run_id)),
        failed_checks=tuple(checks),
    )


def _write(
    context: dg.RunStatusSensorContext, clinrag: ClinragResource, *, run_failed: bool
) -> dg.SkipReason:
    alert = alert_of(context, run_failed=run_failed)
    if alert is None:
        return dg.SkipReason("every check passed")
    raise_alert(clinrag.pipeline().workspace, alert, post_json)
    return dg.SkipReason(f"alert written for run {alert.run}")


# Both sensors watch every run of the instance: a failed Materialize or backfill runs in a job that
# Dagster names by itself, so a list of jobs would miss it.
@dg.run_status_sensor(
    run_status=dg.DagsterRunStatus.FAILURE,
    monitor_all_code_locations=True,
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Writes an alert for a failed run of any kind and posts it to the webhook.",
)
def failed_runs(context: dg.RunStatusSensorContext, clinrag: ClinragResource) -> dg.SkipReason:
    """Write one alert per failed run, with the checks and steps that failed."""
    return _write(context, clinrag, run_failed=True)


@dg.run_status_sensor(
    run_status=dg.DagsterRunStatus.SUCCESS,
    monitor_all_code_locations=True,
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Writes an alert for a successful run in which a check failed.",
)
def successful_runs_with_failed_checks(
    context: dg.RunStatusSensorContext, clinrag: ClinragResource
) -> dg.SkipReason:
    """Write one alert per run with failed checks: those of severity WARN leave a run green."""
    return _write(context, clinrag, run_failed=False)
