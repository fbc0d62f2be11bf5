"""A HIGH change of a label is released and marked: to withhold a new boxed warning is unsafe."""

from __future__ import annotations

import shutil

import pytest

from clinrag_core.index.release import ReleaseStore
from clinrag_core.pipeline.release import publish_release
from clinrag_core.settings import Settings, data_folder

ENTRY = '\n[[label]]\ndrug = "bedaquiline"\nformat = "spl"\npath = "{}"\n'


@pytest.fixture
def offer(tiny_corpus):
    """Adds a version of the sample's bedaquiline label to the tiny corpus."""

    def add(version: int) -> None:
        name = f"bedaquiline-v{version}.xml"
        source = data_folder() / "corpora" / "sample" / "labels" / name
        shutil.copy(source, tiny_corpus.folder / name)
        manifest = tiny_corpus.folder / "corpus.toml"
        manifest.write_text(manifest.read_text() + ENTRY.format(name))

    return add


def test_a_changed_dose_is_recorded_with_the_release_and_never_taken_back(
    offer, tiny_settings: Settings, tiny_corpus, build_reports
):
    offer(1)
    first = publish_release(build_reports(tiny_settings)).release
    assert first.changes == ()
    offer(2)
    pipeline = build_reports(tiny_settings)
    second = publish_release(pipeline).release
    (change,) = second.changes
    assert (change.name, change.old_version, change.new_version) == ("bedaquiline", 1, 2)
    assert any(section.startswith("dosage changed") for section in change.sections)
    store = ReleaseStore(pipeline.workspace.releases)
    assert store.open().changes == (change,)

    newer = tiny_corpus.folder / "bedaquiline-v2.xml"
    newer.write_bytes(newer.read_bytes()[:3000])
    third = publish_release(build_reports(tiny_settings)).release
    assert third.knowledge_bases == second.knowledge_bases
    store.acknowledge(change.document_id, author="a person", reason="read the new dose")
    assert store.open().changes == ()


@pytest.mark.slow
def test_a_candidate_with_an_older_label_fails_its_gate(
    offer, tiny_settings: Settings, tiny_corpus, build_reports
):
    """The partitions may be lost and built again from older files: the release remembers."""
    offer(2)
    publish_release(build_reports(tiny_settings))
    shutil.rmtree(tiny_settings.home / "partitions")
    tiny_corpus.write()
    offer(1)
    report = build_reports(tiny_settings).report("corpus_report").read().value
    assert report.failed == ("no_older_label",)
    (check,) = [check for check in report.checks if check.name == "no_older_label"]
    assert (check.gate, check.passed) == (True, False)
    assert "pinned_version" in check.description
    manifest = tiny_corpus.folder / "corpus.toml"
    manifest.write_text(manifest.read_text() + "pinned_version = 1\n")
    assert build_reports(tiny_settings).report("corpus_report").read().value.failed == ()
