"""Weeks of label changes through the real schedule, sensors and jobs, without an operator.

New, changed, withdrawn and broken labels, a manifest that grows and shrinks, a server that is down.
"""

import datetime as dt
import random
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import dagster as dg
import numpy as np
import pytest
from fakes.daily_med import DailyMed

from clinrag_core.index.knowledge_base import KnowledgeBase
from clinrag_core.index.shard_files import SHARDS, read_shard
from clinrag_core.pipeline.candidates import candidate_directory
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.settings import Settings, data_folder
from clinrag_dagster.defs.documents import assets as documents
from clinrag_dagster.defs.documents.schedules import range_request, weekly_labels
from clinrag_dagster.defs.release.jobs import RELEASE_JOB
from clinrag_dagster.defs.release.sensors import documents_done, failed_runs
from clinrag_dagster.partitions import sync_partitions
from clinrag_dagster.runs import ChainFailedError, execute

FIRST_MONDAY = dt.datetime(2026, 1, 5, 3, tzinfo=dt.UTC)
ASKED_ABOUT = ("isoniazid", "pyrazinamide")
"""Drugs of the benchmark's questions: changed, never withdrawn."""
QUERY = """
[[label]]
drug = "{drug}"
format = "spl"
query = {{ drug_name = "{drug}", doctype = "34391-3" }}
"""


class World:
    """A corpus, its label service, and the orchestration that follows both."""

    def __init__(self, chain, corpus, service: DailyMed, instance: dg.DagsterInstance) -> None:
        self.chain, self.corpus, self.service = chain, corpus, service
        self.instance = instance
        self.random = random.Random(20260105)  # noqa: S311 - the same weeks every time
        self.drugs: list[str] = []
        self.keys: set[str | None] = set()
        self.weeks = self.runs = self.releases = self.promotions = self.down = 0

    def ask_for(self, drugs: list[str]) -> None:
        """Write the manifest."""
        self.drugs = sorted(set(drugs))
        self.corpus.labels = {}
        self.corpus.write()
        manifest = self.corpus.folder / "corpus.toml"
        entries = "".join(QUERY.format(drug=drug) for drug in self.drugs)
        manifest.write_text(manifest.read_text() + entries)

    def churn(self) -> None:
        """Change the labels of the service, and sometimes the manifest, as in a week."""
        labels = list(self.service.labels.values())
        others = [label for label in labels if label.drug not in ASKED_ABOUT]
        for label in self.random.sample(labels, 2):
            if label.listed and not label.broken:
                label.revise()
                label.broken = self.random.random() < 0.2 and label in others
            elif label.broken:
                label.revise()
                label.broken = False
        chosen = self.random.choice(others)
        chosen.listed = not chosen.listed
        self.service.down = self.random.random() < 0.1
        if self.random.random() < 0.15:
            drug = self.random.choice(others).drug
            wanted = set(self.drugs) ^ {drug}
            self.ask_for(list(wanted))

    def settle(self) -> None:
        """Repair the service and its labels."""
        self.service.down = False
        for label in self.service.labels.values():
            if label.broken:
                label.revise()
                label.broken = False

    def week(self) -> None:
        """A Monday: the schedule ticks, twice by mistake, then the sensors run."""
        self.weeks += 1
        moment = FIRST_MONDAY + dt.timedelta(weeks=self.weeks)
        for _ in range(2):
            with dg.build_schedule_context(
                instance=self.instance,
                resources={"clinrag": self.chain.clinrag},
                scheduled_execution_time=moment,
            ) as context:
                request = weekly_labels(context)
            assert isinstance(request, dg.RunRequest)
            if request.run_key not in self.keys:
                self.keys.add(request.run_key)
                self.documents(request)

    def documents(self, request: dg.RunRequest) -> None:
        self.runs += 1
        try:
            execute(self.chain.defs, self.instance, request.job_name, request.tags)
        except ChainFailedError:
            self.down += 1
            context = self.context(dg.DagsterEventType.RUN_FAILURE).for_run_failure()
            failed_runs(context, clinrag=self.chain.clinrag)
            return
        release = documents_done(self.context(dg.DagsterEventType.RUN_SUCCESS))
        assert isinstance(release, dg.RunRequest)
        self.release()

    def context(self, kind: dg.DagsterEventType) -> dg.RunStatusSensorContext:
        (run,) = self.instance.get_runs(limit=1)
        (record,) = self.instance.get_records_for_run(run.run_id, of_type=kind).records
        return dg.build_run_status_sensor_context(
            sensor_name="sensor",
            dagster_event=record.event_log_entry.dagster_event,
            dagster_instance=self.instance,
            dagster_run=run,
        )

    def release(self) -> None:
        """A random encoder's scores jump with the corpus; the operator accepts the loss."""
        self.runs += 1
        try:
            execute(self.chain.defs, self.instance, RELEASE_JOB, {})
        except ChainFailedError as error:
            if "not_worse_than_accepted" not in str(error):
                raise
            self.promotions += 1
            self.chain.promote(accept_loss=True, reason="reviewed after a week of changes")
            execute(self.chain.defs, self.instance, RELEASE_JOB, {})
        self.releases += 1

    def index(self, settings: Settings) -> KnowledgeBase:
        pipeline = Pipeline(settings)
        manifest = pipeline.candidate("label").read().value
        return KnowledgeBase(candidate_directory(pipeline, manifest))


