"""The audit trail: one record per answer, each with the hash of the record before.

A record lists the decisions and their evidence as hashes, ids, numbers and codes. It has no text
of a question, a document or an answer. Questions are hashed with a key of this installation, so
that they cannot be guessed from a list of likely questions.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import hmac
import json
import os
import secrets
from typing import TYPE_CHECKING, Any, NamedTuple

from filelock import FileLock

from clinrag_core.errors import AuditError, WorkspaceError
from clinrag_core.workspace import read_json, sha256_hex, utc_now, write_atomic, write_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from clinrag_core.answer.records import Answer, Claim

FORMAT = "audit/1"
RECORDS = "answers.jsonl"
HEAD = "head.json"
KEY = "key"
FIRST = "0" * 64


class Verified(NamedTuple):
    """The result of checking an intact audit trail."""

    records: int
    last: str
    """Hash of the last record; keep it elsewhere to notice a trail replaced as a whole."""


class AuditLog:
    """The trail in one folder, made where it is missing; safe for threads and processes."""

    def __init__(self, folder: Path, now: Callable[[], dt.datetime] = utc_now) -> None:
        self._folder = folder
        self._now = now

    def record(self, question: str, answer: Answer) -> str:
        """Add the record of an answer; returns its id, the first 16 digits of its hash.

        Raises:
            AuditError: it cannot be written, or the trail's end is not what its head says.
        """
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with FileLock(self._folder / ".lock"):
                return self._append(self._content(question, answer))
        except OSError as error:
            raise AuditError(f"the audit trail cannot be written: {error.strerror}") from error

    def verify(self) -> Verified:
        """Check every record against the one before it, and the end against the head.

        Raises:
            AuditError: a record was changed, removed, added or cut off; names its number.
        """
        previous, count = FIRST, 0
        for count, line in enumerate(self._lines(), start=1):
            record = _parsed(line, count)
            stated = record.pop("hash", None)
            if record.get("previous") != previous or record.get("number") != count:
                raise AuditError(f"record {count} does not follow the one before it")
            if _hash(record) != stated:
                raise AuditError(f"record {count} was changed after it was written")
            previous = str(stated)
        head = self._head()
        if head != (count, previous):
            raise AuditError(f"the trail ends at record {count}, its head says {head[0]}")
        return Verified(count, previous)

    def _append(self, content: dict[str, Any]) -> str:
        """Write a record after the last one and point the head to it; return its id."""
        number, previous = self._head()
        record = content | {"number": number + 1, "previous": previous}
        digest = _hash(record)
        path = self._folder / RECORDS
        if path.exists() != bool(number):
            raise AuditError(f"the trail does not fit its head: {number} records are stated")
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(descriptor, f"{_canonical(record | {'hash': digest})}\n".encode())
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        write_json(self._folder / HEAD, {"number": number + 1, "hash": digest})
        return digest[:16]

    def _head(self) -> tuple[int, str]:
        path = self._folder / HEAD
        if not path.exists():
            return 0, FIRST
        try:
            head: Any = read_json(path)
            return int(head["number"]), str(head["hash"])
        except (WorkspaceError, KeyError, TypeError, ValueError) as error:
            raise AuditError(f"{HEAD} cannot be read: {error}") from error

    def _lines(self) -> Iterator[str]:
        path = self._folder / RECORDS
        if path.exists():
            with path.open(encoding="utf-8") as file:
                yield from file

    def _content(self, question: str, answer: Answer) -> dict[str, Any]:
        """Return what a record says of an answer: no text, only hashes, ids, numbers and codes."""
        return {
            "format": FORMAT,
            "time": self._now().isoformat(),
            "question": hmac.new(self._key(), question.encode(), hashlib.sha256).hexdigest(),
            "release": answer.release,
            "generator": answer.generator,
            "status": answer.status,
            "reason": answer.reason,
            "route": answer.route.route if answer.route else None,
            "component_errors": list(answer.component_errors),
            "confidence": [c.model_dump() for c in answer.confidence],
            "evidence": [[item.chunk_id, item.text_sha256] for item in answer.evidence],
            "rejected_evidence": [[r.chunk_id, r.code] for r in answer.rejected_evidence],
            "claims": [_claim(claim) for claim in answer.claims],
            "rejected_claims": [_claim(claim) for claim in answer.rejected_claims],
            "contradictions": len(answer.contradictions),
            "patient_summary_suppressed": answer.patient_summary.suppressed,
        }

    def _key(self) -> bytes:
        path = self._folder / KEY
        if not path.exists():
            write_atomic(path, secrets.token_bytes(32))
            path.chmod(0o600)
        return path.read_bytes()


def _claim(claim: Claim) -> dict[str, Any]:
    """A claim by hash, its citations by place, its decisions by code and number."""
    return {
        "text_sha256": sha256_hex(claim.text.encode()),
        "citations": [[c.chunk_id, c.start, c.end] for c in claim.citations],
        "decisions": [[d.gate, d.passed, d.code, d.value, d.threshold] for d in claim.decisions],
    }


def _canonical(record: dict[str, Any]) -> str:
    return json.dumps(record, sort_keys=True, separators=(",", ":"))


def _hash(record: dict[str, Any]) -> str:
    return sha256_hex(_canonical(record).encode())


def _parsed(line: str, number: int) -> dict[str, Any]:
    try:
        record: Any = json.loads(line)
    except ValueError as error:
        raise AuditError(f"record {number} cannot be read") from error
    if not isinstance(record, dict):
        raise AuditError(f"record {number} is not a record")
    return record  # pyright: ignore[reportUnknownVariableType] - keys are checked by the caller
