"""Indexing again costs the change, and gives what indexing from nothing gives, bit for bit."""

import gzip
import logging
import os
import shutil
import sys
from pathlib import Path

import pytest

from clinrag_core.acquire import manifest
from clinrag_core.acquire.manifest import load_manifest
from clinrag_core.encode.vector_cache import VectorCache
from clinrag_core.errors import (
    AcquireError,
    IndexBuildError,
    MissingInputError,
    StaleInputError,
)
from clinrag_core.index import shards
from clinrag_core.index.bm25_check import compare_with_rank_bm25
from clinrag_core.index.bm25_counts import count_terms
from clinrag_core.index.build import copy_knowledge_base
from clinrag_core.index.knowledge_base import KnowledgeBase
from clinrag_core.index.shard_files import search_texts
from clinrag_core.pipeline import corpus as corpus_module
from clinrag_core.pipeline import cut, embeddings, ledger, term_counts
from clinrag_core.pipeline import pipeline as pipeline_module
from clinrag_core.pipeline.candidates import candidate_directory, make_candidate
from clinrag_core.pipeline.corpus import make_corpus, read_corpus
from clinrag_core.pipeline.embeddings import make_embeddings
from clinrag_core.pipeline.partition import Partition
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.pipeline.term_counts import PASSAGES
from clinrag_core.settings import Settings

LABELS = ["isoniazid", "pyrazinamide"]


def build(settings: Settings) -> Pipeline:
    pipeline = Pipeline(settings)
    for key in pipeline.stale("label"):
        partition = pipeline.partition("label", key)
        partition.record_acquired(pipeline.acquire("label", key))
        partition.parse()
        partition.chunk(pipeline.models.chunker, pipeline.models.chunker_fingerprint)
    make_corpus(pipeline, "label")
    make_embeddings(pipeline, "label")
    return pipeline


def candidate_bytes(pipeline: Pipeline) -> dict[str, bytes]:
    """The candidate, built anew, with its shards."""
    folder = pipeline.workspace.knowledge_bases
    shutil.rmtree(folder, ignore_errors=True)
    make_candidate(pipeline, "label")
    files = (file for file in folder.rglob("*") if file.is_file())
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


