"""Digests of every file of a folder, and how the folder differs from them."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, cast

from clinrag_core.errors import WorkspaceError
from clinrag_core.workspace import file_digest, read_json, write_json

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

WORKERS = 8
"""Threads that hash; hashing releases the lock of the interpreter."""
EVERY_FILE_S = 86_400.0
"""Seconds after which every file is read again: what rots on a disk keeps its times."""
SETTLED_NS = 2_000_000_000
"""A file changed less than two seconds before it was hashed might change again with the same
time: two seconds is the coarsest time that a file system keeps (FAT)."""


class SeenFiles:
    """Digests of files that are unchanged since they were read (ADR 0047).

    Inode, size and times must be the same; the time of change (ctime) is set by the kernel, not by
    whoever writes the file. Without the record, or where it is older than a day, nothing is known.
    """

    def __init__(self, record: Path, now: Callable[[], float] = time.time) -> None:
        self._record = record
        self._now = now
        self._files: dict[str, list[Any]] = {}
        self._checked = 0.0
        try:
            read = cast("dict[str, Any]", read_json(record))
            if 0 <= now() - read["checked"] < EVERY_FILE_S:
                self._checked, self._files = read["checked"], dict(read["files"])
        except (WorkspaceError, KeyError, TypeError, ValueError):
            pass  # a record that cannot be read: every file is

    def digests(self, files: Mapping[str, Path]) -> dict[str, str]:
        """Return the sha256 of each file; only files that changed since are read."""
        started = time.time_ns() - SETTLED_NS
        states = {name: _state(path.stat()) for name, path in files.items()}
        same = {n: self._files[n][1] for n in files if self._files.get(n, [None])[0] == states[n]}
        read = _hashed({name: path for name, path in files.items() if name not in same})
        if read:
            found = {name: [states[name], digest] for name, digest in (same | read).items()}
            settled = {n: f for n, f in found.items() if max(states[n][2:]) < started}
            checked = self._checked if same else self._now()
            try:
                write_json(self._record, {"checked": checked, "files": settled})
            except OSError:
                return same | read  # a folder that cannot be written: read again next time
        return same | read


def _state(stat: os.stat_result) -> list[int]:
    return [stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns]


def _hashed(files: Mapping[str, Path]) -> dict[str, str]:
    if not files:
        return {}
    with ThreadPoolExecutor(min(WORKERS, len(files))) as pool:
        return dict(zip(files, pool.map(file_digest, files.values()), strict=True))


def file_digests(
    folder: Path, leave_out: Iterable[str] = (), seen: SeenFiles | None = None
) -> dict[str, str]:
    """The sha256 of every file under a folder, by its path relative to the folder."""
    skipped = set(leave_out)
    files = {
        name: path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and (name := path.relative_to(folder).as_posix()) not in skipped
    }
    return _hashed(files) if seen is None else seen.digests(files)


def differences(
    folder: Path,
    expected: Mapping[str, str],
    leave_out: Iterable[str] = (),
    seen: SeenFiles | None = None,
) -> list[str]:
    """What differs from the expected digests: files that are changed, missing or new."""
    actual = file_digests(folder, leave_out, seen)
    found = [
        f"{name} is {'missing' if name not in actual else 'changed'}"
        for name, digest in sorted(expected.items())
        if actual.get(name) != digest
    ]
    return found + [
        f"{name} does not belong to it" for name in sorted(actual.keys() - expected.keys())
    ]
