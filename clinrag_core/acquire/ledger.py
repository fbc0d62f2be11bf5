"""The record of retrieved files: JSON lines, appended and never rewritten.

Origin, time, sha256 and the validators for the next conditional request are here and not in
documents, so that documents are equal from run to run.
"""

from __future__ import annotations

import datetime as dt
import logging
import os
from pathlib import Path

from filelock import FileLock
from pydantic import Field, ValidationError
from pydantic_core import to_json

from clinrag_core.garbage import many_objects
from clinrag_core.model.base import Record

_LOG = logging.getLogger(__name__)
_BEGINNING, _AFTER_HEAD = b'{"key":"', b',"sha256":'
"""How a line begins, and what follows its head, which is the entry and the location: a record is
read when it is asked for, not with tens of thousands."""


class LedgerRecord(Record):
    """One file as retrieved from one location at one time."""

    key: str = Field(description="entry, e.g. 'guideline/nice-ng250', 'label/bedaquiline'")
    location: str = Field(description="address, or path in the corpus or drop folder")
    sha256: str = Field(description="of the stored bytes")
    size: int = Field(ge=0)
    source_sha256: str = Field(description="of the bytes as served; differs if unpacked")
    final_url: str | None = Field(None, description="after redirects")
    etag: str | None = None
    last_modified: str | None = None
    version: int | None = Field(None, description="spl_version")
    set_id: str | None = None
    published: dt.date | None = Field(None, description="of a label's version")
    notes: tuple[str, ...] = ()
    retrieved: str = Field(description="UTC, ISO 8601, to the second")


class Ledger:
    """Appends and reads records; several processes may append, an incomplete line is skipped."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = FileLock(path.with_name(path.name + ".lock"))
        self._read: list[bytes] = []
        self._lines: dict[bytes, list[bytes]] = {}
        """What was read, and its lines by their heads; oldest first."""
        self._read_to = 0

    def latest(self, key: str, location: str) -> LedgerRecord | None:
        """Return the newest record of an entry and location."""
        self._refresh()
        lines = reversed(self._lines.get(_head(key, location), []))
        return next(filter(None, map(_record, lines)), None)

    def records(self) -> list[LedgerRecord]:
        """Return every record, oldest first, those of replaced files included."""
        self._refresh()
        lines = filter(bytes.strip, b"".join(self._read).splitlines())
        return [record for line in lines if (record := _record(line)) is not None]

    def append(self, record: LedgerRecord) -> bool:
        """Add a record unless the newest of its entry and location differs only in time."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._lock:
            last = self.latest(record.key, record.location)
            if last is not None and last == record.model_copy(update={"retrieved": last.retrieved}):
                return False
            line = record.model_dump_json(exclude_none=True).encode() + b"\n"
            with self._path.open("ab") as file:
                torn = file.tell() > self._read_to  # a killed process wrote part of a line
                file.write(b"\n" + line if torn else line)
                file.flush()
                os.fsync(file.fileno())
        return True

    def _refresh(self) -> None:
        """Read the complete lines that any process has added since the last call."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._read_to)
                new = file.read()
        except FileNotFoundError:
            return
        complete = new[: new.rfind(b"\n") + 1]
        with many_objects():
            self._add(complete)
        self._read.append(complete)
        self._read_to += len(complete)

    def _add(self, complete: bytes) -> None:
        """Keep complete lines by their heads."""
        for line in complete.split(b"\n"):
            if line.startswith(_BEGINNING):
                head = line.partition(_AFTER_HEAD)[0]
            elif line.strip() and (record := _record(line)) is not None:
                head = _head(record.key, record.location)
            else:
                continue
            self._lines.setdefault(head, []).append(line)


def _head(key: str, location: str) -> bytes:
    """Return what the lines of an entry and location begin with."""
    return b'{"key":%b,"location":%b' % (to_json(key), to_json(location))


def _record(line: bytes) -> LedgerRecord | None:
    """Return the record of a line; None, with a warning, if it is none."""
    try:
        return LedgerRecord.model_validate_json(line)
    except ValidationError:
        _LOG.warning("skipped a ledger line that is not a record (incomplete write?)")
        return None
