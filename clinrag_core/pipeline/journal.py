"""A log of the partitions that stages wrote, in order, so that the others need no check.

A name is on the disk before the first byte of a partition is written, and again after the last: a
reader that meets the old bytes in between, and a process that is killed, both leave a name to be
read. A journal that is missing, truncated or replaced is not used: every partition is checked.
"""

from __future__ import annotations

import os
import uuid
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from filelock import FileLock

from clinrag_core.workspace import write_atomic

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path


class JournalPlace(NamedTuple):
    """The end of a journal when it was read."""

    journal: bytes
    """Its first line, which no other journal has; empty if there was none."""
    offset: int


NOWHERE = JournalPlace(b"", 0)


class Journal:
    """A file of names, one a line, that several processes append to."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @contextmanager
    def writing(self, name: str) -> Generator[None]:
        """Name what the block writes, before and after."""
        self._append(name, sync=True)
        try:
            yield
        finally:
            self._append(name, sync=False)

    def _append(self, name: str, *, sync: bool) -> None:
        """Append a name; with `sync` it is there after a power failure if what follows is."""
        if not self._path.exists():
            with FileLock(self._path.with_name(f".{self._path.name}.lock")):
                if not self._path.exists():
                    write_atomic(self._path, f"{uuid.uuid4().hex}\n".encode())
        opened = os.open(self._path, os.O_WRONLY | os.O_APPEND)
        try:
            # The first line break ends what a power failure may have left of the line before.
            os.write(opened, f"\n{name}\n".encode())
            if sync:
                os.fsync(opened)
        finally:
            os.close(opened)

    def since(self, place: JournalPlace) -> tuple[JournalPlace, frozenset[str] | None]:
        """Return the end of the journal, and the names after a place; None if they are not known.

        They are known where the journal is that of the place, or there was none, and no shorter.
        """
        try:
            with self._path.open("rb") as file:
                journal, size = file.readline(), file.seek(0, os.SEEK_END)
                file.seek(min(place.offset or len(journal), size))
                names = file.read().decode().splitlines()
                end = JournalPlace(journal, file.tell())
        except FileNotFoundError:
            return NOWHERE, frozenset() if place == NOWHERE else None
        known = place.journal in (journal, NOWHERE.journal) and size >= place.offset
        return end, frozenset(filter(None, names)) if known else None
