"""Alerts about failed runs and checks: a file per run under `alerts/`, and a webhook if one is set.

Dagster marks a run green whose checks only warned, so failed checks of any severity are reported.
Only names, counts and reasons are written, never a question.
"""

import datetime as dt
import logging
import os
from collections.abc import Callable, Sequence

import dagster as dg
import httpx
from tenacity import retry, retry_if_exception_type, stop_after_attempt, wait_exponential

from clinrag_core.model.base import Record
from clinrag_core.workspace import Workspace, write_json

logger = logging.getLogger(__name__)
WEBHOOK = "CLINRAG_ALERT_WEBHOOK"
TIMEOUT_S = 10.0  # a webhook that hangs must not hold up the sensor


class FailedCheck(Record):
    """A check that did not pass."""

    asset: str
    check: str
    severity: str
    description: str | None


class Alert(Record):
    """One run that needs attention."""

    run: str
    job: str
    time: dt.datetime
    run_failed: bool
    reasons: tuple[str, ...]
    failed_checks: tuple[FailedCheck, ...]


def failed_checks(instance: dg.DagsterInstance, run_id: str) -> list[FailedCheck]:
    """Return the checks that did not pass in a run, in the order they were evaluated."""
    kind = dg.DagsterEventType.ASSET_CHECK_EVALUATION
    failed: list[FailedCheck] = []
    for record in instance.get_records_for_run(run_id, of_type=kind).records:
        event = record.event_log_entry.dagster_event
        if event is None or event.asset_check_evaluation_data.passed:
            continue
        check = event.asset_check_evaluation_data
        failed.append(
            FailedCheck(
                asset=check.asset_key.to_user_string(),
                check=check.check_name,
                severity=check.severity.value,
                description=check.description,
            )
        )
    return failed


def failed_steps(instance: dg.DagsterInstance, run_id: str) -> list[str]:
    """Return the steps that failed in a run, each with its error."""
    kind = dg.DagsterEventType.STEP_FAILURE
    reasons: list[str] = []
    for record in instance.get_records_for_run(run_id, of_type=kind).records:
        event = record.event_log_entry.dagster_event
        if event is not None:
            error = event.step_failure_data.error
            reasons.append(f"{event.step_key}: {error.message.strip() if error else 'no reason'}")
    return reasons


def raise_alert(workspace: Workspace, alert: Alert, post: Callable[[str, Alert], None]) -> bool:
    """Write an alert and post it to the webhook, once per run; returns whether it was new.

    Args:
        workspace: whose `alerts` folder.
        alert: what happened.
        post: sends an alert to an address; a failure of it is logged, the file stays.
    """
    path = workspace.alerts / f"{alert.run}.json"
    if path.exists():
        return False
    write_json(path, alert.model_dump(mode="json"))
    if address := os.environ.get(WEBHOOK):
        try:
            post(address, alert)
        except httpx.HTTPError as error:
            # The address may contain a secret, so it is not logged.
            logger.warning("the alert webhook failed: %s", type(error).__name__)
    return True


@retry(
    retry=retry_if_exception_type(httpx.TransportError),
    stop=stop_after_attempt(3),
    wait=wait_exponential(max=5),
    reraise=True,
)
def post_json(address: str, alert: Alert) -> None:
    """Send an alert as JSON.

    Raises:
        httpx.HTTPError: the webhook did not accept it.
    """
    body = {"text": one_line(alert), **alert.model_dump(mode="json")}
    httpx.post(address, json=body, timeout=TIMEOUT_S).raise_for_status()


def one_line(alert: Alert) -> str:
    """Return an alert in one line, as chat programs show it."""
    what = "failed" if alert.run_failed else "ended with failed checks"
    names: Sequence[str] = [f"{c.asset}: {c.check}" for c in alert.failed_checks] or alert.reasons
    return f"clinrag: {alert.job} {what}: {'; '.join(names) or 'no reason given'}"
