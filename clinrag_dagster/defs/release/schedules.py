"""When users' documents are maintained (weekly) and the audit trail is anchored (daily)."""

import dagster as dg

from clinrag_dagster.defs.release.jobs import audit_job, user_documents_job


@dg.schedule(cron_schedule="0 5 * * 1", job=user_documents_job, execution_timezone="UTC")
def weekly_user_documents(context: dg.ScheduleEvaluationContext) -> dg.RunRequest:
    """Mondays at 05:00 UTC: keep users' documents searchable after an upgrade."""
    moment = context.scheduled_execution_time.strftime("%Y-%m-%dT%H:%M")
    return dg.RunRequest(run_key=f"user-documents-{moment}")


@dg.schedule(cron_schedule="30 2 * * *", job=audit_job, execution_timezone="UTC")
def daily_audit_anchor(context: dg.ScheduleEvaluationContext) -> dg.RunRequest:
    """Daily at 02:30 UTC: check the audit trail and write its anchor."""
    moment = context.scheduled_execution_time.strftime("%Y-%m-%dT%H:%M")
    return dg.RunRequest(run_key=f"audit-{moment}")
