"""The audit trail: each record is chained to the previous one and contains no user text."""

from __future__ import annotations

import errno
import json
import os
import threading
from pathlib import Path

import pytest

from clinrag_core.answer.audit.anchors import read_anchors, write_anchor
from clinrag_core.answer.audit.file import authentication_code
from clinrag_core.answer.audit.trail import (
    HEAD,
    KEY_FILE,
    RECORDS,
    AuditLog,
    audit_log,
)
from clinrag_core.answer.records import Answer
from clinrag_core.errors import AuditError

PRIVATE = "Johannes Smithson takes rifampin"


@pytest.fixture
def trail(tmp_path: Path) -> AuditLog:
    log = AuditLog(tmp_path / "audit")
    for number in range(5):
        log.record(f"{PRIVATE} {number}", Answer(status="abstained", message=PRIVATE))
    return log


def lines(tmp_path: Path) -> list[str]:
    return (tmp_path / "audit" / RECORDS).read_text().splitlines(keepends=True)


def rewrite(tmp_path: Path, changed: list[str]) -> None:
    (tmp_path / "audit" / RECORDS).write_text("".join(changed))


def test_a_whole_trail_is_verified_and_an_empty_one_too(trail: AuditLog, tmp_path: Path):
    assert trail.verify().records == 5
    assert AuditLog(tmp_path / "other").verify().records == 0


def test_it_contains_no_word_of_question_or_answer(trail: AuditLog, tmp_path: Path):
    written = b"".join(p.read_bytes() for p in (tmp_path / "audit").iterdir() if p.is_file())
    for word in PRIVATE.split():
        assert word.encode() not in written


def test_the_same_question_has_another_hash_elsewhere(tmp_path: Path):
    hashes = []
    for name in ("a", "b"):
        AuditLog(tmp_path / name / "audit").record(PRIVATE, Answer(status="abstained"))
        hashes.append(json.loads((tmp_path / name / "audit" / RECORDS).read_text())["question"])
    assert hashes[0] != hashes[1]


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (
            lambda rows: [*rows[:2], rows[2].replace("abstained", "answered__"), *rows[3:]],
            "record 3",
        ),
        (lambda rows: [*rows[:2], *rows[3:]], "record 3"),
        (lambda rows: rows[:4], "record 4"),
        (lambda rows: [*rows, rows[-1]], "record 6"),
        (lambda rows: [rows[1], rows[0], *rows[2:]], "record 1"),
        (lambda rows: [*rows[:4], "{"], "record 5"),
        (lambda rows: [*rows[:4], "[]\n"], "record 5"),
        (lambda rows: [], "record 0"),
    ],
)
def test_any_change_is_found_and_its_place_named(trail: AuditLog, tmp_path: Path, change, place):
    rewrite(tmp_path, change(lines(tmp_path)))
    with pytest.raises(AuditError, match=place):
        trail.verify()


def test_a_trail_without_its_records_takes_no_more(trail: AuditLog, tmp_path: Path):
    (tmp_path / "audit" / RECORDS).unlink()
    with pytest.raises(AuditError):
        trail.record("q", Answer(status="abstained"))
    (tmp_path / "audit" / HEAD).write_text("{}")
    with pytest.raises(AuditError):
        trail.record("q", Answer(status="abstained"))


def test_threads_share_a_trail(tmp_path: Path):
    log = AuditLog(tmp_path / "audit")

    def write() -> None:
        for _ in range(10):
            log.record("q", Answer(status="abstained"))

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert log.verify().records == 40


def test_without_a_record_there_is_no_answer(engine_with, tmp_path: Path):
    blocked = tmp_path / "audit"
    blocked.write_text("a file where the folder should be")
    with pytest.raises(AuditError):
        engine_with(audit=AuditLog(blocked)).ask("Bedaquiline dosage")


def test_an_answer_carries_the_id_of_its_record(engine_with, tmp_path: Path):
    log = AuditLog(tmp_path / "audit")
    engine = engine_with(audit=log)
    answer = engine.ask("Bedaquiline dosage")
    record = json.loads(lines(tmp_path)[0])
    assert record["hash"].startswith(answer.audit_id)
    assert record["evidence"] == [[i.chunk_id, i.text_sha256] for i in answer.evidence]
    decided = [decision[0] for decision in record["claims"][0]["decisions"]]
    assert decided == [gate.name for gate in engine.gates]


ABSTAINED = Answer(status="abstained")


def resigned(rows: list[str]) -> list[str]:
    """Records with the chain computed anew, as somebody without the key can."""
    from clinrag_core.answer.audit.trail import FIRST

    previous, made = FIRST, []
    for number, row in enumerate(rows, start=1):
        record = json.loads(row) | {"number": number, "previous": previous}
        del record["hash"]
        previous = authentication_code(record, None)
        made.append(json.dumps(record | {"hash": previous}) + "\n")
    return made


def write_head(tmp_path: Path, row: str) -> None:
    record = json.loads(row)
    head = {"number": record["number"], "hash": record["hash"], "time": "2026-11-22T00:00:00Z"}
    (tmp_path / "audit" / HEAD).write_text(json.dumps(head))


def test_the_key_is_outside_the_folder_of_the_records(trail: AuditLog, tmp_path: Path):
    assert (tmp_path / KEY_FILE).stat().st_mode & 0o777 == 0o600
    assert {p.name for p in (tmp_path / "audit").iterdir()} <= {RECORDS, HEAD, ".lock"}


