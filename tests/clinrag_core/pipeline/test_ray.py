"""Parsing, chunking and encoding on a local Ray: the bytes of the plain loop, whoever dies."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from fakes import ray_work
from fakes.builds import stored_bytes

from clinrag_core.encode import bulk
from clinrag_core.errors import ExecutorError, MissingInputError
from clinrag_core.pipeline import encode_work, ray_executor
from clinrag_core.pipeline.candidates import make_candidate
from clinrag_core.pipeline.corpus import make_corpus
from clinrag_core.pipeline.embeddings import make_embeddings
from clinrag_core.pipeline.executor import LocalExecutor
from clinrag_core.pipeline.partition_work import (
    PartitionKey,
    chunk_partition,
    parse_partition,
)
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.pipeline.ray_executor import RayExecutor
from clinrag_core.pipeline.stages import KINDS
from clinrag_core.settings import ExecutorSettings, Settings

ray = pytest.importorskip("ray", reason="the extra 'ray' is not installed")
pytestmark = pytest.mark.slow

WORKERS = 2


@pytest.fixture(scope="module")
def deaths(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where workers note that they died; Ray runs as long as this is used."""
    folder = tmp_path_factory.mktemp("deaths")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(ray_work.DEATHS, str(folder))
        patch.setenv("OMP_NUM_THREADS", "1")
        tests = Path(ray_work.__file__).parents[1]
        patch.setenv("PYTHONPATH", os.pathsep.join([str(tests), *filter(None, sys.path)]))
        yield folder
        ray.shutdown()


@pytest.fixture
def on_ray(tiny_settings: Settings, deaths: Path) -> Settings:
    executor = ExecutorSettings(kind="ray", workers=WORKERS)
    return tiny_settings.model_copy(
        update={"executor": executor, "home": tiny_settings.home.with_name("ray")}
    )


@pytest.fixture
def small_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many windows of few passages, so that both workers have several."""
    monkeypatch.setattr(bulk, "WINDOW", 7)


def acquire(pipeline: Pipeline) -> list[PartitionKey]:
    keys = [PartitionKey(kind, key) for kind in KINDS for key in pipeline.keys(kind)]
    for one in keys:
        pipeline.partition(*one).record_acquired(pipeline.acquire(*one))
    return keys


def build(settings: Settings) -> Pipeline:
    pipeline = Pipeline(settings)
    keys = acquire(pipeline)
    for work in (parse_partition, chunk_partition):
        done = list(pipeline.executor.map(work, keys))
        assert [one.key for one in done] == [one.key for one in keys]
    for kind in KINDS:
        make_corpus(pipeline, kind)
        make_embeddings(pipeline, kind)
        make_candidate(pipeline, kind)
    return pipeline


def test_two_workers_give_the_bytes_of_the_plain_loop(
    tiny_settings: Settings, on_ray: Settings, small_windows, monkeypatch
):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    local, remote = build(tiny_settings), build(on_ray)
    assert isinstance(local.executor, LocalExecutor)
    assert isinstance(remote.executor, RayExecutor)
    expected = stored_bytes(local.workspace.home)
    assert any("vectors.npy" in name for name in expected)
    assert stored_bytes(remote.workspace.home) == expected
    run = remote.models.last_run
    assert run is not None
    assert run.device == "cpu"


def test_the_work_is_done_by_two_processes_that_are_not_this_one(on_ray: Settings):
    pipeline = Pipeline(on_ray)
    executor = RayExecutor(pipeline)
    assert executor._ray.cluster_resources()["CPU"] == WORKERS
    processes = set(executor.map(ray_work.whose, acquire(pipeline) * 3))
    assert len(processes) == WORKERS
    assert os.getpid() not in processes


def test_what_was_done_is_not_done_again(on_ray: Settings):
    pipeline = Pipeline(on_ray)
    keys = acquire(pipeline)
    for changed in (True, False):
        works = list(pipeline.executor.map(parse_partition, keys))
        assert [one.outcome.changed for one in works] == [changed] * len(keys)


def test_a_killed_worker_loses_no_document(tiny_settings: Settings, on_ray: Settings, deaths: Path):
    local, remote = Pipeline(tiny_settings), Pipeline(on_ray)
    keys = acquire(local)
    acquire(remote)
    list(local.executor.map(parse_partition, keys))
    done = list(remote.executor.map(ray_work.parse_and_die, keys))
    assert [one.key for one in done] == [one.key for one in keys]
    died = {int(file.read_text()) for file in deaths.glob("*-*")}
    assert len(died) == 2 * len(keys), "each partition killed two workers"
    assert stored_bytes(remote.workspace.home) == stored_bytes(local.workspace.home)


def test_a_worker_killed_while_it_encodes_loses_no_vector(
    tiny_settings: Settings, on_ray: Settings, deaths: Path, small_windows, monkeypatch
):
    expected = stored_bytes(build(tiny_settings).workspace.home)
    monkeypatch.setattr(encode_work, "encode_window", ray_work.encode_and_die)
    remote = build(on_ray)
    assert list(deaths.glob("window-*")), "a worker died"
    assert stored_bytes(remote.workspace.home) == expected


def test_a_task_that_always_kills_its_worker_ends_the_run(on_ray: Settings, monkeypatch):
    monkeypatch.setattr(ray_executor, "MOST_DEATHS", 1)
    executor = RayExecutor(Pipeline(on_ray))
    with pytest.raises(ExecutorError, match="after 2 attempts"):
        list(executor.map(ray_work.die, [PartitionKey("label", "isoniazid")]))


def test_what_a_stage_refuses_is_refused_as_it_is_here(on_ray: Settings):
    pipeline = Pipeline(on_ray)
    with pytest.raises(MissingInputError, match="isoniazid"):
        list(pipeline.executor.map(ray_work.refuse, [PartitionKey("label", "isoniazid")]))


def test_a_cluster_that_is_not_there_is_an_error(on_ray: Settings):
    ray.shutdown()
    executor = ExecutorSettings(kind="ray", address="127.0.0.1:1")
    settings = on_ray.model_copy(update={"executor": executor})
    with pytest.raises(ExecutorError, match="no Ray at"):
        RayExecutor(Pipeline(settings))
