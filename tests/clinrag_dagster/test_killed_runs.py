"""`kill -9` in a run, a release or a promotion: what was served stays, a re-run completes."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from clinrag_core.index.release import ReleaseStore
from clinrag_core.pipeline.baselines import BaselineStore
from clinrag_core.retrieve.open import open_engine
from clinrag_core.retrieve.request import SearchRequest
from clinrag_core.settings import Settings
from clinrag_core.workspace import Workspace

pytestmark = pytest.mark.slow

RUN = """
import sys, time
from pathlib import Path
from clinrag_core.settings import Settings
import clinrag_core.settings
settings = Settings.model_validate_json(Path(sys.argv[1]).read_text())
import clinrag_dagster.run as run
import clinrag_dagster.resources as resources
resources.load_settings = run.load_settings = lambda *_: settings
point, reached = sys.argv[2], Path(sys.argv[3])
if point != "none":
    module, name = {
        "parse": ("clinrag_core.pipeline.partition", "parse_bounded"),
        "embed": ("clinrag_core.encode.vector_cache", "_segment_name"),
        "index": ("clinrag_core.index.build", "write_json"),
        "copy": ("clinrag_core.index.release_folder", "file_digests"),
        "point": ("clinrag_core.index.release", "write_json"),
        "page": ("clinrag_core.pipeline.release", "keep_page"),
        "baseline": ("clinrag_core.pipeline.baselines", "write_json"),
        "review": ("clinrag_core.index.release", "write_json"),
    }[point]
    import importlib
    owner = importlib.import_module(module)
    def wait(*_, **__):
        reached.touch()
        time.sleep(600)
    setattr(owner, name, wait)
if sys.argv[4:]:
    import clinrag_dagster.promote as promote
    promote.load_settings = run.load_settings
    sys.argv[1:] = sys.argv[4:]
    sys.exit(promote.main())
sys.exit(run.main())
"""


PROMOTE = ("--author", "a person", "--reason", "read the report")

PATIENCE = 600
"""Seconds a run is waited for: many times what it takes on a free machine."""


def start(folder: Path, point: str, settings: Settings, *promotion: str) -> subprocess.Popen[bytes]:
    """Run the chain, or a promotion if there are arguments for one, until a point."""
    (folder / "settings.json").write_text(settings.model_dump_json())
    (folder / "run.py").write_text(RUN)
    command = [sys.executable, str(folder / "run.py"), str(folder / "settings.json"), point]
    return subprocess.Popen(  # noqa: S603 - our own script
        [*command, str(folder / "reached"), *promotion],
        start_new_session=True,
        stdout=subprocess.DEVNULL,
    )


def kill_at(folder: Path, point: str, settings: Settings, *promotion: str) -> None:
    """Start, wait until the point is reached, and kill -9 the whole group of processes."""
    process = start(folder, point, settings, *promotion)
    deadline = time.monotonic() + PATIENCE
    while not (folder / "reached").exists() and time.monotonic() < deadline:
        assert process.poll() is None, "the run ended before the point was reached"
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert (folder / "reached").exists()


def served(settings: Settings) -> str:
    workspace = Workspace(settings.home)
    engine = open_engine(settings)
    assert engine.search(SearchRequest(query="isoniazid dose")).results
    return ReleaseStore(workspace.releases).current().id


@pytest.mark.parametrize("point", ["parse", "embed", "index", "copy", "point"])
def test_a_killed_run_is_taken_up_and_the_release_is_served_all_the_time(
    point: str, tiny_settings: Settings, tiny_corpus, tmp_path: Path
):
    assert start(tmp_path, "none", tiny_settings).wait(timeout=PATIENCE) == 0
    first = served(tiny_settings)
    label = tiny_corpus.folder / "isoniazid.xml"
    label.write_bytes(label.read_bytes().replace(b"hepatitis", b"liver injury"))
    kill_at(tmp_path, point, tiny_settings)
    assert served(tiny_settings) == first
    assert start(tmp_path, "none", tiny_settings).wait(timeout=PATIENCE) == 0
    assert served(tiny_settings) != first


def test_a_run_killed_after_the_pointer_moved_serves_the_new_release_whole(
    tiny_settings: Settings, tmp_path: Path
):
    kill_at(tmp_path, "page", tiny_settings)
    released = served(tiny_settings)
    assert start(tmp_path, "none", tiny_settings).wait(timeout=PATIENCE) == 0
    assert served(tiny_settings) == released
    assert (tiny_settings.home / "reports" / f"release-{released}.html").is_file()


@pytest.mark.parametrize("point", ["baseline", "review"])
def test_a_killed_promotion_leaves_the_baseline_and_the_release_as_they_were(
    point: str, tiny_settings: Settings, tmp_path: Path
):
    """Before its baseline is written nothing is accepted; after it, the next run completes it."""
    assert start(tmp_path, "none", tiny_settings).wait(timeout=PATIENCE) == 0
    first = served(tiny_settings)
    store = BaselineStore(tiny_settings.home / "baselines", "tiny", "tiny")
    kill_at(tmp_path, point, tiny_settings, *PROMOTE)
    accepted = store.accepted()
    assert accepted is not None
    assert accepted.provisional == (point == "baseline")
    releases = ReleaseStore(tiny_settings.home / "releases")
    assert releases.open().unreviewed, "not reviewed unless the promotion has ended"
    assert served(tiny_settings) == first
    if point == "baseline":
        assert start(tmp_path, "none", tiny_settings, *PROMOTE).wait(timeout=PATIENCE) == 0
    else:
        assert start(tmp_path, "none", tiny_settings).wait(timeout=PATIENCE) == 0
    assert not releases.open().unreviewed
    assert served(tiny_settings) == first
