"""The audit trail: each record is chained to the previous one and contains no user text."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from clinrag_core.answer.audit import HEAD, RECORDS, AuditLog
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
        AuditLog(tmp_path / name).record(PRIVATE, Answer(status="abstained"))
        hashes.append(json.loads((tmp_path / name / RECORDS).read_text())["question"])
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
