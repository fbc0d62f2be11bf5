"""What starts runs besides the clock: files in the drop folder, and finished document jobs."""

import hashlib

import dagster as dg

from clinrag_dagster.jobs import build_release, guideline_documents, label_documents
from clinrag_dagster.partitions import sync_partitions
from clinrag_dagster.resources import ClinragResource


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
        with file.open("rb") as opened:
            sha256 = hashlib.file_digest(opened, "sha256").hexdigest()
        # Key and content: the same file asks once, a new version of it asks again.
        requests.append(dg.RunRequest(run_key=f"{file.stem}:{sha256}", partition_key=file.stem))
    if not requests:
        return dg.SkipReason("no file in the drop folder is named after a guideline id")
    return dg.SensorResult(run_requests=requests)


@dg.run_status_sensor(
    run_status=dg.DagsterRunStatus.SUCCESS,
    monitored_jobs=[guideline_documents, label_documents],
    request_job=build_release,
    minimum_interval_seconds=60,
    description="Documents taken in are indexed, evaluated and, if checks pass, released.",
)
def documents_done(context: dg.RunStatusSensorContext) -> dg.RunRequest:
    """One release run per finished document run; one that changes nothing costs seconds."""
    return dg.RunRequest(run_key=f"release-after-{context.dagster_run.run_id}")


SENSORS = [drop_folder, documents_done]
