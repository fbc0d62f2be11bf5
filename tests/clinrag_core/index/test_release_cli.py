"""`clinrag release`: damage is an exit code, and decisions have an author and a reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from clinrag_core.cli.main import app
from clinrag_core.index.integrity import file_digests
from clinrag_core.index.knowledge_base import FORMAT, MANIFEST, KnowledgeBaseManifest
from clinrag_core.index.release import ReleaseStore
from clinrag_core.index.release_folder import ReleaseDraft
from clinrag_core.index.release_record import LabelChange
from clinrag_core.settings import BM25Settings
from clinrag_core.workspace import write_json

CHANGE = LabelChange(
    document_id="set-1", name="bedaquiline", old_version=1, new_version=2, sections=("dosage",)
)
SIGNED = ("--author", "a person", "--reason", "a test")


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["release", *arguments])
    return result.exit_code, result.output


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ReleaseStore:
    """A workspace with two releases, the second with a HIGH change."""
    monkeypatch.setenv("CLINRAG_HOME", str(tmp_path))
    store = ReleaseStore(tmp_path / "releases")
    (tmp_path / "encoder").mkdir()
    for name, changes in (("aaaa", ()), ("bbbb", (CHANGE,))):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "chunks.arrow").write_text(name)
        manifest = KnowledgeBaseManifest(
            format=FORMAT, name="kb", kind="label", fingerprint=name, corpus_digest="c",
            chunker="k", encoder="e" * 16, encoder_name="tiny", similarity="cosine", dimension=4,
            bm25="b", bm25_settings=BM25Settings(), shards={}, chunks=1, statements=0,
            documents=1, files=file_digests(folder),
        )  # fmt: skip
        write_json(folder / MANIFEST, manifest.model_dump(mode="json"))
        draft = ReleaseDraft({"kb": folder}, tmp_path / "encoder", "sample", "tiny")
        store.publish(draft._replace(changes=changes))
    return store


def test_verify_finds_damage_and_names_what_is_served(store: ReleaseStore):
    code, output = run("verify")
    assert code == 0
    assert output.count("undamaged") == 2
    newest, first = store.list()
    (store.folder_of(newest) / "kb" / "chunks.arrow").write_text("edited")
    code, output = run("verify")
    assert code == 1
    assert "kb/chunks.arrow is changed" in output
    assert f"serving release {first.id}" in output


def test_list_shows_what_nobody_has_reviewed(store: ReleaseStore):
    assert "served, unreviewed" in run("list")[1]
    store.mark_reviewed("sample", "tiny")
    assert "unreviewed" not in run("list")[1]


def test_a_rollback_without_a_reason_is_refused(store: ReleaseStore):
    newest = store.current()
    assert run("rollback", "--author", "a person")[0] != 0
    assert store.current() == newest
    assert run("rollback", *SIGNED)[0] == 0
    assert store.current().sequence == 1


def test_a_change_is_listed_until_it_is_acknowledged(store: ReleaseStore):
    assert "set-1" in run("changes")[1]
    assert run("acknowledge", "set-1", *SIGNED)[0] == 0
    assert "no unacknowledged HIGH change" in run("changes")[1]
