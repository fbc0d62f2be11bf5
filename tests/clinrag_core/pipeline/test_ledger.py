"""Partitions that the ledger and the journal know to be unchanged are not read again."""

import shutil
import sys

import pytest
from fakes.builds import LABELS, build_labels

from clinrag_core.acquire.manifest import load_manifest
from clinrag_core.errors import AcquireError
from clinrag_core.pipeline import cut, ledger
from clinrag_core.pipeline import pipeline as pipeline_module
from clinrag_core.pipeline.candidates import make_candidate
from clinrag_core.pipeline.corpus import make_corpus, read_corpus
from clinrag_core.pipeline.partition import Partition
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.settings import Settings

HOUR_NS = 3_600 * 10**9


@pytest.fixture
def recorded(tiny_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """A built corpus whose partitions are all in the ledger; none may be read again."""
    monkeypatch.setattr(ledger, "SETTLED_NS", 0)
    build_labels(tiny_settings)
    assert Pipeline(tiny_settings).stale("label") == []

    def refuse(_: Pipeline, kind: str, key: str) -> bool:
        raise AssertionError(f"{kind} {key} was read")

    monkeypatch.setattr(Pipeline, "is_fresh", refuse)
    return tiny_settings


def test_what_is_untouched_is_not_read_again(recorded: Settings, monkeypatch: pytest.MonkeyPatch):
    before = Pipeline(recorded).corpus("label").read().value
    monkeypatch.setattr(Partition, "chunked", lambda _: pytest.fail("a record was read"))
    pipeline = Pipeline(recorded)
    assert pipeline.stale("label") == []
    assert make_corpus(pipeline, "label") == before


def test_a_manifest_that_is_unchanged_is_not_parsed(
    recorded: Settings, monkeypatch: pytest.MonkeyPatch
):
    corpus = make_corpus(Pipeline(recorded), "label")
    monkeypatch.setattr(pipeline_module, "load_manifest", lambda *_: pytest.fail("it was parsed"))
    pipeline = Pipeline(recorded)
    assert pipeline.keys("label") == LABELS
    assert pipeline.stale("label") == []
    assert make_corpus(pipeline, "label") == corpus
    assert read_corpus(pipeline, "label").value == corpus


@pytest.mark.parametrize("damage", ["output", "shard", "record"])
def test_a_corpus_is_made_again_where_it_is_not_as_it_was_made(recorded: Settings, damage: str):
    make_corpus(Pipeline(recorded), "label")
    pipeline = Pipeline(recorded)
    corpus = make_corpus(pipeline, "label")
    path = pipeline.corpus("label").path
    before = {file: file.read_bytes() for file in [path, *path.with_suffix("").glob("*.json")]}
    if damage == "output":
        path.unlink()
    elif damage == "shard":
        (path.with_suffix("") / f"{corpus.shards[0].digest}.json").unlink()
    else:
        (path.with_suffix("") / "made_from.json").write_text("{}")
    assert make_corpus(Pipeline(recorded), "label") == corpus
    assert {file: file.read_bytes() for file in before} == before


@pytest.mark.parametrize(
    "touch",
    [
        lambda folder, _: (folder / "isoniazid.xml").touch(),
        lambda folder, _: (folder / "isoniazid.xml").unlink(),
        lambda _, home: shutil.rmtree(home / "files"),
        lambda _, home: shutil.rmtree(home / "partitions/label/isoniazid"),
        lambda _, home: (home / "partitions/label").rename(home / "partitions/other"),
    ],
    ids=["file", "no-file", "store", "partition", "partitions"],
)
def test_what_was_touched_is_read_again(recorded: Settings, tiny_corpus, touch):
    touch(tiny_corpus.folder, recorded.home)
    with pytest.raises(AssertionError, match="label isoniazid was read"):
        Pipeline(recorded).stale("label")


@pytest.mark.parametrize(
    "touch",
    [lambda folder: (folder / "chunks.arrow").unlink(), lambda f: (f / "documents.json").touch()],
    ids=["chunks", "documents"],
)
def test_what_was_touched_in_a_partition_by_hand_is_read_again_within_a_day(
    recorded: Settings, monkeypatch: pytest.MonkeyPatch, touch
):
    touch(recorded.home / "partitions/label/isoniazid")
    assert Pipeline(recorded).stale("label") == [], "no stage wrote it"
    monkeypatch.setattr(ledger, "EVERY_FILE_S", 0.0)
    with pytest.raises(AssertionError, match="label isoniazid was read"):
        Pipeline(recorded).stale("label")


@pytest.mark.parametrize("harm", ["gone", "cut off", "another"])
def test_partitions_are_read_where_the_journal_says_nothing(recorded: Settings, harm: str):
    journal = recorded.home / "partitions/written"
    (recorded.home / "partitions/label/isoniazid/documents.json").touch()
    assert Pipeline(recorded).stale("label") == []
    data = journal.read_bytes()
    if harm == "gone":
        journal.unlink()
    else:
        journal.write_bytes(data[:-1] if harm == "cut off" else data[::-1])
    with pytest.raises(AssertionError, match="label isoniazid was read"):
        Pipeline(recorded).stale("label")


def test_a_stage_that_is_killed_leaves_its_partition_to_be_read(
    recorded: Settings, monkeypatch: pytest.MonkeyPatch
):
    """It has written a table, but not the record of it."""
    pipeline = Pipeline(recorded)
    partition = pipeline.partition("label", "isoniazid")
    with monkeypatch.context() as patched:
        patched.setattr(cut, "to_statement_table", lambda _: sys.exit("killed"))
        patched.setattr(Partition, "chunked", lambda _: None)
        with pytest.raises(SystemExit, match="killed"):
            partition.chunk(pipeline.models.chunker, pipeline.models.chunker_fingerprint)
    with pytest.raises(AssertionError, match="label isoniazid was read"):
        Pipeline(recorded).stale("label")


def test_a_few_partitions_are_read_again_instead_of_recording_all(
    recorded: Settings, tiny_corpus, monkeypatch: pytest.MonkeyPatch
):
    (file,) = (recorded.home / "cache" / ledger.FOLDER).glob("label-*")
    before = file.read_bytes()
    (tiny_corpus.folder / "isoniazid.xml").touch()
    read: list[str] = []
    monkeypatch.setattr(Pipeline, "is_fresh", lambda _, __, key: read.append(key) is None)
    monkeypatch.setattr(ledger, "FEW", 1)
    for _ in range(2):
        assert Pipeline(recorded).stale("label") == []
    assert (read, file.read_bytes()) == (["isoniazid"] * 2, before)
    monkeypatch.setattr(ledger, "FEW", 1_000)
    for _ in range(2):
        assert Pipeline(recorded).stale("label") == []
    assert read == ["isoniazid"] * 3


def test_what_the_manifest_says_is_part_of_the_ledger(recorded: Settings, tiny_corpus):
    tiny_corpus.add_to_entry("published = 2020-01-01")
    with pytest.raises(AssertionError, match="label isoniazid was read"):
        Pipeline(recorded).stale("label")


def test_a_damaged_ledger_is_made_again(recorded: Settings, monkeypatch: pytest.MonkeyPatch):
    (file,) = (recorded.home / "cache" / ledger.FOLDER).glob("label-*")
    file.write_bytes(b"broken")
    monkeypatch.setattr(Pipeline, "is_fresh", lambda *_: True)
    assert Pipeline(recorded).stale("label") == []
    monkeypatch.undo()
    assert file.read_bytes() != b"broken"


def test_a_file_that_changed_just_now_is_not_recorded(
    tiny_settings: Settings, monkeypatch: pytest.MonkeyPatch
):
    """The next change might get the same time."""
    monkeypatch.setattr(ledger, "SETTLED_NS", HOUR_NS)
    build_labels(tiny_settings)
    Pipeline(tiny_settings).stale("label")
    assert not (tiny_settings.home / "cache" / ledger.FOLDER).exists()


def test_what_the_manifest_newly_says_makes_a_label_stale_until_it_is_worked_on(
    tiny_settings: Settings, tiny_corpus, monkeypatch: pytest.MonkeyPatch
):
    """A run may be ended between seeing a change and making it."""
    monkeypatch.setattr(ledger, "SETTLED_NS", 0)
    build_labels(tiny_settings)
    assert Pipeline(tiny_settings).stale("label") == []
    tiny_corpus.add_to_entry("published = 2020-01-01")
    for _ in range(3):
        assert Pipeline(tiny_settings).stale("label") == ["isoniazid"]
    build_labels(tiny_settings)
    assert Pipeline(tiny_settings).stale("label") == []


def test_what_the_ledger_says_of_a_partition_is_what_the_manifest_says(
    recorded: Settings, tiny_corpus
):
    read = load_manifest(tiny_corpus.folder)
    pipeline = Pipeline(recorded)
    assert pipeline.ledger("label").corpus_name == read.name
    for key in LABELS:
        assert tuple(pipeline.ledger("label").entries(key)) == read.drugs[key]
    with pytest.raises(AcquireError, match="no label 'rifampin'"):
        pipeline.acquire("label", "rifampin")


def test_a_changed_label_is_worked_on_without_the_rest_of_the_manifest(
    tiny_settings: Settings, tiny_corpus, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(ledger, "SETTLED_NS", 0)
    before = make_corpus(build_labels(tiny_settings), "label")
    assert Pipeline(tiny_settings).stale("label") == []
    tiny_corpus.change_dose()
    monkeypatch.setattr(pipeline_module, "load_manifest", lambda *_: pytest.fail("it was parsed"))
    pipeline = build_labels(tiny_settings)
    assert make_corpus(pipeline, "label").digest != before.digest
    make_candidate(pipeline, "label")
