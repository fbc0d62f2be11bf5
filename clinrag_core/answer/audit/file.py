"""The file of the audit trail: lines of JSON that are written whole, signed and chained."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from clinrag_core.errors import AuditError
from clinrag_core.workspace import sha256_hex

if TYPE_CHECKING:
    from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Append all of some bytes durably, or none.

    Raises:
        OSError: the disk is full, for example; what was written of them is cut off again.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        before = os.fstat(descriptor).st_size
        left = memoryview(data)
        try:
            while left:
                left = left[os.write(descriptor, left) :]
            os.fsync(descriptor)
        except OSError:
            with suppress(OSError):
                os.ftruncate(descriptor, before)
            raise
    finally:
        os.close(descriptor)


def canonical(record: dict[str, Any]) -> str:
    """Return a record as the text that is signed: equal records give equal texts."""
    return json.dumps(record, sort_keys=True, separators=(",", ":"))


def authentication_code(record: dict[str, Any], key: bytes | None) -> str:
    """Return the authentication code of a record; without a key its plain SHA-256."""
    text = canonical(record).encode()
    if key is None:
        return sha256_hex(text)
    return hmac.new(b"chain:" + key, text, hashlib.sha256).hexdigest()


def parsed_record(line: bytes, number: int) -> dict[str, Any] | None:
    """Return a record; None if the line is not JSON, as one that was cut off."""
    try:
        record: Any = json.loads(line)
    except ValueError:
        return None
    if not isinstance(record, dict):
        raise AuditError(f"record {number} is not a record")
    return record  # pyright: ignore[reportUnknownVariableType] - keys are checked by the caller


def closes(line: bytes, torn: bytes) -> bool:
    """Return whether a line is the gap record of the torn line before it."""
    record = parsed_record(line, 0) or {}
    cut = torn.removesuffix(b"\n")
    return record.get("gap") == {"bytes": len(cut), "sha256": sha256_hex(cut)}
