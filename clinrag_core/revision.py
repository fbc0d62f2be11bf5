"""Which code is running: the commit of the checkout, for reports and baselines."""

from __future__ import annotations

import shutil
import subprocess
from functools import lru_cache
from pathlib import Path


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
