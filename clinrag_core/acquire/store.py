"""Content-addressed files: `files/ab/<sha256>`, written atomically, verified when read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from clinrag_core.errors import ChecksumError
from clinrag_core.workspace import sha256_hex, write_atomic


@dataclass(frozen=True, slots=True)
class FileStore:
    """Stores files under one folder by the sha256 of their bytes."""

    root: Path

    def path(self, sha256: str) -> Path:
        """Return the path of a file with this sha256, whether it exists or not."""
        return self.root / sha256[:2] / sha256

    def put(self, data: bytes) -> Path:
        """Store bytes once and return their path; a damaged file is written again."""
        path = self.path(sha256_hex(data))
        if not self.has(path.name):
            write_atomic(path, data)
        return path

    def has(self, sha256: str) -> bool:
        """Return True if the file exists and its bytes have this sha256."""
        try:
            return sha256_hex(self.path(sha256).read_bytes()) == sha256
        except (FileNotFoundError, NotADirectoryError):
            return False

    def read(self, sha256: str) -> bytes:
        """Return the bytes of a stored file.

        Raises:
            ChecksumError: the file is missing or damaged.
        """
        path = self.path(sha256)
        data = path.read_bytes() if path.is_file() else b""
        if (actual := sha256_hex(data)) != sha256:
            raise ChecksumError(
                f"stored file {sha256[:12]}: expected sha256 {sha256}, got {actual}; delete it "
                "and acquire it again"
            )
        return data
