"""Quarantine, never silence: what becomes of a partition when its file breaks, heals or changes."""

import pytest
from fakes.builds import chunk_documents

from clinrag_core.chunk.chunker import Chunker
from clinrag_core.model.chunk import Chunk
from clinrag_core.model.document import Document
from clinrag_core.pipeline import cut
from clinrag_core.pipeline.corpus import make_corpus, shard_shares
from clinrag_core.pipeline.partition_work import PartitionKey, chunk_partition
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.settings import Settings


def build(settings: Settings) -> Pipeline:
    pipeline = Pipeline(settings)
    for kind in ("guideline", "label"):
        chunk_documents(pipeline, kind, pipeline.keys(kind))
    return pipeline


def test_a_built_corpus_is_fresh_and_nothing_is_done_again(tiny_settings: Settings):
    build(tiny_settings)
    pipeline = Pipeline(tiny_settings)
    assert pipeline.stale("guideline") == []
    assert pipeline.stale("label") == []
    partition = pipeline.partition("label", "isoniazid")
    assert not partition.parse().changed
    assert not partition.chunk(pipeline.models.chunker, pipeline.models.chunker_fingerprint).changed


def test_one_changed_file_makes_one_partition_stale(tiny_settings: Settings, tiny_corpus):
    build(tiny_settings)
    tiny_corpus.change_dose()
    pipeline = Pipeline(tiny_settings)
    assert (pipeline.stale("guideline"), pipeline.stale("label")) == ([], ["isoniazid"])


def test_a_broken_new_file_is_quarantined_and_the_last_good_document_stays(
    tiny_settings: Settings, tiny_corpus
):
    before = build(tiny_settings).partition("label", "isoniazid").parsed()
    assert before is not None
    (tiny_corpus.folder / "isoniazid.xml").write_bytes(b"<document>")
    after = build(tiny_settings).partition("label", "isoniazid").parsed()
    assert after is not None
    assert after.documents == before.documents
    assert after.kept == (before.documents[0].id,)
    assert "isoniazid.xml" in after.failures[0].file


def test_a_missing_file_keeps_the_last_good_document_and_names_the_file(
    tiny_settings: Settings, tiny_corpus
):
    build(tiny_settings)
    (tiny_corpus.folder / "tb-care.txt").unlink()
    pipeline = build(tiny_settings)
    record = pipeline.partition("guideline", "tb-care").parsed()
    assert record is not None
    assert len(record.documents) == 1
    assert "tb-care.txt" in record.failures[0].reason
    assert pipeline.stale("guideline") == ["tb-care"]


def test_a_healed_file_leaves_quarantine(tiny_settings: Settings, tiny_corpus):
    good = (tiny_corpus.folder / "isoniazid.xml").read_bytes()
    (tiny_corpus.folder / "isoniazid.xml").write_bytes(b"")
    first = build(tiny_settings)
    record = first.partition("label", "isoniazid").parsed()
    assert record is not None
    assert record.documents == ()
    assert make_corpus(first, "label").left_out["isoniazid"].startswith("quarantined")
    (tiny_corpus.folder / "isoniazid.xml").write_bytes(good)
    second = build(tiny_settings)
    healed = second.partition("label", "isoniazid").parsed()
    assert healed is not None
    assert healed.failures == ()
    assert make_corpus(second, "label").left_out == {}


def _fails_on(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Make a document of this name one that the chunker has no answer to."""
    as_it_is = Chunker.chunk

    def chunk(self: Chunker, document: Document) -> list[Chunk]:
        if document.file.name == name:
            raise ValueError("a table that nobody has seen")
        return as_it_is(self, document)

    monkeypatch.setattr(Chunker, "chunk", chunk)


def test_a_document_that_cannot_be_cut_stops_no_other(
    tiny_settings: Settings, monkeypatch: pytest.MonkeyPatch
):
    _fails_on(monkeypatch, "isoniazid.xml")
    pipeline = build(tiny_settings)
    left_out = make_corpus(pipeline, "label").left_out
    assert left_out == {"isoniazid": "quarantined: cannot_be_cut"}
    assert make_corpus(pipeline, "guideline").chunks > 0
    assert pipeline.stale("label") == ["isoniazid"]
    record = pipeline.partition("label", "isoniazid").chunked()
    assert record is not None
    assert [failure.file for failure in record.uncut] == ["isoniazid.xml"]
    assert chunk_partition(pipeline, PartitionKey("label", "isoniazid")).problems == ()


def test_a_new_version_that_cannot_be_cut_leaves_the_chunks_of_the_last(
    tiny_settings: Settings, tiny_corpus, monkeypatch: pytest.MonkeyPatch
):
    before = build(tiny_settings).partition("label", "isoniazid")
    chunks = before.chunks()
    tiny_corpus.change_dose()
    with monkeypatch.context() as patch:
        _fails_on(patch, "isoniazid.xml")
        failed = build(tiny_settings)
        assert failed.partition("label", "isoniazid").chunks() == chunks
        assert make_corpus(failed, "label").quarantined == 1
        assert chunk_partition(failed, PartitionKey("label", "isoniazid")).problems == ()
        assert failed.stale("label") == ["isoniazid"]
    healed = build(tiny_settings)
    assert healed.partition("label", "isoniazid").chunks() != chunks
    assert make_corpus(healed, "label").quarantined == 0
    assert healed.stale("label") == []


def test_unsound_chunks_are_reported_in_every_run_until_they_are_made_again(
    tiny_settings: Settings, monkeypatch: pytest.MonkeyPatch
):
    isoniazid = PartitionKey("label", "isoniazid")
    with monkeypatch.context() as patch:
        patch.setattr(cut, "chunk_problems", lambda *_: ["a span is not verbatim"])
        build(tiny_settings)
        for _ in range(2):
            pipeline = Pipeline(tiny_settings)
            assert "isoniazid" in pipeline.stale("label")
            assert chunk_partition(pipeline, isoniazid).problems == ("a span is not verbatim",)
    pipeline = build(tiny_settings)
    assert pipeline.stale("label") == []
    assert chunk_partition(pipeline, isoniazid).problems == ()


def test_a_retired_guideline_leaves_the_corpus_but_not_the_disk(
    tiny_settings: Settings, tiny_corpus
):
    before = make_corpus(build(tiny_settings), "guideline")
    assert before.partitions > 1
    tiny_corpus.guidelines.remove("tb-tests")
    tiny_corpus.write()
    pipeline = Pipeline(tiny_settings)
    after = make_corpus(pipeline, "guideline")
    kept = [s for one in after.shards for s in shard_shares(pipeline, "guideline", one.digest)]
    assert [share.partition.key for share in kept] == ["tb-care"]
    assert after.digest != before.digest
    assert pipeline.partition("guideline", "tb-tests").parsed() is not None


def test_a_topic_that_is_not_admitted_is_left_out_with_its_reason(
    tiny_settings: Settings, tiny_corpus
):
    manifest = tiny_corpus.folder / "corpus.toml"
    text = manifest.read_text()
    manifest.write_text(text.replace('topics = ["tb"]', 'topics = ["other"]', 1))
    left_out = make_corpus(build(tiny_settings), "guideline").left_out
    assert left_out == {"tb-care": "topic other is not admitted"}


def test_an_unreadable_record_is_made_again(tiny_settings: Settings):
    pipeline = build(tiny_settings)
    record = pipeline.partition("label", "isoniazid").folder / "documents.json"
    record.write_text("{")
    assert pipeline.stale("label") == ["isoniazid"]
    assert build(tiny_settings).stale("label") == []