def test_an_edited_record_with_the_chain_computed_anew_is_found(trail: AuditLog, tmp_path: Path):
    edited = [row.replace("abstained", "answered") for row in lines(tmp_path)]
    rewrite(tmp_path, resigned(edited))
    write_head(tmp_path, lines(tmp_path)[-1])
    with pytest.raises(AuditError, match="record 1"):
        trail.verify()
    with pytest.raises(AuditError, match="last record"):
        trail.record("q", ABSTAINED)


def test_records_that_pretend_to_be_of_before_the_key_are_found(trail: AuditLog, tmp_path: Path):
    """All of them, rewritten as an earlier version's: no code of them is signed."""
    anchor = trail.anchor()
    earlier = [row.replace("audit/2", "audit/1") for row in lines(tmp_path)]
    rewrite(tmp_path, resigned(earlier))
    write_head(tmp_path, lines(tmp_path)[-1])
    assert trail.verify().unkeyed == 5  # the command line says so
    with pytest.raises(AuditError, match="anchor"):
        trail.verify([anchor])


def test_a_cut_trail_with_its_own_old_head_is_found_by_an_anchor(trail: AuditLog, tmp_path: Path):
    write_anchor(tmp_path / "anchors", trail.anchor())
    kept = lines(tmp_path)[:3]
    rewrite(tmp_path, kept)
    write_head(tmp_path, kept[-1])
    assert trail.verify().records == 3
    with pytest.raises(AuditError, match=r"ends at record 3, the anchor of .* says 5"):
        trail.verify(read_anchors(tmp_path / "anchors"))
    trail.record("q", ABSTAINED)
    trail.record("q", ABSTAINED)
    with pytest.raises(AuditError, match="record 5 is not the one"):
        trail.verify(read_anchors(tmp_path / "anchors"))


def test_another_key_verifies_nothing(trail: AuditLog, tmp_path: Path):
    with pytest.raises(AuditError, match="record 1"):
        AuditLog(tmp_path / "audit", key=b"x" * 32).verify()
    (tmp_path / KEY_FILE).unlink()
    with pytest.raises(AuditError, match="key"):
        trail.record("q", ABSTAINED)


def test_a_torn_record_is_closed_by_a_gap_that_everybody_sees(trail: AuditLog, tmp_path: Path):
    """The process was killed while it wrote; verification failed for ever after."""
    path = tmp_path / "audit" / RECORDS
    with path.open("ab") as file:
        file.write(b'{"format": "audit/2", "claims": [')
    assert trail.verify().torn
    trail.record("q", ABSTAINED)
    found = trail.verify()
    assert (found.records, found.gaps, found.torn) == (7, 1, False)
    rows = lines(tmp_path)
    rewrite(tmp_path, [*rows[:5], *rows[6:]])  # without the torn line
    assert trail.verify().gaps == 1
    rewrite(tmp_path, [*rows[:5], '{"another": \n', *rows[6:]])
    with pytest.raises(AuditError, match="record 6"):
        trail.verify()


def test_a_full_disk_refuses_the_answer_and_tears_nothing(
    trail: AuditLog, tmp_path: Path, monkeypatch
):
    write = os.write
    written: list[int] = []

    def full(descriptor: int, data: bytes) -> int:
        if written:
            raise OSError(errno.ENOSPC, "No space left on device")
        written.append(write(descriptor, bytes(data)[:40]))
        return written[0]

    with monkeypatch.context() as patch:
        patch.setattr("clinrag_core.answer.audit.file.os.write", full)
        with pytest.raises(AuditError, match="No space left"):
            trail.record("q", ABSTAINED)
    assert written == [40]
    assert trail.verify().records == 5
    trail.record("q", ABSTAINED)
    assert trail.verify() == trail.verify()._replace(records=6, gaps=0, torn=False)


def test_a_short_write_is_continued(trail: AuditLog, monkeypatch):
    write = os.write
    monkeypatch.setattr(
        "clinrag_core.answer.audit.file.os.write", lambda fd, data: write(fd, bytes(data)[:7])
    )
    trail.record("q", ABSTAINED)
    assert trail.verify().records == 6


def test_a_head_that_was_not_written_after_its_record_is_no_break(trail: AuditLog, tmp_path: Path):
    before = (tmp_path / "audit" / HEAD).read_bytes()
    trail.record("q", ABSTAINED)
    (tmp_path / "audit" / HEAD).write_bytes(before)
    assert trail.verify().records == 6
    trail.record("q", ABSTAINED)
    assert trail.verify().records == 7


def test_the_trail_of_an_earlier_version_goes_on(trail: AuditLog, tmp_path: Path):
    rewrite(tmp_path, resigned([row.replace("audit/2", "audit/1") for row in lines(tmp_path)]))
    last = json.loads(lines(tmp_path)[-1])
    head = {"number": last["number"], "hash": last["hash"]}
    (tmp_path / "audit" / HEAD).write_text(json.dumps(head))
    (tmp_path / KEY_FILE).rename(tmp_path / "audit" / "key")
    trail.record("q", ABSTAINED)
    found = trail.verify()
    assert (found.records, found.unkeyed) == (6, 5)
    assert not (tmp_path / "audit" / "key").exists()
    assert (tmp_path / KEY_FILE).exists()


def test_the_key_may_come_from_the_environment(tiny_settings, monkeypatch):
    monkeypatch.setenv("CLINRAG_AUDIT_KEY", "k" * 40)
    trail = audit_log(tiny_settings)
    trail.record("q", ABSTAINED)
    assert trail.verify().records == 1
    assert not (tiny_settings.home / KEY_FILE).exists()
    monkeypatch.setenv("CLINRAG_AUDIT_KEY", "short")
    with pytest.raises(AuditError, match="32"):
        audit_log(tiny_settings)
