"""The audit trail: one record per answer, signed together with the code of the record before.

A record lists the decisions and their evidence as hashes, ids, numbers and codes. It has no text
of a question, a document or an answer. Questions are hashed with a key of this installation, so
that they cannot be guessed from a list of likely questions (ADR 0033).
"""

from __future__ import annotations

import datetime as dt
import hashlib
import hmac
import os
import secrets
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple

from filelock import FileLock
from pydantic import ValidationError

from clinrag_core.answer.audit.anchors import Anchor
from clinrag_core.answer.audit.file import (
    authentication_code,
    canonical,
    closes,
    parsed_record,
    write_whole,
)
from clinrag_core.errors import AuditError, WorkspaceError
from clinrag_core.workspace import (
    Workspace,
    read_json,
    sha256_hex,
    utc_now,
    write_atomic,
    write_json,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from clinrag_core.answer.records import Answer, Claim
    from clinrag_core.settings import Settings

FORMAT = "audit/2"
EARLIER = "audit/1"
"""Records without a key, chained by plain SHA-256: only before the first record of this format."""
RECORDS = "answers.jsonl"
HEAD = "head.json"
KEY_FILE = "audit_key"
EARLIER_KEY = "key"
FIRST = "0" * 64
KEY_BYTES = 32
_TAILS = (2**15, 2**20)
"""Bytes read from the end for the last record, which has some kilobytes; more where it has more."""


class Verified(NamedTuple):
    """The result of checking an intact audit trail."""

    records: int
    last: str
    """Authentication code of the last record."""
    gaps: int = 0
    """Records that were cut off while they were written; a gap record says so of each."""
    torn: bool = False
    """Whether the last line was cut off; the next record closes it with a gap record."""
    unkeyed: int = 0
    """Records of before there was a key: somebody could have rewritten them until then."""
    anchors: int = 0
    """Anchors that the trail was compared with."""


class _End(NamedTuple):
    """The end of the trail's file."""

    number: int
    code: str
    torn: bytes
    """What follows the last complete line."""


def audit_log(settings: Settings) -> AuditLog:
    """Return the trail of a workspace, with its key from the environment or its file.

    Raises:
        AuditError: the variable is set and too short for a key.
    """
    chosen = settings.audit
    value = os.environ.get(chosen.key_env, "").encode()
    if 0 < len(value) < KEY_BYTES:
        raise AuditError(f"{chosen.key_env} has less than {KEY_BYTES} characters")
    folder = Workspace(settings.home).audit
    file = chosen.key_file or folder.parent / KEY_FILE
    return AuditLog(folder, key=value or None, key_file=file)


class AuditLog:
    """The trail in one folder, made where it is missing; safe for threads and processes.

    Its key is `key`, or the content of `key_file`, made where there is no trail yet: outside the
    folder, so that who can write the records cannot also sign them.
    """

    def __init__(
        self,
        folder: Path,
        now: Callable[[], dt.datetime] = utc_now,
        *,
        key: bytes | None = None,
        key_file: Path | None = None,
    ) -> None:
        self._folder = folder
        self._now = now
        self._given = key
        self._key_file = key_file or folder.parent / KEY_FILE

    def record(self, question: str, answer: Answer) -> str:
        """Add the record of an answer; returns its id, the first 16 digits of its code.

        Raises:
            AuditError: it cannot be written whole, or the trail's end is not what its head says.
        """
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with FileLock(self._folder / ".lock"):
                key = self._key()
                return self._append(self._content(question, answer, key), key)
        except OSError as error:
            raise AuditError(f"the audit trail cannot be written: {error.strerror}") from error

    def verify(self, anchors: Sequence[Anchor] = ()) -> Verified:
        """Check every record against the one before it, the head and the anchors.

        Raises:
            AuditError: a record was changed, removed, added or cut off; names its number.
        """
        with FileLock(self._folder / ".lock") if self._folder.is_dir() else nullcontext():
            found = self._checked()
            head = self._head()
        known = {0: FIRST} | found.codes
        stated = [(head.number, head.hash, "its head")] if head is not None else []
        stated += [(a.number, a.hash, f"the anchor of {a.time:%Y-%m-%d %H:%M}") for a in anchors]
        for number, code, who in stated:
            if number not in known:
                last = found.result.records
                raise AuditError(
                    f"record {last + 1} is missing: the trail ends at record {last}, "
                    f"{who} says {number}"
                )
            if known[number] != code:
                raise AuditError(f"record {number} is not the one that {who} names")
        return found.result._replace(anchors=len(anchors))

    def anchor(self) -> Anchor:
        """Return what the trail is now, for a place that this machine cannot rewrite."""
        found = self.verify()
        return Anchor(number=found.records, hash=found.last, time=self._now())

    def _checked(self) -> _Checked:
        """Check the chain of the file.

        Raises:
            AuditError: a record does not follow the one before it, or is not signed.
        """
        key = self._key(make=False)
        previous, count, gaps, unkeyed = FIRST, 0, 0, 0
        codes: dict[int, str] = {}
        torn: bytes | None = None
        for line in self._lines():
            if torn is not None and not closes(line, torn):
                raise AuditError(f"record {count + 1} cannot be read")
            record = parsed_record(line, count + 1)
            if record is None:
                torn = line
                continue
            count += 1
            stated = str(record.pop("hash", None))
            if record.get("previous") != previous or record.get("number") != count:
                raise AuditError(f"record {count} does not follow the one before it")
            is_earlier = record.get("format") == EARLIER and unkeyed == count - 1
            if not hmac.compare_digest(
                authentication_code(record, None if is_earlier else key), stated
            ):
                raise AuditError(f"record {count} was changed after it was written")
            gaps += "gap" in record
            unkeyed += is_earlier
            torn, previous = None, stated
            codes[count] = stated
        if torn is not None and torn.endswith(b"\n"):
            raise AuditError(f"record {count + 1} cannot be read")
        return _Checked(Verified(count, previous, gaps, torn is not None, unkeyed), codes)

    def _append(self, content: dict[str, Any], key: bytes) -> str:
        """Write a record after the last one and move the head to it; return its id."""
        end, head = self._end(key), self._head()
        if head is not None and head.number > end.number:
            raise AuditError(
                f"the trail does not fit its head: it ends at {end.number}, not {head.number}"
            )
        lines = b""
        number, previous = end.number, end.code
        contents = [content]
        if end.torn:
            gap = {"bytes": len(end.torn), "sha256": sha256_hex(end.torn)}
            contents.insert(0, {"format": FORMAT, "time": content["time"], "gap": gap})
            lines = b"\n"
        for one in contents:
            number += 1
            record = one | {"number": number, "previous": previous}
            previous = authentication_code(record, key)
            lines += f"{canonical(record | {'hash': previous})}\n".encode()
        write_whole(self._folder / RECORDS, lines)
        head = Anchor(number=number, hash=previous, time=self._now())
        # The records are its bound: an older head is no loss, and nobody waits for the folder.
        write_json(self._folder / HEAD, head.model_dump(mode="json"), durable=False)
        return previous[:16]

    def _end(self, key: bytes) -> _End:
        """Return the last record of the file, checked, and what is torn after it.

        Raises:
            AuditError: the last record is not signed with the key.
        """
        path = self._folder / RECORDS
        size = path.stat().st_size if path.exists() else 0
        if not size:
            return _End(0, FIRST, b"")
        line = torn = b""
        with path.open("rb") as file:
            for tail in _TAILS:
                file.seek(max(size - tail, 0))
                whole, _, torn = file.read().rpartition(b"\n")
                before, _, line = whole.rpartition(b"\n")
                if before:
                    break
        if not line:
            return _End(0, FIRST, torn)
        record = parsed_record(line, 0)
        if record is None:
            raise AuditError("the last record of the trail cannot be read")
        stated = str(record.pop("hash", None))
        signed = authentication_code(record, None if record.get("format") == EARLIER else key)
        if not hmac.compare_digest(signed, stated):
            raise AuditError("the last record of the trail was changed after it was written")
        return _End(int(record["number"]), stated, torn)

    def _head(self) -> Anchor | None:
        path = self._folder / HEAD
        if not path.exists():
            return None
        try:
            head: Any = read_json(path)
            if isinstance(head, dict) and "format" not in head:  # of an earlier version
                head |= {"time": "1970-01-01T00:00:00Z"}
            return Anchor.model_validate(head)
        except (WorkspaceError, ValidationError) as error:
            raise AuditError(f"{HEAD} cannot be read: {type(error).__name__}") from error

    def _lines(self) -> Iterator[bytes]:
        path = self._folder / RECORDS
        if path.exists():
            with path.open("rb") as file:
                yield from file

    def _content(self, question: str, answer: Answer, key: bytes) -> dict[str, Any]:
        """Return what a record says of an answer: no text, only hashes, ids, numbers and codes."""
        own = answer.own_documents
        return {
            "format": FORMAT,
            "time": self._now().isoformat(),
            "question": hmac.new(key, question.encode(), hashlib.sha256).hexdigest(),
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
            "only_own_documents": answer.only_own_documents,
            "own_claims": [_claim(claim) for claim in own.claims] if own is not None else None,
            "own_conflicts": len(own.conflicts) if own is not None else 0,
            "patient_summary_suppressed": answer.patient_summary.suppressed,
        }

    def _key(self, *, make: bool = True) -> bytes:
        """Return the key; made, if asked for, while nothing was recorded with another one.

        Raises:
            AuditError: there is no key for the records there are.
        """
        if self._given is not None:
            return self._given
        earlier = self._folder / EARLIER_KEY
        if earlier.exists() and not self._key_file.exists():
            write_atomic(self._key_file, earlier.read_bytes())
            self._key_file.chmod(0o600)
            earlier.unlink()
        if self._key_file.exists():
            return self._key_file.read_bytes()
        if (self._folder / RECORDS).exists():
            raise AuditError(f"the key of the audit trail is missing: {self._key_file.name}")
        if not make:
            return b""
        write_atomic(self._key_file, secrets.token_bytes(KEY_BYTES))
        self._key_file.chmod(0o600)
        return self._key_file.read_bytes()


class _Checked(NamedTuple):
    """A checked chain."""

    result: Verified
    codes: dict[int, str]
    """Code by number of record."""


def _claim(claim: Claim) -> dict[str, Any]:
    """Return a claim by hash, its citations by place, its decisions by code and number."""
    return {
        "text_sha256": sha256_hex(claim.text.encode()),
        "citations": [[c.chunk_id, c.start, c.end] for c in claim.citations],
        "decisions": [[d.gate, d.passed, d.code, d.value, d.threshold] for d in claim.decisions],
    }
