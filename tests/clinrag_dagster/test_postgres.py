"""The team's instance settings, on a real PostgreSQL."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import dagster as dg
import pytest
from fakes.postgres_server import PASSWORD, Server

from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.settings import Settings
from clinrag_dagster.definitions import build_defs
from clinrag_dagster.partitions import sync_partitions
from clinrag_dagster.resources import ClinragResource
from clinrag_dagster.run import run_documents

TEAM_YAML = Path(__file__).resolve().parents[2] / "deploy" / "team" / "dagster.yaml"


@pytest.fixture(scope="module")
def postgres() -> Iterator[Server]:
    # Not pytest's folder: the user that PostgreSQL runs as cannot read it.
    with tempfile.TemporaryDirectory(prefix="clinrag-postgres-") as folder:
        server = Server(Path(folder))
        server.start()
        yield server
        server.stop()


def _environment(server: Server) -> dict[str, str]:
    return {
        "DAGSTER_POSTGRES_HOST": "127.0.0.1",
        "DAGSTER_POSTGRES_PORT": str(server.port),
        "DAGSTER_POSTGRES_DB": "postgres",
        "DAGSTER_POSTGRES_USER": "dagster",
        "DAGSTER_POSTGRES_PASSWORD": PASSWORD,
    }


@pytest.fixture
def team_home(postgres: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `$DAGSTER_HOME` with the team's settings."""
    home = tmp_path / "dagster"
    home.mkdir()
    shutil.copyfile(TEAM_YAML, home / "dagster.yaml")
    for name, value in {**_environment(postgres), "DAGSTER_HOME": str(home)}.items():
        monkeypatch.setenv(name, value)
    return home


def test_runs_events_checks_and_partitions_are_kept_in_postgresql(
    team_home: Path, tiny_settings: Settings, resource_for: Callable[[Settings], ClinragResource]
):
    pipeline = Pipeline(tiny_settings)
    with dg.DagsterInstance.get() as instance:
        sync_partitions(instance, pipeline)
        defs = build_defs(tiny_settings, resource_for(tiny_settings))
        assert run_documents(defs, instance, pipeline) == 4

    with dg.DagsterInstance.get() as fresh:
        assert type(fresh.event_log_storage).__module__.startswith("dagster_postgres")
        statuses = {run.job_name: run.status for run in fresh.get_runs()}
        done = dg.DagsterRunStatus.SUCCESS
        assert statuses == {"guideline_documents": done, "label_documents": done}
        assert fresh.get_dynamic_partitions("drug") == ["isoniazid", "pyrazinamide"]
        chunks = dg.AssetKey("guideline_chunks")
        assert fresh.get_materialized_partitions(chunks) == {"tb-care", "tb-tests"}
        check = dg.AssetCheckKey(chunks, "chunks_sound")
        (record,) = fresh.event_log_storage.get_asset_check_execution_history(check, limit=9)
        assert record.event.dagster_event.asset_check_evaluation_data.passed
    assert not list(team_home.rglob("*.db")), "something is still kept in SQLite"


def test_two_runs_at_a_time_and_one_step_of_a_pool(team_home: Path):
    """A pool without a limit is unlimited unless there is a default limit."""
    with dg.DagsterInstance.get() as instance:
        assert instance.get_concurrency_config().run_queue_config.max_concurrent_runs == 2
        storage = instance.event_log_storage
        storage.initialize_concurrency_limit_to_default("gpu")
        first = storage.claim_concurrency_slot("gpu", "run-1", "embed")
        second = storage.claim_concurrency_slot("gpu", "run-2", "embed")
        assert (first.is_claimed, second.is_claimed) == (True, False)


def test_a_failed_step_is_not_run_again_by_the_daemon(team_home: Path):
    """If both were on, retries of the daemon and of a step would multiply."""
    with dg.DagsterInstance.get() as instance:
        assert instance.run_retries_max_retries == 1
        assert not instance.run_retries_retry_on_asset_or_op_failure
        assert instance.run_monitoring_enabled
        assert not instance.telemetry_enabled
