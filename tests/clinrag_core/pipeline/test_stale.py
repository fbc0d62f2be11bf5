"""Which partitions are processed again: those whose files, entries or records changed."""

import gzip
import os

import pytest
from fakes.builds import build_labels

from clinrag_core.errors import MissingInputError
from clinrag_core.pipeline.corpus import make_corpus
from clinrag_core.pipeline.partition import Partition
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.settings import Settings


def test_checking_a_built_corpus_reads_no_documents(
    tiny_settings: Settings, monkeypatch: pytest.MonkeyPatch
):
    before = make_corpus(build_labels(tiny_settings), "label")

    def refuse(_: Partition) -> None:
        raise AssertionError("documents were read")

    monkeypatch.setattr(Partition, "parsed", refuse)
    pipeline = Pipeline(tiny_settings)
    assert pipeline.stale("label") == []
    assert make_corpus(pipeline, "label") == before


def test_a_partition_whose_documents_are_gone_is_stale(tiny_settings: Settings, tiny_corpus):
    (tiny_corpus.folder / "isoniazid.xml").write_bytes(b"<document>")
    pipeline = build_labels(tiny_settings)
    corpus = make_corpus(pipeline, "label")
    assert corpus.left_out["isoniazid"].startswith("quarantined")
    pipeline.partition("label", "pyrazinamide").folder.joinpath("documents.json").unlink()
    assert pipeline.stale("label") == ["isoniazid", "pyrazinamide"]


def test_a_partition_that_was_never_chunked_stops_the_corpus(tiny_settings: Settings):
    pipeline = build_labels(tiny_settings)
    pipeline.partition("label", "isoniazid").folder.joinpath("chunks.json").unlink()
    with pytest.raises(MissingInputError) as error:
        make_corpus(pipeline, "label")
    assert error.value.path == "partitions/label/isoniazid/chunks.json"
    assert error.value.stage == "label_chunks"


def test_a_changed_figure_is_seen_where_size_and_time_of_the_file_stay(
    tiny_settings: Settings, tiny_corpus
):
    """A copy or an archive may keep both; a dose must not stay wrong for that."""
    build_labels(tiny_settings)
    label = tiny_corpus.folder / "isoniazid.xml"
    stat = label.stat()
    tiny_corpus.change_dose()
    os.utime(label, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert label.stat().st_size == stat.st_size
    assert Pipeline(tiny_settings).stale("label") == ["isoniazid"]


@pytest.mark.parametrize("line", ["published = 2020-01-01", f'sha256 = "{"0" * 64}"'])
def test_what_the_manifest_newly_says_of_a_label_makes_it_stale(
    tiny_settings: Settings, tiny_corpus, line: str
):
    build_labels(tiny_settings)
    tiny_corpus.add_to_entry(line)
    assert Pipeline(tiny_settings).stale("label") == ["isoniazid"]


def test_another_set_id_in_the_manifest_makes_a_label_stale(tiny_settings: Settings, tiny_corpus):
    build_labels(tiny_settings)
    tiny_corpus.add_to_entry('set_id = "00000000-0000-4000-8000-000000000000"')
    assert Pipeline(tiny_settings).stale("label") == ["isoniazid"]


def test_a_lost_stored_file_is_stored_again(tiny_settings: Settings):
    pipeline = build_labels(tiny_settings)
    (file,) = pipeline.acquire("label", "isoniazid").files
    file.path.unlink()
    assert Pipeline(tiny_settings).stale("label") == []
    assert file.path.is_file()


def test_a_packed_label_is_fresh_too(tiny_settings: Settings, tiny_corpus):
    packed = tiny_corpus.folder / "packed.xml.gz"
    packed.write_bytes(gzip.compress((tiny_corpus.folder / "isoniazid.xml").read_bytes()))
    tiny_corpus.labels["isoniazid"] = packed.name
    tiny_corpus.write()
    build_labels(tiny_settings)
    assert Pipeline(tiny_settings).stale("label") == []
