"""Evidence never goes back: a set id is served at the highest version ever accepted.

A damaged newer file once brought a superseded label back: the older file was good, the newer one in
quarantine, and only ids were compared.
"""

from __future__ import annotations

import datetime as dt
import shutil

import pytest

from clinrag_core.pipeline.partition import Partition
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.settings import Settings, data_folder

DRUG = "bedaquiline"
FILES = ("bedaquiline-v1.xml", "bedaquiline-v2.xml")
PINNED = """
[[label]]
drug = "bedaquiline"
format = "spl"
path = "bedaquiline-v1.xml"
pinned_version = 1
"""


@pytest.fixture
def two_versions(tiny_corpus):
    """The tiny corpus with both versions of the sample's bedaquiline label."""
    for name in FILES:
        source = data_folder() / "corpora" / "sample" / "labels" / name
        shutil.copy(source, tiny_corpus.folder / name)
    write(tiny_corpus, *FILES)
    return tiny_corpus


def write(corpus, *files: str, extra: str = "") -> None:
    """Write the manifest with these bedaquiline files."""
    corpus.labels = {"isoniazid": "isoniazid.xml"}
    corpus.write()
    manifest = corpus.folder / "corpus.toml"
    entry = '\n[[label]]\ndrug = "bedaquiline"\nformat = "spl"\npath = "{}"\n'
    manifest.write_text(manifest.read_text() + "".join(map(entry.format, files)) + extra)


def parse(settings: Settings) -> Partition:
    pipeline = Pipeline(settings)
    partition = pipeline.partition("label", DRUG)
    partition.record_acquired(pipeline.acquire("label", DRUG))
    partition.parse()
    return partition


def served(settings: Settings) -> list[tuple[int | None, dt.date | None]]:
    record = parse(settings).parsed()
    assert record is not None
    return [(d.label.version, d.label.effective) for d in record.documents if d.label]


V1, V2 = (1, dt.date(2019, 8, 12)), (2, dt.date(2020, 6, 15))


def test_a_damaged_newer_file_keeps_the_newest_version(two_versions, tiny_settings: Settings):
    assert served(tiny_settings) == [V2]
    newer = two_versions.folder / FILES[1]
    newer.write_bytes(newer.read_bytes()[:2000])
    assert served(tiny_settings) == [V2]
    record = parse(tiny_settings).parsed()
    assert record is not None
    assert all(any(name in failure.file for failure in record.failures) for name in FILES)
    assert any(
        "version 1 (2019-08-12) is older than version 2 (2020-06-15)" in failure.reason
        for failure in record.failures
    )


def test_a_newer_file_that_left_the_manifest_takes_nothing_back(
    two_versions, tiny_settings: Settings
):
    assert served(tiny_settings) == [V2]
    write(two_versions, FILES[0])
    assert served(tiny_settings) == [V2]


def test_an_older_effective_date_of_the_same_version_takes_nothing_back(
    two_versions, tiny_settings: Settings
):
    assert served(tiny_settings) == [V2]
    newer = two_versions.folder / FILES[1]
    newer.write_text(newer.read_text().replace("20200615", "20200614"))
    assert served(tiny_settings) == [V2]


def test_a_version_is_remembered_while_its_label_is_not_listed(
    two_versions, tiny_settings: Settings
):
    """What a source withdraws leaves the corpus; when it returns, it returns no older."""
    assert served(tiny_settings) == [V2]
    write(two_versions, extra='\n[[label]]\ndrug = "bedaquiline"\nformat = "spl"\npath = "x.xml"\n')
    shutil.copy(two_versions.folder / "isoniazid.xml", two_versions.folder / "x.xml")
    assert V2 not in served(tiny_settings)
    write(two_versions, FILES[0])
    assert served(tiny_settings) == [V2]


def test_a_manifest_entry_of_a_person_goes_back(two_versions, tiny_settings: Settings):
    assert served(tiny_settings) == [V2]
    write(two_versions, FILES[1], extra=PINNED)
    assert served(tiny_settings) == [V1]
    write(two_versions, FILES[0])
    assert served(tiny_settings) == [V1], "what was given up is not served again by itself"
    write(two_versions, *FILES)
    assert served(tiny_settings) == [V2]


def test_a_pinned_entry_with_another_version_is_quarantined(two_versions, tiny_settings: Settings):
    write(two_versions, extra=PINNED.replace("v1.xml", "v2.xml"))
    record = parse(tiny_settings).parsed()
    assert record is not None
    assert record.documents == ()
    assert "pinned_version = 1" in record.failures[0].reason


def test_another_corpus_in_the_same_home_keeps_nothing_of_this_one(
    two_versions, tiny_settings: Settings
):
    """Two corpora share a home and a drug: what one accepted is no evidence of the other."""
    assert served(tiny_settings) == [V2]
    write(two_versions, FILES[0])
    manifest = two_versions.folder / "corpus.toml"
    manifest.write_text(manifest.read_text().replace('name = "tiny"', 'name = "another"'))
    assert served(tiny_settings) == [V1]