def copied(pipeline: Pipeline, target: Path) -> dict[str, bytes]:
    """Every file of the stored candidate as a release would copy it."""
    directory = candidate_directory(pipeline, make_candidate(pipeline, "label"))
    assert copy_knowledge_base(directory, target) == []
    files = (file for file in target.rglob("*") if file.is_file())
    return {str(file.relative_to(target)): file.read_bytes() for file in files}


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many passages were tokenised, a number per partition."""
    calls: list[int] = []

    def count(texts):
        calls.append(len(texts))
        return count_terms(texts)

    monkeypatch.setattr(term_counts, "count_terms", count)
    return calls


def counts_file(pipeline: Pipeline, key: str) -> Path:
    return pipeline.partition("label", key).folder / PASSAGES


def test_kept_term_counts_give_the_same_candidate_in_every_byte(
    tiny_settings: Settings, counted, caplog
):
    caplog.set_level(logging.INFO)
    pipeline = build(tiny_settings)
    first = candidate_bytes(pipeline)
    assert "counted again" not in caplog.text, "nothing was counted before"
    assert len(counted) == 4, "passages and statements of two labels"
    assert candidate_bytes(pipeline) == first
    assert len(counted) == 4, "the second time everything comes from the kept counts"
    for key in LABELS:
        counts_file(pipeline, key).unlink()
    assert candidate_bytes(pipeline) == first
    assert len(counted) == 6


def test_only_a_changed_label_is_tokenised_again(tiny_settings: Settings, tiny_corpus, counted):
    candidate_bytes(build(tiny_settings))
    label = tiny_corpus.folder / "isoniazid.xml"
    label.write_bytes(label.read_bytes().replace(b"300 mg", b"310 mg"))
    counted.clear()
    pipeline = build(tiny_settings)
    changed = candidate_bytes(pipeline)
    partition = pipeline.partition("label", "isoniazid")
    assert counted == [partition.statements().num_rows, partition.chunks().num_rows]
    for key in LABELS:
        counts_file(pipeline, key).unlink()
    assert candidate_bytes(pipeline) == changed


@pytest.mark.parametrize("damage", [b"", b"x", None])
def test_damaged_term_counts_are_made_again(tiny_settings: Settings, counted, damage, caplog):
    caplog.set_level(logging.INFO)
    pipeline = build(tiny_settings)
    first = candidate_bytes(pipeline)
    path = counts_file(pipeline, "isoniazid")
    good = path.read_bytes()
    path.write_bytes(good[:-4] + b"\x07\x00\x00\x00" if damage is None else damage)
    assert candidate_bytes(pipeline) == first
    assert len(counted) == 5
    assert caplog.text.count(f"isoniazid: {PASSAGES} is counted again") == 1
    assert path.read_bytes() == good


def test_a_label_stored_twice_is_counted_once(tiny_settings: Settings, tiny_corpus):
    shutil.copy(tiny_corpus.folder / "isoniazid.xml", tiny_corpus.folder / "copy.xml")
    tiny_corpus.labels["rifampin"] = "copy.xml"
    tiny_corpus.write()
    pipeline = build(tiny_settings)
    base = KnowledgeBase(candidate_directory(pipeline, make_candidate(pipeline, "label")))
    texts = search_texts(base.table)
    assert compare_with_rank_bm25(base.bm25, texts, ["isoniazid dose", "liver"]).exact
    assert make_corpus(pipeline, "label").chunks > len(texts)


def test_checking_a_built_corpus_reads_no_documents(
    tiny_settings: Settings, monkeypatch: pytest.MonkeyPatch
):
    before = make_corpus(build(tiny_settings), "label")

    def refuse(_: Partition) -> None:
        raise AssertionError("documents were read")

    monkeypatch.setattr(Partition, "parsed", refuse)
    pipeline = Pipeline(tiny_settings)
    assert pipeline.stale("label") == []
    assert make_corpus(pipeline, "label") == before


def test_a_partition_whose_documents_are_gone_is_stale(tiny_settings: Settings, tiny_corpus):
    (tiny_corpus.folder / "isoniazid.xml").write_bytes(b"<document>")
    pipeline = build(tiny_settings)
    corpus = make_corpus(pipeline, "label")
    assert corpus.left_out["isoniazid"].startswith("quarantined")
    pipeline.partition("label", "pyrazinamide").folder.joinpath("documents.json").unlink()
    assert pipeline.stale("label") == ["isoniazid", "pyrazinamide"]


def test_a_partition_that_was_never_chunked_stops_the_corpus(tiny_settings: Settings):
    pipeline = build(tiny_settings)
    pipeline.partition("label", "isoniazid").folder.joinpath("chunks.json").unlink()
    with pytest.raises(MissingInputError) as error:
        make_corpus(pipeline, "label")
    assert error.value.path == "partitions/label/isoniazid/chunks.json"
    assert error.value.stage == "label_chunks"


def test_a_changed_figure_is_seen_where_size_and_time_of_the_file_stay(
    tiny_settings: Settings, tiny_corpus
):
    """A copy or an archive may keep both; a dose must not stay wrong for that."""
    build(tiny_settings)
    label = tiny_corpus.folder / "isoniazid.xml"
    stat = label.stat()
    label.write_bytes(label.read_bytes().replace(b"300 mg", b"310 mg"))
    os.utime(label, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert label.stat().st_size == stat.st_size
    assert Pipeline(tiny_settings).stale("label") == ["isoniazid"]


@pytest.mark.parametrize("line", ["published = 2020-01-01", f'sha256 = "{"0" * 64}"'])
def test_what_the_manifest_newly_says_of_a_label_makes_it_stale(
    tiny_settings: Settings, tiny_corpus, line: str
):
    build(tiny_settings)
    toml = tiny_corpus.folder / "corpus.toml"
    text = toml.read_text()
    toml.write_text(text.replace('path = "isoniazid.xml"', f'path = "isoniazid.xml"\n{line}'))
    assert Pipeline(tiny_settings).stale("label") == ["isoniazid"]


def test_another_set_id_in_the_manifest_makes_a_label_stale(tiny_settings: Settings, tiny_corpus):
    build(tiny_settings)
    toml = tiny_corpus.folder / "corpus.toml"
    pin = 'set_id = "00000000-0000-4000-8000-000000000000"'
    text = toml.read_text()
    toml.write_text(text.replace('path = "isoniazid.xml"', f'path = "isoniazid.xml"\n{pin}'))
    assert Pipeline(tiny_settings).stale("label") == ["isoniazid"]


def test_a_lost_stored_file_is_stored_again(tiny_settings: Settings):
    pipeline = build(tiny_settings)
    (file,) = pipeline.acquire("label", "isoniazid").files
    file.path.unlink()
    assert Pipeline(tiny_settings).stale("label") == []
    assert file.path.is_file()


def test_a_packed_label_is_fresh_too(tiny_settings: Settings, tiny_corpus):
    packed = tiny_corpus.folder / "packed.xml.gz"
    packed.write_bytes(gzip.compress((tiny_corpus.folder / "isoniazid.xml").read_bytes()))
    tiny_corpus.labels["isoniazid"] = packed.name
    tiny_corpus.write()
    build(tiny_settings)
    assert Pipeline(tiny_settings).stale("label") == []


def test_a_corpus_that_is_built_already_looks_up_no_vector(
    tiny_settings: Settings, monkeypatch: pytest.MonkeyPatch
):
    first = make_candidate(build(tiny_settings), "label")

    def never(*_: object) -> None:
        raise AssertionError("the vector cache was opened")

    monkeypatch.setattr(VectorCache, "__init__", never)
    again = Pipeline(tiny_settings)
    corpus = make_corpus(again, "label")
    cost = make_embeddings(again, "label").cost
    assert (cost.encoded, cost.reused) == (0, corpus.chunks)
    assert make_candidate(again, "label") == first


def test_unsound_vectors_are_not_recorded(tiny_settings: Settings, monkeypatch: pytest.MonkeyPatch):
    sound = VectorCache.get
    monkeypatch.setattr(VectorCache, "get", lambda self, keys: sound(self, keys) * 2)
    with pytest.raises(IndexBuildError, match="not normalised"):
        build(tiny_settings)
    with pytest.raises(MissingInputError, match="kb_druglabels_tiny_embeddings first"):
        make_candidate(Pipeline(tiny_settings), "label")


def test_a_candidate_is_not_built_from_another_corpus(tiny_settings: Settings, tiny_corpus):
    pipeline = build(tiny_settings)
    label = tiny_corpus.folder / "isoniazid.xml"
    label.write_bytes(label.read_bytes().replace(b"300 mg", b"310 mg"))
    partition = pipeline.partition("label", "isoniazid")
    partition.record_acquired(pipeline.acquire("label", "isoniazid"))
    partition.parse()
    partition.chunk(pipeline.models.chunker, pipeline.models.chunker_fingerprint)
    with pytest.raises(StaleInputError, match="isoniazid was chunked again"):
        candidate_bytes(pipeline)
    make_corpus(pipeline, "label")
    with pytest.raises(StaleInputError, match="another corpus or encoder"):
        make_candidate(pipeline, "label")


@pytest.fixture
def recorded(tiny_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """A built corpus whose partitions are all in the ledger; none may be read again."""
    monkeypatch.setattr(ledger, "SETTLED_S", 0)
    build(tiny_settings)
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


def test_parsed_tables_of_a_manifest_are_taken_while_its_bytes_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(manifest, "LARGE", 0)
    file, parsed = tmp_path / "corpus.toml", tmp_path / "cache" / "parsed.bin"
    text = '[corpus]\nname = "one"\n[[label]]\ndrug = "isoniazid"\npath = "a.xml"\n'
    file.write_text(text)
    first = manifest.load_manifest(tmp_path, parsed)
    with monkeypatch.context() as patched:
        patched.setattr(manifest.tomllib, "loads", lambda _: pytest.fail("it was parsed"))
        assert manifest.load_manifest(tmp_path, parsed) == first
    file.write_text(text.replace('"one"', '"two"'))
    assert manifest.load_manifest(tmp_path, parsed).name == "two"


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
def test_partitions_are_looked_at_where_the_journal_says_nothing(recorded: Settings, harm: str):
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
    toml = tiny_corpus.folder / "corpus.toml"
    line = 'path = "isoniazid.xml"'
    toml.write_text(toml.read_text().replace(line, f"{line}\npublished = 2020-01-01"))
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
    monkeypatch.setattr(ledger, "SETTLED_S", 3_600)
    build(tiny_settings)
    Pipeline(tiny_settings).stale("label")
    assert not (tiny_settings.home / "cache" / ledger.FOLDER).exists()


def test_what_the_manifest_newly_says_makes_a_label_stale_until_it_is_worked_on(
    tiny_settings: Settings, tiny_corpus, monkeypatch: pytest.MonkeyPatch
):
    """A run may be ended between seeing a change and making it."""
    monkeypatch.setattr(ledger, "SETTLED_S", 0)
    build(tiny_settings)
    assert Pipeline(tiny_settings).stale("label") == []
    toml = tiny_corpus.folder / "corpus.toml"
    line = 'path = "isoniazid.xml"'
    toml.write_text(toml.read_text().replace(line, f"{line}\npublished = 2020-01-01"))
    for _ in range(3):
        assert Pipeline(tiny_settings).stale("label") == ["isoniazid"]
    build(tiny_settings)
    assert Pipeline(tiny_settings).stale("label") == []


@pytest.mark.parametrize(
    ("settled", "few"),
    [(0, 1_000), (0, 1), (3_600, 1_000)],
    ids=["recorded", "recorded at first", "unrecorded"],
)
def test_any_changes_of_labels_leave_what_a_fresh_workspace_gives(
    tiny_settings: Settings,
    tiny_corpus,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    settled: float,
    few: int,
):
    """Texts, entries and labels come, change and go; nothing of an earlier state may stay.

    The fresh workspace has the same vectors: which texts are encoded together moves the last bit.
    """
    monkeypatch.setattr(ledger, "FEW", few)
    monkeypatch.setattr(ledger, "SETTLED_S", settled)
    for module in (shards, corpus_module):
        monkeypatch.setattr(module, "PARTITIONS_PER_SHARD", 1)
    label = tiny_corpus.folder / "isoniazid.xml"

    def write(old: bytes, new: bytes) -> None:
        label.write_bytes(label.read_bytes().replace(old, new))

    def other(drug: str, text: str | None) -> None:
        tiny_corpus.labels.pop(drug, None)
        if text is not None:
            tiny_corpus.labels[drug] = f"{drug}.xml"
            (tiny_corpus.folder / f"{drug}.xml").write_text(text)
        tiny_corpus.write()

    first = label.read_text()
    steps = [
        lambda: write(b"300 mg", b"310 mg"),
        lambda: None,
        lambda: other("rifampin", first),  # the document of another partition
        lambda: write(b"310 mg", b"320 mg"),
        lambda: other("rifampin", first.replace("300 mg", "330 mg")),
        lambda: other("rifampin", None),
        lambda: write(b"320 mg", b"300 mg"),
    ]
    for number, step in enumerate(steps):
        build(tiny_settings)
        step()
        kept = copied(build(tiny_settings), tmp_path / f"kept {number}")
        fresh = tiny_settings.model_copy(update={"home": tmp_path / f"home {number}"})
        shutil.copytree(tiny_settings.home / "vectors", fresh.home / "vectors")
        assert kept == copied(build(fresh), tmp_path / f"fresh {number}")
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
    monkeypatch.setattr(ledger, "SETTLED_S", 0)
    before = make_corpus(build(tiny_settings), "label")
    assert Pipeline(tiny_settings).stale("label") == []
    label = tiny_corpus.folder / "isoniazid.xml"
    label.write_bytes(label.read_bytes().replace(b"300 mg", b"310 mg"))
    monkeypatch.setattr(pipeline_module, "load_manifest", lambda *_: pytest.fail("it was parsed"))
    pipeline = build(tiny_settings)
    assert make_corpus(pipeline, "label").digest != before.digest
    make_candidate(pipeline, "label")


def test_only_vectors_of_a_changed_label_are_looked_up(
    tiny_settings: Settings, tiny_corpus, monkeypatch: pytest.MonkeyPatch
):
    build(tiny_settings)
    label = tiny_corpus.folder / "isoniazid.xml"
    label.write_bytes(label.read_bytes().replace(b"300 mg", b"310 mg"))
    asked: list[int] = []
    check = embeddings.check_vectors

    def counted(vectors, count: int, *, normalised: bool) -> None:
        asked.append(count)
        check(vectors, count, normalised=normalised)

    monkeypatch.setattr(embeddings, "check_vectors", counted)
    partition = build(tiny_settings).partition("label", "isoniazid")
    assert asked == [partition.chunks().num_rows + partition.statements().num_rows]


def test_vectors_are_looked_up_again_where_the_earlier_corpus_is_not_known(
    tiny_settings: Settings, tiny_corpus, monkeypatch: pytest.MonkeyPatch
):
    pipeline = build(tiny_settings)
    label = tiny_corpus.folder / "isoniazid.xml"
    label.write_bytes(label.read_bytes().replace(b"300 mg", b"310 mg"))
    shutil.rmtree(pipeline.corpus_folder("label"))
    asked: list[int] = []
    check = embeddings.check_vectors
    monkeypatch.setattr(
        embeddings, "check_vectors", lambda *a, **k: (asked.append(a[1]), check(*a, **k))
    )
    again = build(tiny_settings)
    assert asked == [again.corpus("label").read().value.passages]


def test_a_damaged_query_encoder_is_exported_again(tiny_settings: Settings):
    pipeline = build(tiny_settings)
    make_candidate(pipeline, "label")
    (file,) = (pipeline.workspace.models).glob("*/model.onnx")
    sound = file.read_bytes()
    make_candidate(Pipeline(tiny_settings), "label")
    file.write_bytes(sound[:-2] + b"}}")
    make_candidate(Pipeline(tiny_settings), "label")
    assert file.read_bytes() != sound[:-2] + b"}}"
