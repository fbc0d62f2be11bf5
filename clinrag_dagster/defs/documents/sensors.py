"""Sensor of the drop folder, into which users put guideline files."""

import hashlib

import dagster as dg

from clinrag_dagster.defs.documents.jobs import guideline_documents
from clinrag_dagster.partitions import sync_partitions
from clinrag_dagster.resources import ClinragResource

MAX_DROPPED_BYTES = 512 * 2**20
"""A larger file is not read: no guideline comes near, and hashing it would block the sensor."""


@dg.sensor(
    job=guideline_documents,
    minimum_interval_seconds=60,
    description="Processes a guideline file put into the drop folder under its guideline's id.",
)
def drop_folder(
    context: dg.SensorEvaluationContext, clinrag: ClinragResource
) -> dg.SensorResult | dg.SkipReason:
    """Return one run per new or changed file named after a guideline id; log other files."""
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
        # Key and content: the same file starts one run, a new version of it starts another.
        requests.append(dg.RunRequest(run_key=f"{file.stem}:{sha256}", partition_key=file.stem))
    if not requests:
        return dg.SkipReason("no file in the drop folder is named after a guideline id")
    return dg.SensorResult(run_requests=requests)
