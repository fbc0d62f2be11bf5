import datetime as dt
import json
from pathlib import Path

import pytest

from clinrag_core.errors import ReleaseError
from clinrag_core.index.integrity import file_digests
from clinrag_core.index.knowledge_base import FORMAT, MANIFEST, KnowledgeBaseManifest
from clinrag_core.index.release import POINTER, ReleaseStore
from clinrag_core.index.release_folder import RECORD, ReleaseDraft
from clinrag_core.index.release_record import LabelChange
from clinrag_core.index.scope_record import SCOPE
from clinrag_core.settings import BM25Settings
from clinrag_core.workspace import read_json, write_json

BASE = "kb_guidelines_tiny"
SIGNED = {"author": "a person", "reason": "a test"}


def candidate(folder: Path, fingerprint: str, encoder: str = "e" * 16) -> Path:
    directory = folder / fingerprint
    directory.mkdir(parents=True)
    (directory / "chunks.arrow").write_text(f"passages of {fingerprint}")
    manifest = KnowledgeBaseManifest(
        format=FORMAT, name=BASE, kind="guideline", fingerprint=fingerprint,
        corpus_digest="c", chunker="k", encoder=encoder, encoder_name="tiny", similarity="cosine",
        dimension=4, bm25="b", bm25_settings=BM25Settings(), chunks=1, statements=0,
        documents=1, shards={}, files=file_digests(directory),
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


def publish(store: ReleaseStore, folder: Path, name: str, **more):
    directory = folder / name
    if not directory.exists():
        candidate(folder, name)
    encoder = folder / "encoder"
    encoder.mkdir(exist_ok=True)
    (encoder / "tokenizer.json").write_text("{}")
    given = {"profile": "sample", "corpus": "tiny"} | more
    return store.publish(ReleaseDraft({BASE: directory}, encoder, **given))


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


def test_another_scope_of_the_same_knowledge_bases_is_a_new_release(
    store: ReleaseStore, tmp_path: Path
):
    """What a newer version reads from the same documents must reach those who ask."""
    first = publish(store, tmp_path, "aaaa", records={SCOPE: {"drugs": ["x"]}})
    assert publish(store, tmp_path, "aaaa", records={SCOPE: {"drugs": ["x"]}}) == first
    second = publish(store, tmp_path, "aaaa", records={SCOPE: {"drugs": ["x", "y"]}})
    assert second.id != first.id
    assert read_json(store.folder_of(second) / SCOPE) == {"drugs": ["x", "y"]}
    store.rollback(**SIGNED)
    with pytest.raises(ReleaseError, match="withdrawn"):
        publish(store, tmp_path, "aaaa", records={SCOPE: {"drugs": ["z"]}})


def test_the_last_five_are_kept_and_the_current_one_always(store: ReleaseStore, tmp_path: Path):
    for i in range(8):
        publish(store, tmp_path, f"rel{i}")
    assert [r.sequence for r in store.list()] == [8, 7, 6, 5, 4]
    store.rollback(store.list()[-1].id, **SIGNED)
    publish(store, tmp_path, "rel8")
    assert store.current().sequence == 9


def test_a_rollback_serves_the_previous_release_and_survives_the_next_run(
    store: ReleaseStore, tmp_path: Path
):
    """Otherwise a scheduled run would publish a release that was just rolled back."""
    good, bad = publish(store, tmp_path, "good"), publish(store, tmp_path, "bad1")
    assert store.rollback(**SIGNED) == good
    with pytest.raises(ReleaseError, match="withdrawn"):
        publish(store, tmp_path, "bad1")
    assert store.current() == good
    assert store.rollback(bad.id, **SIGNED) == bad
    assert publish(store, tmp_path, "bad1") == bad


def test_there_is_nothing_before_the_first(store: ReleaseStore, tmp_path: Path):
    publish(store, tmp_path, "only")
    with pytest.raises(ReleaseError, match="no release before"):
        store.rollback(**SIGNED)
    with pytest.raises(ReleaseError, match="there are: 0001"):
        store.rollback("nonsense", **SIGNED)


def test_candidates_of_different_encoders_are_refused(store: ReleaseStore, tmp_path: Path):
    directories = {
        "one": candidate(tmp_path / "x", "aaaa"),
        "two": candidate(tmp_path / "y", "bbbb", encoder="f" * 16),
    }
    with pytest.raises(ReleaseError, match="different encoders"):
        store.publish(ReleaseDraft(directories, tmp_path, profile="sample", corpus="tiny"))


def test_a_release_does_not_need_its_candidate_any_more(store: ReleaseStore, tmp_path: Path):
    release = publish(store, tmp_path, "gone")
    for file in (tmp_path / "gone").iterdir():
        file.unlink()
    assert (store.directory(release, BASE) / MANIFEST).is_file()


def test_a_broken_pointer_is_an_error_not_another_release(store: ReleaseStore, tmp_path: Path):
    publish(store, tmp_path, "aaaa")
    pointer = tmp_path / "releases" / POINTER
    pointer.write_text(json.dumps({"release": "0099-missing"}))
    with pytest.raises(ReleaseError, match="0099-missing"):
        store.current()
    pointer.write_text(json.dumps({"what": 1}))
    with pytest.raises(ReleaseError, match="malformed"):
        store.current()


@pytest.mark.parametrize(
    "file", [f"{BASE}/chunks.arrow", f"{BASE}/{MANIFEST}", "encoder/tokenizer.json", RECORD]
)
def test_one_changed_byte_of_any_file_serves_the_good_release_before_it(
    store: ReleaseStore, tmp_path: Path, file: str
):
    """An edited chunks.arrow was once served, and '900 mg' cited as verbatim."""
    good, newest = publish(store, tmp_path, "good"), publish(store, tmp_path, "newer")
    assert store.open().release == newest
    path = store.folder_of(newest) / file
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    served = store.open()
    assert (served.release, served.damaged) == (good, newest.id)
    assert file.rpartition("/")[2] in served.problems[0]
    assert newest.id in served.notices[0]


def test_a_file_that_was_added_or_deleted_is_damage(store: ReleaseStore, tmp_path: Path):
    release = publish(store, tmp_path, "only")
    extra = store.folder_of(release) / BASE / "approximate.faiss"
    extra.write_bytes(b"?")
    assert store.problems(release.id) == [f"{BASE}/approximate.faiss does not belong to it"]
    extra.unlink()
    (store.folder_of(release) / BASE / "chunks.arrow").unlink()
    assert store.problems(release.id) == [f"{BASE}/chunks.arrow is missing"]


def test_damage_in_place_reaches_neither_another_release_nor_the_candidate(
    store: ReleaseStore, tmp_path: Path
):
    """Files of a candidate and its releases were once hard links to one another."""
    release = publish(store, tmp_path, "aaaa")
    (tmp_path / "aaaa" / "chunks.arrow").write_text("edited in place")
    (tmp_path / "encoder" / "tokenizer.json").write_text("edited in place")
    assert store.problems(release.id) == []


def test_a_damaged_candidate_is_never_released(store: ReleaseStore, tmp_path: Path):
    good = publish(store, tmp_path, "good")
    candidate(tmp_path, "bad1")
    (tmp_path / "bad1" / "chunks.arrow").write_text("edited after it was built")
    with pytest.raises(ReleaseError, match=r"bad1 is damaged \(chunks.arrow is changed\)"):
        publish(store, tmp_path, "bad1")
    assert store.open().release == good


def test_running_the_chain_again_replaces_a_damaged_release(store: ReleaseStore, tmp_path: Path):
    damaged = publish(store, tmp_path, "aaaa")
    (store.folder_of(damaged) / BASE / "chunks.arrow").write_text("?")
    with pytest.raises(ReleaseError, match="nor is there a good one before it"):
        store.open()
    again = publish(store, tmp_path, "aaaa")
    assert again.sequence == 2
    assert store.open().damaged is None


def test_no_release_of_another_corpus_or_profile_and_no_withdrawn_one_takes_the_place(
    store: ReleaseStore, tmp_path: Path
):
    publish(store, tmp_path, "other", corpus="other")
    publish(store, tmp_path, "live", profile="live")
    publish(store, tmp_path, "base")
    withdrawn = publish(store, tmp_path, "bad1")
    store.rollback(**SIGNED)
    newest = publish(store, tmp_path, "newest")
    assert withdrawn.sequence < newest.sequence
    for release in (newest, store.list()[2]):
        (store.folder_of(release) / RECORD).write_text("{}")
    with pytest.raises(ReleaseError, match="nor is there a good one before it"):
        store.open()


def test_a_rollback_is_recorded_with_author_and_reason(store: ReleaseStore, tmp_path: Path):
    first, second = publish(store, tmp_path, "aaaa"), publish(store, tmp_path, "bbbb")
    with pytest.raises(ReleaseError, match="an author and a reason"):
        store.rollback(author="a person", reason=" ")
    assert store.current() == second
    store.rollback(**SIGNED)
    pointer = store.pointer()
    assert pointer is not None
    (decision,) = pointer.decisions
    assert (decision.kind, decision.author, decision.reason) == ("rollback", *SIGNED.values())
    assert decision.about == f"{second.id} to {first.id}"


def test_a_rollback_to_a_damaged_release_is_refused(store: ReleaseStore, tmp_path: Path):
    first, second = publish(store, tmp_path, "aaaa"), publish(store, tmp_path, "bbbb")
    (store.folder_of(first) / BASE / "chunks.arrow").write_text("?")
    with pytest.raises(ReleaseError, match="is damaged"):
        store.rollback(**SIGNED)
    assert store.current() == second


def test_a_release_is_unreviewed_until_a_person_promotes(store: ReleaseStore, tmp_path: Path):
    publish(store, tmp_path, "aaaa")
    assert store.open().unreviewed
    store.mark_reviewed("sample", "another")
    assert store.open().unreviewed
    store.mark_reviewed("sample", "tiny")
    assert not store.open().unreviewed
    publish(store, tmp_path, "bbbb")
    assert not store.open().unreviewed


CHANGE = LabelChange(
    document_id="set", name="bedaquiline", old_version=1, new_version=2, sections=("Boxed",)
)


def test_a_high_change_is_carried_from_release_to_release_until_it_is_acknowledged(
    store: ReleaseStore, tmp_path: Path
):
    publish(store, tmp_path, "aaaa")
    second = publish(store, tmp_path, "bbbb", changes=(CHANGE,))
    publish(store, tmp_path, "cccc")
    (change,) = store.open().changes
    assert change == CHANGE.model_copy(update={"release": second.id})
    assert store.open().changes_of({"another"}) == ()
    with pytest.raises(ReleaseError, match="labels that have one: set"):
        store.acknowledge("another", **SIGNED)
    assert store.acknowledge("set", **SIGNED) == [change]
    assert store.open().changes == ()
    publish(store, tmp_path, "dddd")
    assert store.open().changes == ()


def test_a_release_of_another_version_of_this_project_says_so(store: ReleaseStore, tmp_path: Path):
    release = publish(store, tmp_path, "aaaa")
    (store.folder_of(release) / RECORD).write_text('{"format": "release/2"}')
    assert "another version (release/2)" in store.problems(release.id)[0]
    assert publish(store, tmp_path, "bbbb").sequence == 2
