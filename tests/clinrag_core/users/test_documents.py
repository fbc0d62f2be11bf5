"""Users' documents: indexed at once, found by their owner alone, gone when deleted."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clinrag_core.errors import DocumentError, UserDocumentError
from clinrag_core.retrieve.request import SearchRequest
from clinrag_core.settings import Settings, UserDocumentSettings
from clinrag_core.users.answering import Answering, open_answering

NOTE = "# Visit\n\nThe zebrafish marker was 42 units after isoniazid 300 mg daily.\n"


@pytest.fixture
def answering(released: Settings) -> Answering:
    return open_answering(released)


@pytest.fixture(scope="module")
def untouched(make_tiny_settings, built_home: Path, tmp_path_factory) -> Answering:
    """Answering over a release, for tests after which nothing is stored."""
    _, settings = make_tiny_settings(tmp_path_factory.mktemp("untouched"))
    shutil.copytree(built_home, settings.home)
    return open_answering(settings)


def found(answering: Answering, tenant: str, query: str) -> list[str]:
    engine = answering.documents.engine(tenant)
    if engine is None:
        return []
    request = SearchRequest(query=query, components=("bm25",))
    return [hit.chunk.text for hit in engine.search(request).results]


def test_a_document_is_found_at_once_by_its_owner_only(answering: Answering):
    document = answering.documents.add("alice", "visit.md", NOTE.encode())
    assert document.chunks == 1
    assert any("zebrafish" in text for text in found(answering, "alice", "zebrafish"))
    assert found(answering, "bob", "zebrafish") == []
    assert answering.documents.list("bob") == []


def test_the_knowledge_base_has_the_seeds_name_and_background_idf(answering: Answering):
    answering.documents.add("alice", "visit.md", NOTE.encode())
    engine = answering.documents.engine("alice")
    (name,) = engine.knowledge_bases
    assert name == "user_fact_kb_tiny"
    base = engine.knowledge_bases[name]
    assert base.idf["isoniazid"] == pytest.approx(
        next(
            b.idf["isoniazid"]
            for b in answering.engine.search.knowledge_bases.values()
            if b.manifest.kind == "guideline"
        )
    )


def test_it_outlives_a_restart_and_is_gone_when_deleted(answering, tiny_settings: Settings):
    documents = answering.documents
    kept = documents.add("alice", "kept.txt", b"The aardvark titre was 17 units on this day.")
    gone = documents.add("alice", "visit.md", NOTE.encode())
    again = open_answering(tiny_settings)
    assert [d.id for d in again.documents.list("alice")] == [kept.id, gone.id]
    assert found(again, "alice", "zebrafish")
    again.documents.delete("alice", gone.id)
    assert found(again, "alice", "zebrafish") == []
    assert found(again, "alice", "aardvark")
    left = b"".join(p.read_bytes() for p in tiny_settings.home.rglob("*") if p.is_file())
    assert b"zebrafish" not in left
    again.documents.delete("alice", kept.id)
    assert again.documents.engine("alice") is None


def test_the_same_bytes_twice_are_one_document(answering: Answering):
    first = answering.documents.add("alice", "a.md", NOTE.encode())
    assert answering.documents.add("alice", "b.md", NOTE.encode()) == first
    other = answering.documents.add("bob", "a.md", NOTE.encode())
    assert other.id != first.id


def test_nobody_deletes_another_tenants_document(answering: Answering):
    document = answering.documents.add("alice", "a.md", NOTE.encode())
    for tenant, name in [("bob", document.id), ("alice", "../alice"), ("alice", "")]:
        with pytest.raises(UserDocumentError):
            answering.documents.delete(tenant, name)
    assert answering.documents.list("alice") == [document]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.exe", b"MZ"),
        ("noending", b"text"),
        ("a.pdf", b"not a pdf"),
        ("a.txt", b""),
        ("a.txt", b"\x00\x01\x02" * 100),
        ("a.md", b"   \n"),
    ],
)
def test_what_is_no_document_is_refused_by_name(untouched: Answering, name: str, data: bytes):
    with pytest.raises((UserDocumentError, DocumentError)):
        untouched.documents.add("alice", name, data)
    assert untouched.documents.list("alice") == []


def test_limits(released: Settings):
    limits = UserDocumentSettings(max_bytes=500, max_documents=2, max_chunks=3)
    small = released.model_copy(update={"user_documents": limits})
    documents = open_answering(small).documents
    with pytest.raises(UserDocumentError, match="500 bytes"):
        documents.add("a", "a.txt", b"word " * 200)
    for number in range(2):
        documents.add("a", "a.txt", f"Document number {number} is short.".encode())
    with pytest.raises(UserDocumentError, match="already 2"):
        documents.add("a", "a.txt", b"One more.")


def test_a_path_in_a_name_stays_a_name(answering: Answering, tiny_settings: Settings):
    document = answering.documents.add("../../etc", "../../passwd\\x.txt", b"Some harmless words.")
    assert document.name == "x.txt"
    root = tiny_settings.home / "user_documents"
    stores = list(tiny_settings.home.rglob("store.sqlite"))
    assert len(stores) == 1
    assert root in stores[0].parents


TENANTS = st.sampled_from(["alice", "bob", "alice ", "ALICE", "", "../alice", "a/b"])


@settings(max_examples=8, deadline=None)
@given(st.lists(st.tuples(TENANTS, st.integers(0, 3)), min_size=1, max_size=5))
def test_no_tenant_ever_sees_anothers_words(untouched: Answering, given_documents):
    """Whoever gives what, every word found belongs to who looks for it."""
    own: dict[str, set[str]] = {}
    for tenant, number in given_documents:
        word = f"word{'abcd'[number]}{'xyz'[len(tenant) % 3]}quux"
        text = f"The finding {word} stands in this note of {number} lines."
        untouched.documents.add(tenant, "n.txt", text.encode())
        own.setdefault(tenant, set()).add(word)
    words = {word for mine in own.values() for word in mine}
    for tenant, mine in own.items():
        for word in words:
            seen = " ".join(found(untouched, tenant, word))
            for other in words - mine:
                assert other not in seen
    for tenant in own:
        for document in untouched.documents.list(tenant):
            untouched.documents.delete(tenant, document.id)


def test_maintenance_finds_nothing_to_do_where_all_is_well(answering: Answering):
    answering.documents.add("alice", "visit.md", NOTE.encode())
    found = answering.documents.maintain()
    assert (found.tenants, found.documents, found.reindexed, found.broken) == (1, 1, 0, ())


def test_a_damaged_index_is_made_again_and_nothing_is_lost(answering, tiny_settings: Settings):
    answering.documents.add("alice", "visit.md", NOTE.encode())
    for file in (tiny_settings.home / "user_documents").rglob("manifest.json"):
        file.write_text("{")
    again = open_answering(tiny_settings)
    assert again.documents.maintain().reindexed == 1
    assert found(again, "alice", "zebrafish")
    assert again.documents.maintain().reindexed == 0


def test_another_encoder_indexes_users_documents_anew(
    answering, tiny_settings: Settings, build_release
):
    """Until then they are not searched at all: vectors of two encoders do not compare."""
    answering.documents.add("alice", "visit.md", NOTE.encode())
    encoder = tiny_settings.encoder.model_copy(update={"max_tokens": 380})
    upgraded = tiny_settings.model_copy(update={"encoder": encoder})
    build_release(upgraded)
    again = open_answering(upgraded)
    assert found(again, "alice", "zebrafish") == []
    assert again.documents.maintain().reindexed == 1
    assert found(again, "alice", "zebrafish")


def test_a_damaged_record_is_reported_without_its_owner(answering, tiny_settings: Settings):
    answering.documents.add("alice", "visit.md", NOTE.encode())
    answering.documents.add("bob", "visit.md", NOTE.encode())
    stores = sorted((tiny_settings.home / "user_documents").rglob("store.sqlite"))
    stores[0].write_bytes(b"no database any more")
    report = answering.documents.maintain()
    assert report.tenants == 2
    assert report.documents == 1
    assert len(report.broken) == 1
    assert "alice" not in report.broken[0]
    assert "bob" not in report.broken[0]
