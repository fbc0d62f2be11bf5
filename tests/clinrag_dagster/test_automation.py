"""Schedules, sensors and automation conditions that start runs, and the alerts they raise."""

import datetime as dt
import json
from collections.abc import Callable

import dagster as dg
import httpx
import pytest

from clinrag_core.settings import Settings
from clinrag_core.workspace import Workspace
from clinrag_dagster.alerts import WEBHOOK, Alert, FailedCheck, raise_alert
from clinrag_dagster.defs.documents.schedules import monthly_guidelines, weekly_labels
from clinrag_dagster.defs.documents.sensors import drop_folder
from clinrag_dagster.defs.release.automation import follows_its_sources
from clinrag_dagster.defs.release.schedules import weekly_user_documents
from clinrag_dagster.defs.release.sensors import (
    alert_of,
    documents_done,
    failed_runs,
    successful_runs_with_failed_checks,
)
from clinrag_dagster.partitions import RANGE_END_TAG, RANGE_START_TAG
from clinrag_dagster.resources import ClinragResource

MONDAY = dt.datetime(2026, 11, 23, 3, tzinfo=dt.UTC)


def test_the_schedules_request_every_partition_and_retire_those_not_in_the_manifest(
    tiny_settings: Settings, resource_for: Callable[[Settings], ClinragResource]
):
    clinrag = resource_for(tiny_settings)
    with dg.instance_for_test() as instance:  # a schedule context wants one that can be stored
        instance.add_dynamic_partitions("drug", ["old-drug"])
        with dg.build_schedule_context(
            instance=instance, resources={"clinrag": clinrag}, scheduled_execution_time=MONDAY
        ) as context:
            labels = weekly_labels(context)
            guidelines = monthly_guidelines(context)
            again = weekly_labels(context)
            maintenance = weekly_user_documents(context)
        assert (labels.tags[RANGE_START_TAG], labels.tags[RANGE_END_TAG]) == (
            "isoniazid",
            "pyrazinamide",
        )
        assert guidelines.tags[RANGE_START_TAG] == "tb-care"
        assert "old-drug" not in instance.get_dynamic_partitions("drug")
        assert again.run_key == labels.run_key == "labels-2026-11-23T03:00"
        assert maintenance.run_key is not None


def test_a_tick_while_the_last_run_is_in_progress_starts_nothing(
    tiny_settings: Settings, resource_for: Callable[[Settings], ClinragResource]
):
    clinrag = resource_for(tiny_settings)
    with dg.instance_for_test() as instance:
        instance.add_run(
            dg.DagsterRun(job_name="label_documents", status=dg.DagsterRunStatus.STARTED)
        )
        with dg.build_schedule_context(
            instance=instance, resources={"clinrag": clinrag}, scheduled_execution_time=MONDAY
        ) as context:
            assert "in progress" in weekly_labels(context).skip_message
            assert isinstance(monthly_guidelines(context), dg.RunRequest)


def test_a_dropped_file_starts_one_run_of_its_guideline_per_content(
    tiny_settings: Settings, resource_for: Callable[[Settings], ClinragResource]
):
    clinrag = resource_for(tiny_settings)
    drop = tiny_settings.home / "drop"
    with dg.DagsterInstance.ephemeral() as instance:
        context = dg.build_sensor_context(
            instance=instance,
            resources={"clinrag": clinrag},
        )
        assert drop_folder(context).skip_message == "the drop folder is empty"
        drop.mkdir(parents=True)
        (drop / "tb-care.txt").write_text("Isoniazid.")
        (drop / "unknown.pdf").write_text("?")
        (request,) = drop_folder(context).run_requests
        assert request.partition_key == "tb-care"
        (again,) = drop_folder(context).run_requests
        assert again.run_key == request.run_key
        (drop / "tb-care.txt").write_text("Rifampin.")
        (changed,) = drop_folder(context).run_requests
        assert changed.run_key != request.run_key


@dg.asset
def quiet_asset() -> None: ...


