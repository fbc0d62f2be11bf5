"""Digests of every file of a folder, and how the folder differs from them."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

WORKERS = 8
"""Threads that hash; hashing releases the lock of the interpreter."""


def file_digests(folder: Path, leave_out: Iterable[str] = ()) -> dict[str, str]:
    """The sha256 of every file under a folder, by its path relative to the folder."""
    skipped = set(leave_out)
    files = {
        name: path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and (name := path.relative_to(folder).as_posix()) not in skipped
    }
    with ThreadPoolExecutor(WORKERS) as pool:
        return dict(zip(files, pool.map(file_digest, files.values()), strict=True))


def differences(
    folder: Path, expected: Mapping[str, str], leave_out: Iterable[str] = ()
) -> list[str]:
    """What differs from the expected digests: files that are changed, missing or new."""
    actual = file_digests(folder, leave_out)
    found = [
        f"{name} is {'missing' if name not in actual else 'changed'}"
        for name, digest in sorted(expected.items())
        if actual.get(name) != digest
    ]
    return found + [
        f"{name} does not belong to it" for name in sorted(actual.keys() - expected.keys())
    ]


def file_digest(path: Path) -> str:
    """The sha256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
