"""The ledger survives killed writers, and the store detects damage."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinrag_core.acquire.ledger import Ledger, LedgerRecord
from clinrag_core.acquire.store import FileStore
from clinrag_core.errors import ChecksumError


def record(key="guideline/a", sha256="0" * 64, retrieved="2025-01-01T00:00:00+00:00", **more):
    return LedgerRecord(
        key=key,
        location="https://h/a",
        sha256=sha256,
        size=1,
        source_sha256=sha256,
        retrieved=retrieved,
        **more,
    )


def test_the_newest_record_of_an_entry_and_location_counts(tmp_path):
    ledger = Ledger(tmp_path / "files" / "ledger.jsonl")
    assert ledger.latest("guideline/a", "https://h/a") is None
    ledger.append(record())
    ledger.append(record(sha256="1" * 64, etag='"e"'))
    ledger.append(record(key="guideline/b"))
    assert ledger.latest("guideline/a", "https://h/a") == record(sha256="1" * 64, etag='"e"')
    assert ledger.latest("guideline/a", "https://h/b") is None
    assert len(ledger.records()) == 3
    again = Ledger(tmp_path / "files" / "ledger.jsonl")
    assert again.latest("guideline/a", "https://h/a") == record(sha256="1" * 64, etag='"e"')


def test_nothing_new_adds_no_line(tmp_path):
    ledger = Ledger(tmp_path / "l")
    assert ledger.append(record())
    assert not ledger.append(record(retrieved="2026-01-01T00:00:00+00:00"))
    assert ledger.append(record(etag='"e"'))
    assert (tmp_path / "l").read_bytes().count(b"\n") == 2


@given(cut=st.integers(1, 200))
def test_an_incomplete_last_line_affects_only_itself(tmp_path_factory, cut):
    path = tmp_path_factory.mktemp("l") / "ledger.jsonl"
    Ledger(path).append(record())
    whole = path.stat().st_size
    Ledger(path).append(record(key="guideline/b"))
    path.write_bytes(path.read_bytes()[: -min(cut, whole)])
    ledger = Ledger(path)
    assert ledger.latest("guideline/a", "https://h/a") == record()
    ledger.append(record(key="guideline/c"))
    assert ledger.latest("guideline/c", "https://h/a") == record(key="guideline/c")
    assert Ledger(path).latest("guideline/c", "https://h/a") == record(key="guideline/c")
    assert Ledger(path).latest("guideline/a", "https://h/a") == record()


def test_a_damaged_line_is_skipped_and_logged(tmp_path, caplog):
    path = tmp_path / "l"
    Ledger(path).append(record())
    path.write_bytes(b"{}\n\xff\n\n" + path.read_bytes())
    assert Ledger(path).latest("guideline/a", "https://h/a") == record()
    assert len(caplog.records) == 2


def test_names_that_json_escapes_are_found(tmp_path):
    ledger = Ledger(tmp_path / "l")
    names = ['a "b".xml', "a\\b.xml", "ä.xml", "line\nbreak.xml"]
    for name in names:
        ledger.append(record().model_copy(update={"location": name}))
    again = Ledger(tmp_path / "l")
    assert [again.latest("guideline/a", name).location for name in names] == names
    assert [one.location for one in again.records()] == names


def test_records_of_another_process_are_read(tmp_path):
    one, two = Ledger(tmp_path / "l"), Ledger(tmp_path / "l")
    one.append(record())
    two.append(record(key="guideline/b"))
    assert one.latest("guideline/b", "https://h/a") is not None


def test_many_writers_lose_nothing(tmp_path):
    def write(n):
        ledger = Ledger(tmp_path / "l")
        for i in range(5):
            ledger.append(record(key=f"label/{n}-{i}"))

    threads = [threading.Thread(target=write, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ledger = Ledger(tmp_path / "l")
    assert all(ledger.latest(f"label/{n}-{i}", "https://h/a") for n in range(4) for i in range(5))


def test_store_names_files_by_their_bytes(tmp_path):
    store = FileStore(tmp_path)
    path = store.put(b"abc")
    assert path == tmp_path / path.name[:2] / path.name
    assert path.name.startswith("ba7816bf")
    assert store.put(b"abc") == path
    assert store.read(path.name) == b"abc"


def test_store_detects_and_repairs_damage(tmp_path):
    store = FileStore(tmp_path)
    path = store.put(b"abc")
    path.write_bytes(b"abd")
    assert not store.has(path.name)
    with pytest.raises(ChecksumError, match="expected sha256 ba7816bf"):
        store.read(path.name)
    assert store.put(b"abc").read_bytes() == b"abc"
    path.unlink()
    with pytest.raises(ChecksumError):
        store.read(path.name)
