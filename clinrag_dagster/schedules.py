"""When documents are asked for again: labels weekly, guidelines monthly; users' own, weekly.

A tick first makes the partitions those of the manifest: new drugs get one, retired ones lose
theirs. A tick while the run before is still at work starts nothing, and one that is evaluated twice
starts one run. The release job follows a document job by itself (see `sensors`).
"""

import dagster as dg

from clinrag_core.model.source import DocumentKind
from clinrag_dagster.jobs import (
    DOCUMENT_JOBS,
    guideline_documents,
    label_documents,
    user_documents_job,
)
from clinrag_dagster.partitions import (
    RANGE_END_TAG,
    RANGE_START_TAG,
    partition_name,
    sync_partitions,
)
from clinrag_dagster.resources import ClinragResource

AT_WORK = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]


def range_request(
    kind: DocumentKind, start: str, end: str, run_key: str | None = None
) -> dg.RunRequest:
    """A run of a kind's documents over a range of partitions, both ends included."""
    return dg.RunRequest(
        run_key=run_key,
        job_name=DOCUMENT_JOBS[kind],
        tags={RANGE_START_TAG: start, RANGE_END_TAG: end},
    )


def _request(
    context: dg.ScheduleEvaluationContext, clinrag: ClinragResource, kind: DocumentKind
) -> dg.RunRequest | dg.SkipReason:
    busy = dg.RunsFilter(job_name=DOCUMENT_JOBS[kind], statuses=AT_WORK)
    if context.instance.get_runs_count(busy):
        return dg.SkipReason(f"a run of {DOCUMENT_JOBS[kind]} is still at work")
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
    """Mondays at 03:00 UTC: ask for every label's version; only changed ones are fetched."""
    return _request(context, clinrag, "label")


@dg.schedule(cron_schedule="0 4 1 * *", job=guideline_documents, execution_timezone="UTC")
def monthly_guidelines(
    context: dg.ScheduleEvaluationContext, clinrag: ClinragResource
) -> dg.RunRequest | dg.SkipReason:
    """The first of the month at 04:00 UTC: ask for every guideline again."""
    return _request(context, clinrag, "guideline")


@dg.schedule(cron_schedule="0 5 * * 1", job=user_documents_job, execution_timezone="UTC")
def weekly_user_documents(context: dg.ScheduleEvaluationContext) -> dg.RunRequest:
    """Mondays at 05:00 UTC: keep users' documents searchable after an upgrade."""
    moment = context.scheduled_execution_time.strftime("%Y-%m-%dT%H:%M")
    return dg.RunRequest(run_key=f"user-documents-{moment}")


SCHEDULES = [weekly_labels, monthly_guidelines, weekly_user_documents]
