"""Adding and deleting a document happens wholly or not at all, and deleted bytes are gone."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from clinrag_core.encode.chunk_encoder import ChunkEncoder
from clinrag_core.errors import UnknownUserDocumentError
from clinrag_core.index.chunk_table import to_statement_table, to_table
from clinrag_core.index.knowledge_base import KnowledgeBase
from clinrag_core.model.source import DocumentSource, SourceFile
from clinrag_core.parse.registry import parse_document
from clinrag_core.settings import Settings
from clinrag_core.users import changes
from clinrag_core.users.changes import BASES, recover
from clinrag_core.users.store import TenantStore, UserDocument
from clinrag_core.workspace import sha256_hex, utc_now, write_json

TEXT = "# Visit\n\nThe {} marker was 42 units on isoniazid.\n"


class Killed(BaseException):
    """The process ends here."""


@pytest.fixture
def store(tiny_settings: Settings) -> TenantStore:
    return TenantStore(tiny_settings.home / "user_documents" / ("a" * 32))


@pytest.fixture
def change(tiny_settings: Settings, store: TenantStore):
    """Changes of one tenant, in this process."""
    return changes._Change(store, tiny_settings, ChunkEncoder(tiny_settings), {})


def source_of(word: str) -> DocumentSource:
    data = TEXT.format(word).encode()
    file = SourceFile(name="v.md", sha256=sha256_hex(data), size=len(data))
    return DocumentSource(
        kind="guideline", format="markdown", file=file, id=f"user-{word}", title="V"
    )


def add(change, word: str) -> UserDocument:
    source = source_of(word)
    file = source.file
    document = parse_document(TEXT.format(word).encode(), source)
    record = UserDocument(
        id=document.id, name="v.md", title="V", format="markdown", sha256=file.sha256,
        size=file.size, chunks=0, words=document.words, added=utc_now(),
    )  # fmt: skip
    return change.add(record, document)


def state(store: TenantStore) -> tuple[set[str], set[str]]:
    """Which documents are listed, and which are indexed."""
    listed = {d.id for d in store.documents()}
    current = store.current()
    if not current:
        return listed, set()
    base = KnowledgeBase(store.folder / BASES / current)
    return listed, set(base.table["document_id"].to_pylist())


def on_disk(store: TenantStore) -> bytes:
    return b"".join(p.read_bytes() for p in store.folder.rglob("*") if p.is_file())


PLACES = ["_build", "build_knowledge_base", "put", "remove", "tidy"]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_change_that_is_cut_off_has_happened_or_has_not(
    change, store: TenantStore, monkeypatch, place: str, moment: str
):
    """Killed while adding or deleting, list and index disagreed in seven cases of ten."""
    add(change, "walrus")
    add(change, "zebrafish")
    owner = {"_build": changes._Change, "put": TenantStore, "remove": TenantStore}.get(
        place, changes
    )
    sound = getattr(owner, place)

    def cut(*args, **kwargs):
        if moment == "after":
            sound(*args, **kwargs)
        raise Killed

    for action in (lambda: add(change, "aardvark"), lambda: change.delete("user-zebrafish")):
        with monkeypatch.context() as patch:
            patch.setattr(owner, place, cut)
            try:
                action()
            except Killed:
                pass
            else:
                assert place in ("put", "remove")  # the other action's place
        recover(store)
        listed, indexed = state(store)
        assert listed == indexed
        for word in ("zebrafish", "aardvark"):
            assert (word.encode() in on_disk(store)) == (f"user-{word}" in listed)


def test_deleted_bytes_are_in_no_file(change, store: TenantStore):
    add(change, "aardvark")
    add(change, "zebrafish")
    assert b"zebrafish" in on_disk(store)
    change.delete("user-zebrafish")
    assert b"zebrafish" not in on_disk(store)
    assert state(store) == ({"user-aardvark"}, {"user-aardvark"})


def test_a_pdf_file_is_kept_with_its_document_and_deleted_with_it(change, store: TenantStore):
    data = b"%PDF-1.7 walrusquux " + bytes(range(256)) * 200
    record = add(change, "zebrafish")
    change.delete(record.id)
    document = parse_document(TEXT.format("zebrafish").encode(), source_of("zebrafish"))
    change.add(record, document, data)
    add(change, "aardvark")
    assert store.file(record.id) == data
    assert store.file("user-aardvark") is None
    change.delete(record.id)
    assert store.file(record.id) is None
    assert b"walrusquux" not in on_disk(store)


def test_a_store_of_before_files_were_kept_is_read(change, store: TenantStore):
    record = add(change, "zebrafish")
    with store._open(write=True) as database:
        database.execute("DROP TABLE files")
    assert store.file(record.id) is None
    change.delete(record.id)
    assert state(store) == (set(), set())


def test_deleted_bytes_in_a_log_that_was_never_written_back_are_gone_after_recovery(
    change, store: TenantStore, monkeypatch
):
    """A killed process leaves the log of SQLite behind, with the pages as they were."""
    add(change, "aardvark")
    document = add(change, "zebrafish")
    reader = TenantStore(store.folder)
    with reader._open() as kept_open:  # keeps the log from being removed with the last connection
        kept_open.execute("BEGIN")
        kept_open.execute("SELECT count(*) FROM documents").fetchone()
        monkeypatch.setattr("clinrag_core.users.store.BUSY_S", 0.1)
        change.delete(document.id)
        kept_open.execute("COMMIT")
    recover(store)
    assert b"zebrafish" not in on_disk(store)


def test_the_same_change_twice_is_one(change, store: TenantStore):
    first = add(change, "zebrafish")
    assert add(change, "zebrafish") == first
    change.delete("user-zebrafish")
    with pytest.raises(UnknownUserDocumentError):
        change.delete("user-zebrafish")
    assert state(store) == (set(), set())
    assert b"zebrafish" not in on_disk(store)


def test_documents_of_an_earlier_version_are_taken_over(change, store: TenantStore):
    """They were a folder each, with Arrow tables and a record."""
    record = add(change, "zebrafish")
    parts = store.parts([record])
    change.delete(record.id)
    folder = store.folder / "documents" / record.id
    folder.mkdir(parents=True)
    write_json(folder / "record.json", record.model_dump(mode="json"))
    from clinrag_core.index.chunk_table import write_table

    write_table(folder / "chunks.arrow", parts.chunks)
    write_table(folder / "statements.arrow", parts.statements)
    np.save(folder / "vectors.npy", parts.vectors)
    np.save(folder / "statement_vectors.npy", parts.statement_vectors)
    recover(store)
    assert change.repair()
    assert state(store) == ({record.id}, {record.id})
    assert not (store.folder / "documents").exists()
    assert to_table([]).schema == parts.chunks.schema
    assert to_statement_table([]).schema == parts.statements.schema


@pytest.mark.slow
def test_twenty_kills_leave_list_index_answers_and_files_agreeing(released, tmp_path: Path):
    file = tmp_path / "settings.json"
    file.write_text(json.dumps(released.model_dump(mode="json")))
    script = Path(__file__).with_name("killed.py")
    done = subprocess.run(  # noqa: S603 - this interpreter, a file of this folder
        [sys.executable, str(script), str(file), "20"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
