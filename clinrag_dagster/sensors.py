"""What starts runs besides the clock, and what tells people when one went wrong.

Every request carries a key, so that asking twice starts nothing twice.
"""

import datetime as dt
import hashlib

import dagster as dg

from clinrag_dagster.alerts import Alert, failed_checks, failed_steps, post_json, raise_alert
from clinrag_dagster.jobs import JOBS, RELEASE_JOB, build_release, guideline_documents
from clinrag_dagster.jobs import label_documents as label_documents_job
from clinrag_dagster.partitions import sync_partitions
from clinrag_dagster.resources import ClinragResource

MAX_DROPPED_BYTES = 512 * 2**20
WAITING = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
]


@dg.sensor(
    job=guideline_documents,
    minimum_interval_seconds=60,
    description="A guideline file put into the drop folder is taken in under its guideline's id.",
)
def drop_folder(
    context: dg.SensorEvaluationContext, clinrag: ClinragResource
) -> dg.SensorResult | dg.SkipReason:
    """One run per new or changed file whose name is a guideline's id; others are named."""
    pipeline = clinrag.pipeline()
    folder = pipeline.workspace.drop
    files = sorted(p for p in folder.iterdir() if p.is_file()) if folder.is_dir() else []
    files = [file for file in files if not file.name.startswith(".")]
    if not files:
        return dg.SkipReason("the drop folder is empty")
    sync_partitions(context.instance, pipeline)
    known = set(pipeline.keys("guideline"))
    requests: list[dg.RunRequest] = []
    for file in files:
        if file.stem not in known:
            context.log.warning("drop folder: %s is not named after a guideline id", file.name)
            continue
        if file.stat().st_size > MAX_DROPPED_BYTES:
            context.log.warning("drop folder: %s is over %d bytes", file.name, MAX_DROPPED_BYTES)
            continue
        with file.open("rb") as opened:
            sha256 = hashlib.file_digest(opened, "sha256").hexdigest()
        # Key and content: the same file asks once, a new version of it asks again.
        requests.append(dg.RunRequest(run_key=f"{file.stem}:{sha256}", partition_key=file.stem))
    if not requests:
        return dg.SkipReason("no file in the drop folder is named after a guideline id")
    return dg.SensorResult(run_requests=requests)


@dg.run_status_sensor(
    run_status=dg.DagsterRunStatus.SUCCESS,
    monitored_jobs=[guideline_documents, label_documents_job],
    request_job=build_release,
    minimum_interval_seconds=60,
    description="Documents taken in are indexed, evaluated and, if checks pass, released.",
)
def documents_done(context: dg.RunStatusSensorContext) -> dg.RunRequest | dg.SkipReason:
    """One release run per finished document run, unless one is waiting that will see it all."""
    waiting = dg.RunsFilter(job_name=RELEASE_JOB, statuses=WAITING)
    if context.instance.get_runs_count(waiting):
        return dg.SkipReason("a release run is waiting already")
    return dg.RunRequest(run_key=f"release-after-{context.dagster_run.run_id}")


def alert_of(context: dg.RunStatusSensorContext, *, run_failed: bool) -> Alert | None:
    """What is to be told of a finished run; None where there is nothing."""
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


def _tell(
    context: dg.RunStatusSensorContext, clinrag: ClinragResource, *, run_failed: bool
) -> dg.SkipReason:
    alert = alert_of(context, run_failed=run_failed)
    if alert is None:
        return dg.SkipReason("every check passed")
    raise_alert(clinrag.pipeline().workspace, alert, post_json)
    return dg.SkipReason(f"alert written for run {alert.run}")


@dg.run_status_sensor(
    run_status=dg.DagsterRunStatus.FAILURE,
    monitored_jobs=JOBS,
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="A failed run writes an alert and tells the webhook.",
)
def failed_runs(context: dg.RunStatusSensorContext, clinrag: ClinragResource) -> dg.SkipReason:
    """One alert per failed run, with the checks and steps that failed."""
    return _tell(context, clinrag, run_failed=True)


@dg.run_status_sensor(
    run_status=dg.DagsterRunStatus.SUCCESS,
    monitored_jobs=JOBS,
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="A run that is green although a check failed writes an alert.",
)
def green_runs_with_failed_checks(
    context: dg.RunStatusSensorContext, clinrag: ClinragResource
) -> dg.SkipReason:
    """One alert per run with failed checks: those that only warn leave it green."""
    return _tell(context, clinrag, run_failed=False)


SENSORS = [drop_folder, documents_done, failed_runs, green_runs_with_failed_checks]
"""All but the automation sensor, which is in `automation`."""
