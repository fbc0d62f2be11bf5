"""When documents are asked for again: labels weekly, guidelines monthly.

A tick first makes the partitions those of the manifest. The release job follows a document job by
itself (see `sensors`).
"""

from collections.abc import Iterator

import dagster as dg

from clinrag_core.model import DocumentKind
from clinrag_dagster.jobs import DOCUMENT_JOBS, guideline_documents, label_documents
from clinrag_dagster.partitions import RANGE_END_TAG, RANGE_START_TAG, sync_partitions
from clinrag_dagster.resources import ClinragResource


def range_request(
    kind: DocumentKind, start: str, end: str, run_key: str | None = None
) -> dg.RunRequest:
    """A run of a kind's documents over a range of partitions, both ends included."""
    return dg.RunRequest(
        run_key=run_key,
        job_name=DOCUMENT_JOBS[kind],
        tags={RANGE_START_TAG: start, RANGE_END_TAG: end},
    )


def _requests(
    context: dg.ScheduleEvaluationContext, clinrag: ClinragResource, kind: DocumentKind
) -> Iterator[dg.RunRequest | dg.SkipReason]:
    pipeline = clinrag.pipeline()
    sync_partitions(context.instance, pipeline)
    keys = pipeline.keys(kind)
    if not keys:
        yield dg.SkipReason(f"the corpus has no {kind}s")
        return
    name = "guideline" if kind == "guideline" else "drug"
    stored = context.instance.get_dynamic_partitions(name)
    yield range_request(kind, stored[0], stored[-1])


@dg.schedule(cron_schedule="0 3 * * 1", job=label_documents, execution_timezone="UTC")
def weekly_labels(
    context: dg.ScheduleEvaluationContext, clinrag: ClinragResource
) -> Iterator[dg.RunRequest | dg.SkipReason]:
    """Mondays at 03:00 UTC: ask for every label again; unchanged ones cost a request each."""
    yield from _requests(context, clinrag, "label")


@dg.schedule(cron_schedule="0 4 1 * *", job=guideline_documents, execution_timezone="UTC")
def monthly_guidelines(
    context: dg.ScheduleEvaluationContext, clinrag: ClinragResource
) -> Iterator[dg.RunRequest | dg.SkipReason]:
    """The first of the month at 04:00 UTC: ask for every guideline again."""
    yield from _requests(context, clinrag, "guideline")


SCHEDULES = [weekly_labels, monthly_guidelines]