@pytest.fixture
def world(
    make_tiny_settings, make_chain, resource_for, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[World]:
    # A real run waits a minute before it retries.
    monkeypatch.setattr(documents, "RETRY_AFTER_S", 0.0)
    corpus, settings = make_tiny_settings(tmp_path)
    service = DailyMed.of(data_folder() / "corpora" / "sample" / "labels")
    # The database commits thousands of times; in memory, where possible, that is fast.
    memory = Path("/dev/shm")  # noqa: S108 - a temporary folder is made in it
    with (
        service.running(),
        TemporaryDirectory(dir=memory if memory.is_dir() else None) as storage,
        dg.instance_for_test(temp_dir=storage) as instance,
    ):
        acquire = {
            "dailymed_url": service.url,
            "attempts": 1,
            "backoff_s": 0,
            "host_interval_s": 0,
        }
        settings = Settings.model_validate(settings.model_dump() | {"acquire": acquire})
        chain = make_chain(settings, resource_for(settings), instance)
        world = World(chain, corpus, service, instance)
        for drug in [*ASKED_ABOUT, *list(service.labels)[:4]]:
            service.labels[drug].listed = True
        world.ask_for([*ASKED_ABOUT, *list(service.labels)[:8]])
        yield world


@pytest.mark.slow
@pytest.mark.parametrize("weeks", [pytest.param(2, id="2"), pytest.param(50, id="50")])
def test_after_weeks_of_churn_the_index_is_that_of_a_fresh_build(
    world: World, weeks: int, build_candidates, tmp_path: Path
):
    execute(world.chain.defs, world.instance, *guidelines_of(world))
    world.week()
    for _ in range(weeks):
        world.churn()
        served = world.chain.store.current()
        downloads = world.service.downloads
        world.week()
        if world.service.down:
            assert world.chain.store.current() == served
        asked = sum(label.listed for label in world.service.labels.values())
        assert world.service.downloads - downloads <= asked
    world.settle()
    world.week()

    listed = {
        label.set_id: label.version
        for label in world.service.labels.values()
        if label.listed and label.drug in world.drugs
    }
    base = world.index(world.chain.settings)
    rows = base.table.select(["document_id", "label_version", "file_sha256"]).to_pylist()
    assert {row["document_id"]: row["label_version"] for row in rows} == listed
    assert len(set(base.ids)) == len(base.ids)
    released = world.chain.store.current()
    assert released.knowledge_bases["kb_druglabels_tiny"] == base.manifest.fingerprint

    fresh = world.chain.settings.model_copy(update={"home": tmp_path / "fresh"})
    build_candidates(fresh)
    again = world.index(fresh)
    left_out = {"shards"}
    assert again.manifest.model_dump(exclude=left_out) == base.manifest.model_dump(exclude=left_out)
    assert list(again.manifest.shards) == list(base.manifest.shards)
    for name in base.manifest.shards:
        homes = (world.chain.settings.home, fresh.home)
        kept, made = (
            read_shard(home / "knowledge_bases" / base.name / SHARDS / name) for home in homes
        )
        assert kept is not None
        assert made is not None
        # Batches of other passages round the last bits of vectors differently.
        for record in (kept, made):
            assert record.files.pop("dense.faiss")
        assert kept.files == made.files
    assert again.ids == base.ids
    np.testing.assert_allclose(again.dense.vectors(), base.dense.vectors(), atol=1e-5)

    assert world.runs <= 2 * (weeks + 2)
    assert world.releases + world.down == weeks + 2
    alerts = list((world.chain.settings.home / "alerts").glob("*.json"))
    assert len(alerts) == world.down


def guidelines_of(world: World) -> tuple[str, dict[str, str]]:
    """The guidelines' job over all of them, which no week of labels runs."""
    sync_partitions(world.instance, Pipeline(world.chain.settings))
    keys = world.instance.get_dynamic_partitions("guideline")
    request = range_request("guideline", keys[0], keys[-1])
    return request.job_name, request.tags
