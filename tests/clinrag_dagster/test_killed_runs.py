"""`kill -9` at three points: a re-run completes and the last release stays readable throughout."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from clinrag_core.index.release import ReleaseStore
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
point = sys.argv[2]
if point != "none":
    module, name = {
        "parse": ("clinrag_core.pipeline.partition", "parse_document"),
        "embed": ("clinrag_core.encode.vector_cache", "_segment_name"),
        "index": ("clinrag_core.index.dense", "check_vectors"),
    }[point]
    import importlib
    owner = importlib.import_module(module)
    if point == "index":
        owner = importlib.import_module("clinrag_core.index.knowledge_base")
        name = "write_json"
    def wait(*_, **__):
        Path(sys.argv[3]).touch()
        time.sleep(600)
    setattr(owner, name, wait)
sys.exit(run.main())
"""


def start(folder: Path, point: str, settings: Settings) -> subprocess.Popen[bytes]:
    (folder / "settings.json").write_text(settings.model_dump_json())
    (folder / "run.py").write_text(RUN)
    command = [sys.executable, str(folder / "run.py"), str(folder / "settings.json"), point]
    return subprocess.Popen(  # noqa: S603 - our own script
        [*command, str(folder / "reached")], start_new_session=True, stdout=subprocess.DEVNULL
    )


def served(settings: Settings) -> str:
    workspace = Workspace(settings.home)
    engine = open_engine(settings)
    assert engine.search(SearchRequest(query="isoniazid dose")).results
    return ReleaseStore(workspace.releases).current().id


@pytest.mark.parametrize("point", ["parse", "embed", "index"])
def test_a_killed_run_is_taken_up_and_the_release_is_served_all_the_time(
    point: str, tiny_settings: Settings, tiny_corpus, tmp_path: Path
):
    assert start(tmp_path, "none", tiny_settings).wait(timeout=120) == 0
    first = served(tiny_settings)
    label = tiny_corpus.folder / "isoniazid.xml"
    label.write_bytes(label.read_bytes().replace(b"hepatitis", b"liver injury"))
    process = start(tmp_path, point, tiny_settings)
    deadline = time.monotonic() + 120
    while not (tmp_path / "reached").exists() and time.monotonic() < deadline:
        assert process.poll() is None, "the run ended before the point was reached"
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert served(tiny_settings) == first
    assert start(tmp_path, "none", tiny_settings).wait(timeout=120) == 0
    assert served(tiny_settings) != first
