"""Where everything built lives, and how it is written.

The one module that knows the folder layout under `$CLINRAG_HOME`. Every write is atomic: a reader
sees the old bytes or the new ones, and a killed process leaves at most a stray `.tmp-*` entry,
which the next `Workspace.clean` removes.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
import shutil
import uuid
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from clinrag_core.errors import WorkspaceError

if TYPE_CHECKING:
    from collections.abc import Generator

TMP_PREFIX = ".tmp-"


def utc_now() -> dt.datetime:
    """Return the time, with its zone."""
    return dt.datetime.now(dt.UTC)


def sha256_hex(data: bytes) -> str:
    """SHA-256 of bytes as 64 lower-case hex digits."""
    return hashlib.sha256(data).hexdigest()


def file_digest(path: Path) -> str:
    """SHA-256 of a file, read piece by piece."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fingerprint(*parts: object) -> str:
    """First 16 hex digits of the SHA-256 of the parts as canonical JSON.

    Parts are JSON values; equal values give equal fingerprints in any process.
    """
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return sha256_hex(text.encode())[:16]


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_atomic(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Write a file so that a reader sees either the old bytes or the new ones.

    Without `durable` a loss of power may bring the old bytes back, whole.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    tmp = path.parent / f"{TMP_PREFIX}{uuid.uuid4().hex}"
    try:
        with tmp.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        tmp.replace(path)
    finally:
        tmp.unlink(missing_ok=True)
    if durable:
        _sync(path.parent)


def write_json(path: Path, value: object, *, durable: bool = True) -> None:
    """Write a JSON value atomically, keys sorted, so that equal values give equal bytes."""
    text = json.dumps(value, sort_keys=True, indent=1, ensure_ascii=False)
    write_atomic(path, (text + "\n").encode(), durable=durable)


def read_json(path: Path) -> object:
    """Read a JSON file.

    Raises:
        WorkspaceError: it is missing or is not JSON.
    """
    try:
        return json.loads(path.read_bytes())
    except FileNotFoundError as error:
        raise WorkspaceError(f"{path.name} is missing from {path.parent}") from error
    except (OSError, ValueError) as error:
        raise WorkspaceError(f"{path} cannot be read: {error}") from error


@contextmanager
def new_directory(path: Path) -> Generator[Path]:
    """Build a temporary directory and rename it to `path` if the block ends without an error.

    If `path` exists already (another process was first), the new one is dropped: directories here
    are named by what they contain.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    tmp = path.parent / f"{TMP_PREFIX}{uuid.uuid4().hex}"
    tmp.mkdir()
    try:
        yield tmp
        for file in sorted(tmp.rglob("*")):
            _sync(file)
        try:
            tmp.replace(path)
        except OSError:
            if not path.is_dir():
                raise
        _sync(path.parent)
    finally:
        shutil.rmtree(tmp, ignore_errors=True)


class _Folder:
    """A path of the workspace, named like its attribute."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, workspace: Workspace, owner: type) -> Path:
        return workspace.home / self._name


@dataclass(frozen=True)
class Workspace:
    """The folders under `$CLINRAG_HOME`."""

    home: Path
    files = _Folder()
    """Source files, named by their sha256."""
    drop = _Folder()
    """Drop folder for files that a person downloads."""
    partitions = _Folder()
    """Parsed documents and chunks, one folder per guideline or drug."""
    models = _Folder()
    """Exported encoders, named by fingerprint."""
    vectors = _Folder()
    """Content-addressed vector cache, one folder per encoder fingerprint."""
    knowledge_bases = _Folder()
    """Candidates: knowledge bases built but not released."""
    thesauri = _Folder()
    """Compiled thesauri, named by what they hold."""
    releases = _Folder()
    """Released knowledge bases and the pointer to the current one."""
    baselines = _Folder()
    """Evaluations that a person accepted for comparison with later ones."""
    alerts = _Folder()
    """Failures of unattended runs, one file each."""
    reports = _Folder()
    """Evaluation reports."""
    cache = _Folder()
    """What can be deleted at any time: compiled code, HTTP validators."""
    api_keys = _Folder()
    """Hashes of the search service's API keys."""
    user_documents = _Folder()
    """Documents that users gave, one folder per tenant."""
    audit = _Folder()
    """The audit trail of answers."""
    audit_anchors = _Folder()
    """What the trail was, day by day; best copied to another machine."""
    dagster = _Folder()
    """`$DAGSTER_HOME`: run storage, apart from the data."""

    def clean(self) -> int:
        """Remove what killed processes left behind; returns how many entries.

        Call it only where no other process is writing to this workspace.
        """
        strays = [p for p in self.home.rglob(f"{TMP_PREFIX}*") if self.dagster not in p.parents]
        for stray in strays:
            if stray.is_dir():
                shutil.rmtree(stray, ignore_errors=True)
            else:
                stray.unlink(missing_ok=True)
        return len(strays)
