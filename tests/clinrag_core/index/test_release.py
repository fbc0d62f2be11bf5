import datetime as dt
import json
from pathlib import Path

import pytest

from clinrag_core.errors import ReleaseError
from clinrag_core.index.knowledge_base import FORMAT, MANIFEST, KnowledgeBaseManifest
from clinrag_core.index.release import POINTER, ReleaseStore
from clinrag_core.workspace import write_json


def candidate(folder: Path, fingerprint: str, encoder: str = "e" * 16) -> Path:
    directory = folder / fingerprint
    directory.mkdir(parents=True)
    manifest = KnowledgeBaseManifest(
        format=FORMAT, name="kb_guidelines_tiny", kind="guideline", fingerprint=fingerprint,
        corpus_digest="c", chunker="k", encoder=encoder, encoder_name="tiny", similarity="cosine",
        dimension=4, bm25="b", chunks=1, documents=1, chunks_sha256="0",
    )  # fmt: skip
    write_json(directory / MANIFEST, manifest.model_dump(mode="json"))
    return directory


@pytest.fixture
def store(tmp_path: Path) -> ReleaseStore:
    ticks = iter(range(1000))
    return ReleaseStore(
        tmp_path / "releases",
        keep=5,
        now=lambda: dt.datetime(2026, 1, 1, tzinfo=dt.UTC) + dt.timedelta(hours=next(ticks)),
    )


def publish(store: ReleaseStore, folder: Path, name: str):
    directory = folder / name
    if not directory.exists():
        candidate(folder, name)
    return store.publish({"kb_guidelines_tiny": directory}, profile="sample")


def test_nothing_is_served_before_the_first_release(store: ReleaseStore):
    with pytest.raises(ReleaseError, match="nothing has been released"):
        store.current()


def test_publishing_serves_and_publishing_the_same_again_changes_nothing(
    store: ReleaseStore, tmp_path: Path
):
    first = publish(store, tmp_path, "aaaa")
    assert store.current() == first
    assert publish(store, tmp_path, "aaaa") == first
    assert [r.id for r in store.list()] == [first.id]


def test_the_last_five_are_kept_and_the_current_one_always(store: ReleaseStore, tmp_path: Path):
    for i in range(8):
        publish(store, tmp_path, f"rel{i}")
    assert [r.sequence for r in store.list()] == [8, 7, 6, 5, 4]
    store.rollback(store.list()[-1].id)
    publish(store, tmp_path, "rel8")
    assert store.current().sequence == 9


def test_a_rollback_serves_the_previous_release_and_survives_the_next_run(
    store: ReleaseStore, tmp_path: Path
):
    """Otherwise a scheduled run would publish a release that was just rolled back."""
    good, bad = publish(store, tmp_path, "good"), publish(store, tmp_path, "bad1")
    assert store.rollback() == good
    with pytest.raises(ReleaseError, match="withdrawn"):
        publish(store, tmp_path, "bad1")
    assert store.current() == good
    assert store.rollback(bad.id) == bad
    assert publish(store, tmp_path, "bad1") == bad


def test_there_is_nothing_before_the_first(store: ReleaseStore, tmp_path: Path):
    publish(store, tmp_path, "only")
    with pytest.raises(ReleaseError, match="no release before"):
        store.rollback()
    with pytest.raises(ReleaseError, match="there are: 0001"):
        store.rollback("nonsense")


def test_candidates_of_different_encoders_are_refused(store: ReleaseStore, tmp_path: Path):
    directories = {
        "one": candidate(tmp_path / "x", "aaaa"),
        "two": candidate(tmp_path / "y", "bbbb", encoder="f" * 16),
    }
    with pytest.raises(ReleaseError, match="different encoders"):
        store.publish(directories, profile="sample")


def test_a_release_does_not_need_its_candidate_any_more(store: ReleaseStore, tmp_path: Path):
    release = publish(store, tmp_path, "gone")
    for file in (tmp_path / "gone").iterdir():
        file.unlink()
    assert (store.directory(release, "kb_guidelines_tiny") / MANIFEST).is_file()


def test_a_broken_pointer_is_an_error_not_another_release(store: ReleaseStore, tmp_path: Path):
    publish(store, tmp_path, "aaaa")
    pointer = tmp_path / "releases" / POINTER
    pointer.write_text(json.dumps({"release": "0099-missing"}))
    with pytest.raises(ReleaseError, match="0099-missing"):
        store.current()
    pointer.write_text(json.dumps({"what": 1}))
    with pytest.raises(ReleaseError, match="malformed"):
        store.current()
