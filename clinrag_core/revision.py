"""Which code is running: the commit of the checkout, and the digest of the code that answers."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

ANSWERING = (
    "answer",
    "encode",
    "evaluate",
    "facts",
    "index",
    "lexicon",
    "reason",
    "retrieve",
    "text",
)
"""Packages that decide which answer is given, and how it is measured."""


@cache
def answering_code() -> str:
    """Return the digest of the code that answers and measures, in hexadecimal.

    A number that is raised by hand is forgotten: then an evaluation of other code is taken for
    one of this code, and what it would have stopped is released.
    """
    root = Path(__file__).resolve().parent
    return source_digest(root / package for package in ANSWERING)


def source_digest(folders: Iterable[Path]) -> str:
    """Return the digest of the Python files of some packages, by their names and bytes."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            code = path.read_bytes()
            name = path.relative_to(folder.parent).as_posix()
            digest.update(f"{name}\0{len(code)}\0".encode())
            digest.update(code)
    return digest.hexdigest()


@lru_cache(maxsize=1)
def git_commit() -> str | None:
    """Commit of the checkout this package lies in, `+` behind it where files were changed.

    None where it is installed elsewhere or git is absent.
    """
    root = Path(__file__).resolve().parents[1]
    git = shutil.which("git")
    if git is None or not (root / ".git").exists():
        return None
    commit = _git(git, root, "rev-parse", "--short=12", "HEAD")
    if commit is None:
        return None
    return f"{commit}+" if _git(git, root, "status", "--porcelain", "-uno") else commit


def _git(git: str, root: Path, *arguments: str) -> str | None:
    command = [git, "-C", str(root), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)  # noqa: S603 - fixed arguments
    return done.stdout.strip() if done.returncode == 0 else None
