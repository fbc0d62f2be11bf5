"""The resource of assets, schedules and sensors, over settings a test has made."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.definitions.job_base import InMemoryJob
from dagster._core.execution.api import create_execution_plan, execute_run
from dagster._core.execution.plan.state import KnownExecutionState
from dagster._core.storage.tags import RESUME_RETRY_TAG

from clinrag_core.index.release import ReleaseStore
from clinrag_core.pipeline.baselines import promote
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.settings import Settings
from clinrag_dagster.definitions import build_defs
from clinrag_dagster.defs.release.jobs import PROMOTION_JOB, RELEASE_JOB
from clinrag_dagster.partitions import sync_partitions
from clinrag_dagster.resources import ClinragResource
from clinrag_dagster.run import run_documents
from clinrag_dagster.runs import execute


class FixedResource(ClinragResource):
    """Gives the pipeline of the settings in a file; resources may only have plain values."""

    settings_file: str

    def pipeline(self) -> Pipeline:
        """A new pipeline, as a new step process would have it."""
        return Pipeline(Settings.model_validate_json(Path(self.settings_file).read_text()))


@pytest.fixture
def resource_for(tmp_path: Path) -> Callable[[Settings], ClinragResource]:
    """Makes the resource for some settings."""

    return lambda settings: fixed_resource(settings, tmp_path)


def fixed_resource(settings: Settings, folder: Path) -> ClinragResource:
    """The resource for some settings, which are kept in a folder."""
    file = folder / "settings.json"
    file.write_text(settings.model_dump_json())
    return FixedResource(settings_file=str(file))


def copy_of(instance: dg.DagsterInstance) -> dg.DagsterInstance:
    """An instance in memory with the runs, events and partitions of another one in memory."""
    copy = dg.DagsterInstance.ephemeral()
    for storage in ("run_storage", "event_log_storage"):
        source, target = getattr(instance, storage), getattr(copy, storage)
        connections = [one._held_conn.connection.driver_connection for one in (source, target)]
        connections[0].backup(connections[1])
    copy.event_log_storage._storage_id = instance.event_log_storage._storage_id
    return copy


class Chain:
    """Runs the chain as `make run` does, against an instance in memory unless one is given."""

    def __init__(
        self,
        settings: Settings,
        clinrag: ClinragResource,
        instance: dg.DagsterInstance | None = None,
    ) -> None:
        self.settings = settings
        self.clinrag = clinrag
        self.defs = build_defs(settings, clinrag)
        self.instance = instance or dg.DagsterInstance.ephemeral()
        self.store = ReleaseStore(settings.home / "releases")

    def run_documents(self) -> int:
        """Process the documents that changed; returns how many partitions that were."""
        pipeline = Pipeline(self.settings)
        sync_partitions(self.instance, pipeline)
        return run_documents(self.defs, self.instance, pipeline)

    def run(self) -> int:
        """Everything; returns how many partitions were processed."""
        done = self.run_documents()
        execute(self.defs, self.instance, RELEASE_JOB, {})
        return done

    def retry_from_failure(self, parent: dg.DagsterRun | None = None) -> dg.DagsterRun:
        """What 'Re-execute from failure' of the UI does with a run, the newest unless given."""
        parent = parent or self.instance.get_runs(limit=1)[0]
        job = InMemoryJob(self.defs.resolve_job_def(parent.job_name))
        steps, known_state = KnownExecutionState.build_resume_retry_reexecution(
            self.instance, parent
        )
        plan = create_execution_plan(
            job, step_keys_to_execute=list(steps), known_state=known_state,
            instance_ref=None, tags=parent.tags, run_config=parent.run_config,
        )  # fmt: skip
        run = self.instance.create_run_for_job(
            job.get_definition(),
            execution_plan=plan,
            run_config=parent.run_config,
            tags={RESUME_RETRY_TAG: "true"},
            root_run_id=parent.root_run_id or parent.run_id,
            parent_run_id=parent.run_id,
            remote_job_origin=parent.remote_job_origin,
        )
        execute_run(job, run, self.instance)
        done = self.instance.get_run_by_id(run.run_id)
        assert done is not None
        return done

    def promote(self, **config: object) -> None:
        """Accept the newest evaluation as the baseline."""
        given = {"author": "a test", "reason": "to measure others by", **config}
        ops = {"ops": {"accepted_baseline": {"config": given}}}
        execute(self.defs, self.instance, PROMOTION_JOB, {}, ops)

    def materialized(self, asset: str) -> dict[str, object]:
        """Metadata of the newest materialization of an asset."""
        event = self.instance.get_latest_materialization_event(dg.AssetKey(asset))
        assert event is not None
        assert event.asset_materialization is not None
        return {k: v.value for k, v in event.asset_materialization.metadata.items()}


@pytest.fixture(scope="session")
def make_chain() -> type[Chain]:
    """Makes the chain over a profile."""
    return Chain


@pytest.fixture
def unaccepted_chain(
    tiny_settings: Settings, resource_for: Callable[[Settings], ClinragResource]
) -> Iterator[Chain]:
    """The chain over the tiny corpus, nothing accepted yet."""
    chain = Chain(tiny_settings, resource_for(tiny_settings))
    yield chain
    chain.instance.dispose()


@pytest.fixture
def chain(unaccepted_chain, tiny_baseline: Path) -> Chain:
    """The chain over the tiny corpus, whose first evaluation has been accepted."""
    shutil.copytree(tiny_baseline, unaccepted_chain.settings.home / "baselines")
    return unaccepted_chain


@pytest.fixture(scope="session")
def first_run(make_tiny_settings, tmp_path_factory) -> Callable[[Path | None], Chain]:
    """Runs the chain over the tiny corpus once for all tests, with a baseline or without."""
    done: dict[Path | None, Chain] = {}

    def run(baselines: Path | None) -> Chain:
        if baselines not in done:
            folder = tmp_path_factory.mktemp("first-run")
            _, settings = make_tiny_settings(folder)
            if baselines is not None:
                shutil.copytree(baselines, settings.home / "baselines")
            chain = Chain(settings, fixed_resource(settings, folder))
            assert chain.run() == 4
            done[baselines] = chain
        return done[baselines]

    return run


@pytest.fixture(scope="session")
def tiny_baseline(first_run, tmp_path_factory) -> Path:
    """Folder with the accepted baseline of the tiny corpus as it is at first."""
    settings: Settings = first_run(None).settings
    home = shutil.copytree(settings.home, tmp_path_factory.mktemp("accepted") / "home")
    pipeline = Pipeline(settings.model_copy(update={"home": home}))
    promote(pipeline, author="a test", reason="to measure others by")
    return pipeline.workspace.baselines


@pytest.fixture
def continue_after(
    tiny_settings: Settings, tmp_path: Path, first_run
) -> Iterator[Callable[[Path | None], Chain]]:
    """Makes a copy of the chain after its first run, which a test may go on with or damage."""
    made: list[Chain] = []

    def go_on(baselines: Path | None) -> Chain:
        before = first_run(baselines)
        shutil.copytree(before.settings.home, tiny_settings.home)
        instance = copy_of(before.instance)
        made.append(Chain(tiny_settings, fixed_resource(tiny_settings, tmp_path), instance))
        return made[0]

    yield go_on
    for chain in made:
        chain.instance.dispose()


@pytest.fixture
def released_chain(continue_after, tiny_baseline: Path) -> Chain:
    """The chain after its first run, measured by an accepted baseline."""
    return continue_after(tiny_baseline)


@pytest.fixture
def unreviewed_chain(continue_after) -> Chain:
    """The chain after its first run, of which nothing was accepted."""
    return continue_after(None)
