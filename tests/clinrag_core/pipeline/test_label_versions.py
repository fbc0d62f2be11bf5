"""Versions of a label stay readable after a newer file has replaced an older one."""

from __future__ import annotations

import re

import pytest
from typer.testing import CliRunner

from clinrag_core.cli.main import app
from clinrag_core.errors import LabelVersionError
from clinrag_core.pipeline.label_versions import label_diff, label_versions
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.settings import Settings, data_folder


def acquire(settings: Settings) -> Pipeline:
    pipeline = Pipeline(settings)
    for key in pipeline.keys("label"):
        pipeline.acquire("label", key)
    return pipeline


def set_id(tiny_corpus) -> str:
    text = (tiny_corpus.folder / "isoniazid.xml").read_text()
    found = re.search(r'setId root="([^"]+)"', text)
    assert found is not None
    return found[1]


def replace_label(tiny_corpus) -> None:
    path = tiny_corpus.folder / "isoniazid.xml"
    text = path.read_text()
    version = re.search(r'versionNumber value="(\d+)"', text)
    assert version is not None
    later = f'versionNumber value="{int(version[1]) + 7}"'
    path.write_text(text.replace(version[0], later).replace("hepatitis", "liver injury"))


def test_a_replaced_version_is_still_known(tiny_settings: Settings, tiny_corpus):
    acquire(tiny_settings)
    replace_label(tiny_corpus)
    workspace = acquire(tiny_settings).workspace
    versions = [d.label.version for d in label_versions(workspace, set_id(tiny_corpus)) if d.label]
    assert len(versions) == 2
    assert versions[1] == (versions[0] or 0) + 7
    found = label_diff(workspace, set_id(tiny_corpus))
    assert (found.old_version, found.new_version) == tuple(versions)
    assert any("liver injury" in edit.added for c in found.changes for edit in c.edits)


def test_errors_name_what_there_is(tiny_settings: Settings, tiny_corpus):
    workspace = acquire(tiny_settings).workspace
    known = set_id(tiny_corpus)
    with pytest.raises(LabelVersionError, match="nothing to compare"):
        label_diff(workspace, known)
    with pytest.raises(LabelVersionError, match="there is no version 99"):
        label_diff(workspace, known, old=99)
    with pytest.raises(LabelVersionError, match=f"close to it: {known}"):
        label_versions(workspace, known[:-2] + "zz")


def test_the_command_compares_the_sample_versions():
    folder = data_folder() / "corpora" / "sample"
    text = (folder / "labels" / "bedaquiline-v2.xml").read_text()
    found = re.search(r'setId root="([^"]+)"', text)
    assert found is not None
    result = CliRunner().invoke(app, ["labels", "diff", found[1], "--corpus", str(folder)])
    assert result.exit_code == 0, result.output
    assert "version 1 to 2" in result.output
    assert "HIGH" in result.output
