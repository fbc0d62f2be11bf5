"""When users' documents are maintained: weekly."""

import dagster as dg

from clinrag_dagster.defs.release.jobs import user_documents_job


@dg.schedule(cron_schedule="0 5 * * 1", job=user_documents_job, execution_timezone="UTC")
def weekly_user_documents(context: dg.ScheduleEvaluationContext) -> dg.RunRequest:
    """Mondays at 05:00 UTC: keep users' documents searchable after an upgrade."""
    moment = context.scheduled_execution_time.strftime("%Y-%m-%dT%H:%M")
    return dg.RunRequest(run_key=f"user-documents-{moment}")