@dg.asset(check_specs=[dg.AssetCheckSpec("warns", asset="warned_asset")])
def warned_asset() -> dg.MaterializeResult:
    result = dg.AssetCheckResult(
        check_name="warns",
        passed=False,
        severity=dg.AssetCheckSeverity.WARN,
        description="two files in quarantine",
    )
    return dg.MaterializeResult(check_results=[result])


@dg.asset
def failing_asset() -> None:
    raise dg.Failure("the disk is full", allow_retries=False)


def finished(instance: dg.DagsterInstance, asset: dg.AssetsDefinition, *, failed: bool = False):
    """The context a status sensor gets after a run of an asset."""
    result = dg.materialize([asset], instance=instance, raise_on_error=False)
    run = instance.get_run_by_id(result.run_id)
    assert run is not None
    event = result.get_run_failure_event() if failed else result.get_run_success_event()
    return dg.build_run_status_sensor_context(
        sensor_name="s", dagster_event=event, dagster_instance=instance, dagster_run=run
    )


def test_a_green_run_with_a_failed_check_raises_an_alert_and_a_clean_one_does_not():
    with dg.DagsterInstance.ephemeral() as instance:
        assert alert_of(finished(instance, quiet_asset), run_failed=False) is None
        alert = alert_of(finished(instance, warned_asset), run_failed=False)
        assert alert is not None
        assert [(c.check, c.severity) for c in alert.failed_checks] == [("warns", "WARN")]


def test_the_alert_of_a_failed_run_gives_its_reason(
    tiny_settings: Settings, resource_for: Callable[[Settings], ClinragResource]
):
    with dg.DagsterInstance.ephemeral() as instance:
        context = finished(instance, failing_asset, failed=True)
        failed_runs(context.for_run_failure(), clinrag=resource_for(tiny_settings))
        (file,) = Workspace(tiny_settings.home).alerts.glob("*.json")
        alert = json.loads(file.read_text())
        assert alert["run_failed"]
        assert "the disk is full" in alert["reasons"][0]


@pytest.mark.parametrize("sensor", [failed_runs, successful_runs_with_failed_checks])
def test_runs_of_any_kind_raise_the_alert(
    sensor: dg.SensorDefinition,
    tiny_settings: Settings,
    resource_for: Callable[[Settings], ClinragResource],
):
    """A Materialize button or a backfill runs a job that Dagster names by itself."""
    failed = sensor is failed_runs
    asset = failing_asset if failed else warned_asset
    with dg.instance_for_test() as instance:

        def tick(cursor: str | None) -> str | None:
            with dg.build_sensor_context(
                instance=instance,
                cursor=cursor,
                resources={"clinrag": resource_for(tiny_settings)},
                definitions=dg.Definitions(),
            ) as context:
                return sensor.evaluate_tick(context).cursor

        cursor = tick(None)
        job = dg.Definitions(assets=[asset]).resolve_implicit_global_asset_job_def()
        job.execute_in_process(instance=instance, raise_on_error=False)
        tick(cursor)
        (file,) = Workspace(tiny_settings.home).alerts.glob("*.json")
        alert = json.loads(file.read_text())
        assert (alert["job"], alert["run_failed"]) == (job.name, failed)


ALERT = Alert(
    run="r1",
    job="build_release",
    time=MONDAY,
    run_failed=False,
    reasons=(),
    failed_checks=(FailedCheck(asset="a", check="c", severity="WARN", description="d"),),
)


