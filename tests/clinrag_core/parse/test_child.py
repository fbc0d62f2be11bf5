"""Every parse of an untrusted file ends in its own error or in time, in a process of its own."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from clinrag_core.bounded import WALL_FACTOR, ChildPool, Limits
from clinrag_core.errors import ChildFailedError, OverLimitError, ParseError, RefusedDocumentError
from clinrag_core.model.source import DocumentSource, SourceFile
from clinrag_core.parse.child import parse_bounded
from clinrag_core.parse.registry import parse_document
from clinrag_core.settings import ParseLimits
from clinrag_core.workspace import sha256_hex

SHORT = ParseLimits(seconds=1, megabytes=1024)
LOOSE = Limits(seconds=20, megabytes=512)


def source(name: str, data: bytes, form: str) -> DocumentSource:
    file = SourceFile(name=name, sha256=sha256_hex(data), size=len(data))
    return DocumentSource(kind="guideline", format=form, file=file, id="one", title="One")


def spin(header: dict, blob: bytes) -> tuple[dict, bytes]:
    while True:
        pass


def sleep(header: dict, blob: bytes) -> tuple[dict, bytes]:
    time.sleep(60)
    return {}, b""


def fill(header: dict, blob: bytes) -> tuple[dict, bytes]:
    return {}, bytes(2**31)


def crash(header: dict, blob: bytes) -> tuple[dict, bytes]:
    os.kill(os.getpid(), 11)
    return {}, b""


def broken(header: dict, blob: bytes) -> tuple[dict, bytes]:
    raise KeyError("a patient called Zebulon")


def state(header: dict, blob: bytes) -> tuple[dict, bytes]:
    sys.stdout.write("what a library prints is not a result")
    return {"pid": os.getpid(), "environment": sorted(os.environ)}, blob


@pytest.fixture
def pool_of():
    pools: list[ChildPool] = []

    def make(function, processes: int = 1) -> ChildPool:
        # This file is no module of a package: a child finds it by the folder that holds it.
        pools.append(ChildPool(f"test_child_functions:{function.__name__}", processes))
        return pools[-1]

    yield make
    for pool in pools:
        pool.close()


@pytest.fixture(autouse=True)
def findable(tmp_path_factory, monkeypatch):
    folder = tmp_path_factory.mktemp("functions")
    (folder / "test_child_functions.py").write_bytes(Path(__file__).read_bytes())
    monkeypatch.syspath_prepend(str(folder))


@pytest.mark.timeout(60)
def test_a_job_that_never_ends_is_ended(pool_of):
    with pytest.raises(OverLimitError) as caught:
        pool_of(spin).run({}, b"", Limits(1, 512))
    assert caught.value.limit == "time"


def test_a_job_that_only_waits_is_ended_by_the_clock(pool_of):
    with pytest.raises(OverLimitError) as caught:
        pool_of(sleep).run({}, b"", Limits(0.5, 512))
    assert caught.value.limit == "time"
    assert WALL_FACTOR * 0.5 < 60


def test_a_job_that_takes_too_much_memory_is_ended(pool_of):
    with pytest.raises(OverLimitError) as caught:
        pool_of(fill).run({}, b"", LOOSE)
    assert caught.value.limit == "memory"


def test_a_crash_and_a_defect_are_errors_without_text_of_the_document(pool_of):
    with pytest.raises(ChildFailedError, match="-11"):
        pool_of(crash).run({}, b"", LOOSE)
    with pytest.raises(ChildFailedError, match="KeyError at test_child_functions") as caught:
        pool_of(broken).run({}, b"", LOOSE)
    assert "Zebulon" not in str(caught.value)


def test_children_are_used_again_and_know_no_secret(pool_of, monkeypatch):
    monkeypatch.setenv("CLINRAG_AUDIT_KEY", "secret")
    monkeypatch.setenv("CLINRAG_HARMLESS", "1")
    pool = pool_of(state)
    first, blob = pool.run({}, b"bytes", LOOSE)
    second, _ = pool.run({}, b"", LOOSE)
    assert blob == b"bytes"
    assert first["pid"] == second["pid"] != os.getpid()
    assert "CLINRAG_AUDIT_KEY" not in first["environment"]
    assert "CLINRAG_HARMLESS" in first["environment"]


def test_children_for_trusted_work_know_the_secrets(monkeypatch):
    monkeypatch.setenv("CLINRAG_AUDIT_KEY", "secret")
    pool = ChildPool(f"{state.__module__}:{state.__name__}", 1, secrets=True)
    found, _ = pool.run({}, b"", LOOSE)
    pool.close()
    assert "CLINRAG_AUDIT_KEY" in found["environment"]


def test_a_child_that_was_ended_is_replaced(pool_of):
    pool = pool_of(state)
    first, _ = pool.run({}, b"", LOOSE)
    os.kill(first["pid"], 9)
    time.sleep(0.1)
    second, _ = pool.run({}, b"", LOOSE)
    assert second["pid"] != first["pid"]


def test_a_document_is_the_same_as_without_a_child():
    data = b"# Doses\n\nIsoniazid is given as 300 mg once daily in adults.\n"
    of = source("a.md", data, "markdown")
    assert parse_bounded(data, of) == parse_document(data, of)


@pytest.mark.parametrize(
    ("name", "form", "data"),
    [
        ("tags.html", "html", b"<html><body>" + b"<b><i>x</i></b> " * 500_000),
        ("line.txt", "text", b"isoniazid 5 mg/kg daily " * 2_000_000),
        ("brackets.md", "markdown", b"[" * 1_000_000),
    ],
    ids=["a-million-tags", "a-line-of-48-MB", "a-million-brackets"],
)
def test_a_file_made_to_take_for_ever_is_refused(name: str, form: str, data: bytes):
    with pytest.raises(ParseError) as caught:
        parse_bounded(data, source(name, data, form), SHORT)
    assert caught.value.code == "parse_timeout"
    assert caught.value.file == name


def test_a_grid_of_18000_cells_is_read_in_time():
    data = b"<table>" + (b"<tr>" + b"<td>5 mg</td>" * 90 + b"</tr>") * 200 + b"</table>"
    limits = ParseLimits(seconds=10, megabytes=1024)
    assert parse_bounded(data, source("grid.html", data, "html"), limits).words == 36_000


def test_the_parsers_own_refusals_arrive_unchanged():
    with pytest.raises(ParseError) as caught:
        parse_bounded(b"no pdf", source("a.pdf", b"no pdf", "pdf"))
    with pytest.raises(type(caught.value)) as alone:
        parse_document(b"no pdf", source("a.pdf", b"no pdf", "pdf"))
    assert (caught.value.code, str(caught.value)) == (alone.value.code, str(alone.value))
    assert not isinstance(caught.value, RefusedDocumentError)
