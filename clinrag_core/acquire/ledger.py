"""The record of what was fetched: JSON lines, appended, never rewritten.

Provenance (where, when, which bytes) and the validators of the next conditional request live here
and not in documents, so that documents stay the same from run to run.
"""

from __future__ import annotations

import datetime as dt
import logging
import os
from pathlib import Path

from filelock import FileLock
from pydantic import Field, ValidationError

from clinrag_core.model.base import Record

_LOG = logging.getLogger(__name__)


class LedgerRecord(Record):
    """One file as it was had from one place at one time."""

    key: str = Field(description="entry, e.g. 'guideline/nice-ng250', 'label/bedaquiline/<name>'")
    location: str = Field(description="address, or path in the corpus or drop folder")
    sha256: str = Field(description="of the stored bytes")
    size: int = Field(ge=0)
    source_sha256: str = Field(description="of the bytes as served; differs where unpacked")
    final_url: str | None = Field(None, description="after redirects")
    etag: str | None = None
    last_modified: str | None = None
    version: int | None = Field(None, description="spl_version")
    set_id: str | None = None
    published: dt.date | None = Field(None, description="of a label's version")
    notes: tuple[str, ...] = ()
    retrieved: str = Field(description="UTC, ISO 8601, to the second")


class Ledger:
    """Append-only; several processes may append at once; a torn line is passed over."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = FileLock(path.with_name(path.name + ".lock"))
        self._latest: dict[tuple[str, str], LedgerRecord] = {}
        self._read_to = 0

    def latest(self, key: str, location: str) -> LedgerRecord | None:
        """The newest record of an entry at a place."""
        self._refresh()
        return self._latest.get((key, location))

    def records(self) -> list[LedgerRecord]:
        """Every record, oldest first; replaced files are among them."""
        with self._lock:
            try:
                lines = self._path.read_bytes().splitlines()
            except FileNotFoundError:
                return []
        return [record for line in lines if (record := _record(line)) is not None]

    def append(self, record: LedgerRecord) -> bool:
        """Add a record unless the newest of its entry and place says the same, time aside.

        Returns:
            Whether it was added.
        """
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._lock:
            last = self.latest(record.key, record.location)
            if last is not None and last == record.model_copy(update={"retrieved": last.retrieved}):
                return False
            line = record.model_dump_json(exclude_none=True).encode() + b"\n"
            with self._path.open("ab") as file:
                torn = file.tell() > self._read_to  # a killed process left a line without an end
                file.write(b"\n" + line if torn else line)
                file.flush()
                os.fsync(file.fileno())
        return True

    def _refresh(self) -> None:
        """Read the whole lines added since the last time, by whichever process."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._read_to)
                new = file.read()
        except FileNotFoundError:
            return
        whole = new[: new.rfind(b"\n") + 1]
        for line in whole.splitlines():
            record = _record(line)
            if record is not None:
                self._latest[record.key, record.location] = record
        self._read_to += len(whole)


def _record(line: bytes) -> LedgerRecord | None:
    if not line.strip():
        return None
    try:
        return LedgerRecord.model_validate_json(line)
    except ValidationError:
        _LOG.warning("the ledger holds a line that is no record (torn write?)")
        return None
