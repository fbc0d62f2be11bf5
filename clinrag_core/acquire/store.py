"""Content-addressed files: `files/ab/<sha256>`, written atomically, checked when read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from clinrag_core.errors import ChecksumError
from clinrag_core.workspace import sha256_hex, write_atomic


@dataclass(frozen=True, slots=True)
class FileStore:
    """Files by the sha256 of their bytes, under one folder."""

    root: Path

    def path(self, sha256: str) -> Path:
        """Where a file of these bytes lies, there or not."""
        return self.root / sha256[:2] / sha256

    def put(self, data: bytes) -> Path:
        """Store bytes once; a file that no longer holds what its name says is written anew."""
        path = self.path(sha256_hex(data))
        if not self.has(path.name):
            write_atomic(path, data)
        return path

    def has(self, sha256: str) -> bool:
        """Whether the file is there and holds exactly the bytes of its name."""
        try:
            return sha256_hex(self.path(sha256).read_bytes()) == sha256
        except (FileNotFoundError, NotADirectoryError):
            return False

    def read(self, sha256: str) -> bytes:
        """The bytes of a stored file.

        Raises:
            ChecksumError: it is missing or damaged.
        """
        path = self.path(sha256)
        data = path.read_bytes() if path.is_file() else b""
        if (got := sha256_hex(data)) != sha256:
            raise ChecksumError(
                f"stored file {sha256[:12]}: expected sha256 {sha256}, got {got}; delete it and "
                "acquire again"
            )
        return data
