"""Documents on two child processes: the bytes and errors of the plain loop, whoever dies."""

from __future__ import annotations

import logging
import os

import pytest
from fakes import child_work
from fakes.builds import stored_bytes

from clinrag_core.errors import MissingInputError
from clinrag_core.pipeline import executor
from clinrag_core.pipeline.executor import FEW, LocalExecutor
from clinrag_core.pipeline.partition_work import (
    PartitionKey,
    acquire_partition,
    chunk_partition,
    parse_partition,
)
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.pipeline.stages import KINDS


@pytest.fixture(autouse=True)
def started_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the first item is done before children are started."""
    monkeypatch.setattr(executor, "START_S", 0.0)


@pytest.fixture
def many(tiny_corpus, tiny_settings):
    """Settings of a corpus that is worth two children; the label of isoniazid is refused."""
    for number in range(FEW):
        key = f"page-{number}"
        dose = f"Adults with tuberculosis take isoniazid {number + 1}00 mg daily."
        (tiny_corpus.folder / f"{key}.txt").write_text(f"{key}\n\nDoses\n\n{dose}\n")
        tiny_corpus.guidelines.append(key)
    tiny_corpus.write()
    tiny_corpus.add_to_entry("pinned_version = 999")
    return tiny_settings


def build(settings, processes: int):
    """Return the pipeline, its partitions, and what each stage made of them."""
    pipeline = Pipeline(settings)
    keys = [PartitionKey(kind, key) for kind in KINDS for key in pipeline.keys(kind)]
    local = LocalExecutor(pipeline, processes=processes)
    works = (acquire_partition, parse_partition, chunk_partition)
    return pipeline, keys, [list(local.map(work, keys)) for work in works]


def test_two_children_give_the_bytes_of_the_plain_loop(many, caplog):
    caplog.set_level(logging.WARNING)
    pipeline, _, made = build(many, 1)
    of_loop = [record.getMessage() for record in caplog.records]
    caplog.clear()
    other = many.model_copy(update={"home": many.home.with_name("two")})
    on_two, _, made_on_two = build(other, 2)
    assert made_on_two == made
    assert stored_bytes(on_two.workspace.home) == stored_bytes(pipeline.workspace.home)
    assert [record.getMessage() for record in caplog.records] == of_loop
    assert of_loop == ["quarantined label isoniazid: not_pinned_version"]


def test_what_was_done_is_not_done_again(many):
    build(many, 1)
    _, keys, (*_, chunked) = build(many, 2)
    assert [one.key for one in chunked] == [one.key for one in keys]
    assert not any(one.outcome.changed for one in chunked)


def test_a_child_that_dies_loses_no_document(many, caplog):
    pipeline, keys, (*_, chunked) = build(many, 1)
    expected = stored_bytes(pipeline.workspace.home)
    for one in keys:
        (pipeline.partition(*one).folder / "chunks.json").unlink()
    given = [child_work.Given(one, os.getpid() if one.kind == "label" else None) for one in keys]
    done = list(LocalExecutor(pipeline, processes=2).map(child_work.chunk_and_die, given))
    assert [(one.key, one.digest) for one in done] == [(one.key, one.digest) for one in chunked]
    assert stored_bytes(pipeline.workspace.home) == expected
    assert "its work is done again here" in caplog.text


def test_what_a_stage_refuses_is_refused_as_in_the_loop(many):
    pipeline, keys, _ = build(many, 1)
    (pipeline.partition(*keys[-1]).folder / "acquired.json").unlink()
    done = []
    with pytest.raises(MissingInputError, match=rf"{keys[-1].key}/acquired\.json"):
        done.extend(LocalExecutor(pipeline, processes=2).map(parse_partition, keys))


def processes_of(settings, numbers: int, **chosen) -> list[int]:
    """Return the process that did each of some items, which come in order."""
    local = LocalExecutor(Pipeline(settings), processes=2)
    done = list(local.map(child_work.whose, iter(range(numbers)), **chosen))
    assert [number for number, _ in done] == list(range(numbers))
    return [process for _, process in done]


def test_many_items_are_done_by_children(tiny_settings):
    first, *others = processes_of(tiny_settings, FEW + 1)
    assert first == os.getpid()
    assert os.getpid() not in others


def test_few_items_are_done_here(tiny_settings):
    assert set(processes_of(tiny_settings, FEW)) == {os.getpid()}


def test_work_for_a_device_is_done_here(tiny_settings):
    assert set(processes_of(tiny_settings, FEW + 1, gpu=True)) == {os.getpid()}


def test_short_work_is_done_here(tiny_settings, monkeypatch):
    """Partitions that are up to date take a millisecond each, and children a second to start."""
    monkeypatch.setattr(executor, "START_S", 60.0)
    assert set(processes_of(tiny_settings, 20 * FEW)) == {os.getpid()}


def test_items_are_read_as_they_are_needed(tiny_settings):
    read = []
    items = (read.append(number) or number for number in range(1_000))
    results = LocalExecutor(Pipeline(tiny_settings), processes=2).map(child_work.whose, items)
    for _ in range(10):
        next(results)
    results.close()
    assert len(read) < 10 + 2 * FEW