def test_the_webhook_is_called_once_and_its_failure_loses_nothing(
    tmp_path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    monkeypatch.setenv(WEBHOOK, "https://example.org/secret-token")
    posted: list[str] = []

    def post(address: str, alert: Alert) -> None:
        posted.append(address)
        raise httpx.ConnectError("no route")

    workspace = Workspace(tmp_path)
    assert raise_alert(workspace, ALERT, post)
    assert not raise_alert(workspace, ALERT, post)
    assert posted == ["https://example.org/secret-token"]
    assert (workspace.alerts / "r1.json").is_file()
    assert "secret-token" not in caplog.text


def test_without_a_webhook_nothing_is_sent(tmp_path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(WEBHOOK, raising=False)

    def never(address: str, alert: Alert) -> None:
        raise AssertionError("nothing may be sent")

    assert raise_alert(Workspace(tmp_path), ALERT, never)


def test_a_release_run_that_is_queued_is_not_requested_again():
    with dg.instance_for_test() as instance:
        context = finished(instance, quiet_asset)
        assert isinstance(documents_done(context), dg.RunRequest)
        instance.add_run(
            dg.DagsterRun(job_name="build_release", status=dg.DagsterRunStatus.NOT_STARTED)
        )
        assert isinstance(documents_done(context), dg.SkipReason)


def test_alerts_are_on_by_default():
    for sensor in (failed_runs, successful_runs_with_failed_checks):
        assert sensor.default_status == dg.DefaultSensorStatus.RUNNING


class Upstream:
    """A source whose data and blocking check a test decides."""

    def __init__(self) -> None:
        self.version, self.sound = "1", True

        @dg.asset(check_specs=[dg.AssetCheckSpec("sound", asset="source", blocking=True)])
        def source() -> dg.MaterializeResult:
            check = dg.AssetCheckResult(check_name="sound", passed=self.sound)
            return dg.MaterializeResult(
                data_version=dg.DataVersion(self.version), check_results=[check]
            )

        @dg.asset(deps=[source], automation_condition=follows_its_sources())
        def follower() -> None: ...

        self.assets = [source, follower]


def test_a_change_behind_a_failed_check_waits_and_is_not_lost():
    """`AutomationCondition.eager` starts a run despite the failed check; an edge alone is lost."""
    upstream = Upstream()
    defs = dg.Definitions(assets=upstream.assets)
    with dg.DagsterInstance.ephemeral() as instance:
        cursor = None
        asked: list[int] = []

        def tick() -> None:
            nonlocal cursor
            result = dg.evaluate_automation_conditions(defs=defs, instance=instance, cursor=cursor)
            cursor = result.cursor
            asked.append(result.total_requested)

        def make(name: str) -> None:
            dg.materialize(
                upstream.assets, selection=[name], instance=instance, raise_on_error=False
            )

        dg.materialize(upstream.assets, instance=instance)
        tick()  # first sight of what is there
        make("source")
        tick()  # made again, same data
        upstream.version, upstream.sound = "2", False
        make("source")
        tick()  # new data, unsound
        tick()
        upstream.sound = True
        make("source")
        tick()  # sound now
        assert asked == [0, 0, 0, 0, 1]


def test_a_server_that_is_down_is_retried_and_a_full_disk_is_not(
    chain, monkeypatch: pytest.MonkeyPatch
):
    from clinrag_core.acquire.records import Acquired, AcquireFailure
    from clinrag_core.errors import FetchError
    from clinrag_core.pipeline.partition import Partition
    from clinrag_core.pipeline.pipeline import Pipeline
    from clinrag_dagster.defs.documents import assets as documents
    from clinrag_dagster.runs import ChainFailedError

    asked: list[str] = []

    def down(self: Pipeline, kind: str, key: str) -> Acquired:
        asked.append(key)
        return Acquired((), (AcquireFailure(key, FetchError("HTTP 503", transient=True)),))

    monkeypatch.setattr(documents, "RETRY_AFTER_S", 0.0)
    with monkeypatch.context() as patch:
        patch.setattr(Pipeline, "acquire", down)
        with pytest.raises(ChainFailedError, match="could be fetched now"):
            chain.run()
    assert asked.count("tb-care") == 1 + documents.RETRIES
    written: list[str] = []

    def full(self: Partition, *_: object) -> None:
        written.append(self.key)
        raise OSError("no space left on device")

    monkeypatch.setattr(Partition, "record_acquired", full)
    with pytest.raises(ChainFailedError, match="no space left"):
        chain.run()
    assert len(written) == 1
