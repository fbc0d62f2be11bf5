"""When documents are fetched again: labels weekly, guidelines monthly.

A tick first makes the partitions those of the manifest: new drugs get one, those of retired
drugs are removed. A tick while the previous run is in progress starts nothing, and a tick that is
evaluated twice starts one run. The release job follows a document job (see `release/sensors`).
"""

import dagster as dg

from clinrag_core.model.source import DocumentKind
from clinrag_dagster.defs.documents.jobs import (
    DOCUMENT_JOBS,
    guideline_documents,
    label_documents,
)
from clinrag_dagster.partitions import (
    partition_name,
    range_tags,
    sync_partitions,
)
from clinrag_dagster.resources import ClinragResource

IN_PROGRESS = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]


def range_request(
    kind: DocumentKind, start: str, end: str, run_key: str | None = None
) -> dg.RunRequest:
    """Return a request for a kind's documents over a range of partitions, both ends included."""
    return dg.RunRequest(run_key=run_key, job_name=DOCUMENT_JOBS[kind], tags=range_tags(start, end))


def _request(
    context: dg.ScheduleEvaluationContext, clinrag: ClinragResource, kind: DocumentKind
) -> dg.RunRequest | dg.SkipReason:
    """Return a run over all partitions of a kind, or why none is started now."""
    busy = dg.RunsFilter(job_name=DOCUMENT_JOBS[kind], statuses=IN_PROGRESS)
    if context.instance.get_runs_count(busy):
        return dg.SkipReason(f"a run of {DOCUMENT_JOBS[kind]} is in progress")
    pipeline = clinrag.pipeline()
    sync_partitions(context.instance, pipeline)
    stored = context.instance.get_dynamic_partitions(partition_name(kind))
    if not stored:
        return dg.SkipReason(f"the corpus has no {kind}s")
    moment = context.scheduled_execution_time.strftime("%Y-%m-%dT%H:%M")
    return range_request(kind, stored[0], stored[-1], run_key=f"{kind}s-{moment}")


@dg.schedule(cron_schedule="0 3 * * 1", job=label_documents, execution_timezone="UTC")
def weekly_labels(
    context: dg.ScheduleEvaluationContext, clinrag: ClinragResource
) -> dg.RunRequest | dg.SkipReason:
    """Mondays at 03:00 UTC: check the version of every label; only changed ones are fetched."""
    return _request(context, clinrag, "label")


@dg.schedule(cron_schedule="0 4 1 * *", job=guideline_documents, execution_timezone="UTC")
def monthly_guidelines(
    context: dg.ScheduleEvaluationContext, clinrag: ClinragResource
) -> dg.RunRequest | dg.SkipReason:
    """The first of the month at 04:00 UTC: fetch every guideline that changed."""
    return _request(context, clinrag, "guideline")
