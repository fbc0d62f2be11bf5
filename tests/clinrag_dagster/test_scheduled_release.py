"""The weekly schedule under the real daemon, with the sample's label that has two versions.

A weekly run once published a superseded label by itself: the newer file was damaged, the older one
good. And a HIGH change was published with no more than a warning in a report.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.scheduler.instigation import ScheduleInstigatorData

from clinrag_core.index.knowledge_base import read_chunks
from clinrag_core.index.release import ReleaseStore
from clinrag_core.settings import Settings, data_folder
from clinrag_dagster.defs.release.jobs import RELEASE_JOB

pytestmark = pytest.mark.slow
WORKSPACE = Path(__file__).resolve().parents[2] / "workspace.yaml"
BIN = Path(sys.executable).parent
LIMIT_S = 540
WEEK_S = 7 * 86_400
CONFIG = """
profile = "tiny"
benchmark = "{benchmark}"
[corpus]
manifest = "{manifest}"
[encoder]
name = "tiny"
model = "{model}"
pooling = "mean"
max_tokens = 400
"""
ENTRY = '\n[[label]]\ndrug = "bedaquiline"\nformat = "spl"\npath = "{}"\n'


class Scheduled:
    """A workspace whose code location, daemon and schedule are separate processes."""

    def __init__(self, settings: Settings, corpus, folder: Path) -> None:
        self.corpus, self.folder = corpus, folder
        self.store = ReleaseStore(settings.home / "releases")
        self.dagster_home = settings.home / "dagster"
        config = folder / "tiny.toml"
        config.write_text(
            CONFIG.format(
                benchmark=settings.benchmark, manifest=corpus.folder, model=settings.encoder.model
            )
        )
        self.environment = {
            **os.environ,
            "CLINRAG_HOME": str(settings.home),
            "CLINRAG_CONFIG": str(config),
            "DAGSTER_HOME": str(self.dagster_home),
            "DAGSTER_DISABLE_TELEMETRY": "1",
        }

    def offer(self, version: int) -> Path:
        """Add a version of the label to the corpus."""
        name = f"bedaquiline-v{version}.xml"
        shutil.copy(data_folder() / "corpora" / "sample" / "labels" / name, self.corpus.folder)
        manifest = self.corpus.folder / "corpus.toml"
        manifest.write_text(manifest.read_text() + ENTRY.format(name))
        return self.corpus.folder / name

    def call(self, *command: str) -> None:
        subprocess.run(  # noqa: S603 - our own programs
            command, env=self.environment, check=True, cwd=self.folder, timeout=LIMIT_S,
            stdout=subprocess.DEVNULL,
        )  # fmt: skip

    def make_run(self) -> None:
        self.call(sys.executable, "-m", "clinrag_dagster.run")

    def switch_on(self) -> None:
        """Start schedule and sensor as an operator would, a week ago: last Monday is due now."""
        command = str(BIN / "dagster")
        self.call(command, "schedule", "start", "weekly_labels", "-w", str(WORKSPACE))
        self.call(command, "sensor", "start", "documents_done", "-w", str(WORKSPACE))
        with dg.DagsterInstance.from_config(str(self.dagster_home)) as instance:
            (state,) = [s for s in instance.all_instigator_state() if s.name == "weekly_labels"]
            data = state.instigator_data
            assert isinstance(data, ScheduleInstigatorData)
            past = ScheduleInstigatorData(data.cron_schedule, time.time() - WEEK_S)
            instance.update_instigator_state(state.with_data(past))

    def tick(self) -> dg.DagsterRun:
        """Run the daemon until the release run that follows the scheduled one has ended."""
        with (self.folder / "daemon.log").open("wb") as log:
            daemon = subprocess.Popen(  # noqa: S603 - our own programs
                [str(BIN / "dagster-daemon"), "run", "-w", str(WORKSPACE)],
                env=self.environment, cwd=self.folder, stdout=log, stderr=log,
                start_new_session=True,
            )  # fmt: skip
        before = len(self._release_runs())
        try:
            deadline = time.monotonic() + LIMIT_S
            while time.monotonic() < deadline:
                assert daemon.poll() is None, (self.folder / "daemon.log").read_text()[-2000:]
                runs = self._release_runs()
                if len(runs) > before and runs[0].is_finished:
                    return runs[0]
                time.sleep(1)
            pytest.fail((self.folder / "daemon.log").read_text()[-3000:])
        finally:
            os.killpg(daemon.pid, signal.SIGTERM)
            daemon.wait()

    def _release_runs(self) -> list[dg.DagsterRun]:
        with dg.DagsterInstance.from_config(str(self.dagster_home)) as instance:
            return list(instance.get_runs(dg.RunsFilter(job_name=RELEASE_JOB)))

    def served_versions(self) -> set[int]:
        served = self.store.open().release
        table = read_chunks(self.store.directory(served, "kb_druglabels_tiny"))
        rows = table.select(["drug", "label_version"]).to_pylist()
        return {row["label_version"] for row in rows if row["drug"] == "bedaquiline"}


@pytest.fixture
def scheduled(tiny_settings: Settings, tiny_corpus, tmp_path: Path) -> Scheduled:
    return Scheduled(tiny_settings, tiny_corpus, tmp_path)


def given(scheduled: Scheduled, *versions: int) -> None:
    for version in versions:
        scheduled.offer(version)
    scheduled.make_run()
    scheduled.switch_on()
    assert scheduled.served_versions() == {max(versions)}


def test_a_changed_dose_is_released_and_marked(scheduled: Scheduled):
    given(scheduled, 1)
    scheduled.offer(2)
    assert scheduled.tick().status == dg.DagsterRunStatus.SUCCESS
    assert scheduled.served_versions() == {2}
    (change,) = scheduled.store.open().changes
    assert (change.name, change.old_version, change.new_version) == ("bedaquiline", 1, 2)
    assert any(section.startswith("dosage changed") for section in change.sections)


def test_a_damaged_newer_label_never_brings_the_superseded_one_back(scheduled: Scheduled):
    given(scheduled, 1, 2)
    label = scheduled.corpus.folder / "isoniazid.xml"
    label.write_bytes(label.read_bytes().replace(b"hepatitis", b"liver injury"))
    newer = scheduled.corpus.folder / "bedaquiline-v2.xml"
    newer.write_bytes(newer.read_bytes()[:3000])
    assert scheduled.tick().status == dg.DagsterRunStatus.SUCCESS
    assert scheduled.store.current().sequence == 2, "the other label was released"
    assert scheduled.served_versions() == {2}
