"""Partial downloads, kept so that an interrupted download can resume.

Bytes of two versions must never be combined: resuming needs a strong validator (`If-Range`,
RFC 9110, 13.1.5) and stored bytes that still have their recorded sha256.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field, ValidationError

from clinrag_core.model.base import Record
from clinrag_core.workspace import sha256_hex, write_atomic

if TYPE_CHECKING:
    from collections.abc import Iterable

_CHECKPOINT_BYTES = 8 * 2**20
"""Bytes between two checkpoints, so the most that a killed process downloads again."""


class Validators(Record):
    """A server's identifiers for one version of a resource."""

    etag: str | None = None
    last_modified: str | None = None

    @property
    def strong(self) -> str | None:
        """The validator usable in `If-Range`: a strong entity tag, else the date."""
        if self.etag is not None:
            return None if self.etag.startswith("W/") else self.etag
        return self.last_modified

    def conditional_headers(self) -> dict[str, str]:
        """Return headers that request the resource only if it has another version."""
        pairs = {"If-None-Match": self.etag, "If-Modified-Since": self.last_modified}
        return {name: value for name, value in pairs.items() if value is not None}


class _State(Record):
    """Record of the stored bytes; a kill may leave more bytes than it states."""

    validators: Validators
    size: int = Field(ge=0)
    sha256: str


class Partial:
    """The partial file of one address, for one process at a time (see `lock_path`)."""

    def __init__(self, folder: Path, url: str) -> None:
        stem = sha256_hex(url.encode())
        self._file = folder / f"{stem}.part"
        self._state_file = folder / f"{stem}.json"
        self.lock_path = folder / f"{stem}.lock"
        folder.mkdir(parents=True, exist_ok=True)

    def resume_headers(self) -> dict[str, str]:
        """Return headers that request the missing bytes, empty if all must be requested."""
        state = self._state()
        if state is None or not state.size or state.validators.strong is None:
            return {}
        return {"Range": f"bytes={state.size}-", "If-Range": state.validators.strong}

    def continues(self, content_range: str | None, validators: Validators) -> bool:
        """Return True if a response with status 206 continues the stored bytes."""
        state = self._state()
        start = re.fullmatch(r"\s*bytes (\d+)-\d+/(\d+|\*)\s*", content_range or "")
        return (
            state is not None
            and start is not None
            and int(start[1]) == state.size
            and validators.strong in {None, state.validators.strong}
        )

    def restart(self, validators: Validators) -> None:
        """Drop the stored bytes and record the version that follows."""
        self._file.write_bytes(b"")
        self._save(_State(validators=validators, size=0, sha256=sha256_hex(b"")))

    def extend(self, pieces: Iterable[bytes]) -> int:
        """Append pieces; an exception keeps and records what was written before it.

        Returns:
            Size of the file afterwards, in bytes.
        """
        state = self._state()
        if state is None:
            raise AssertionError("call restart() first")
        with self._file.open("r+b") as file:
            hasher = hashlib.sha256(file.read())
            size = saved = state.size
            try:
                for piece in pieces:
                    file.write(piece)
                    hasher.update(piece)
                    size += len(piece)
                    if size - saved >= _CHECKPOINT_BYTES:
                        saved = self._checkpoint(file.fileno(), state, size, hasher.hexdigest())
            finally:
                file.flush()
                self._checkpoint(file.fileno(), state, size, hasher.hexdigest())
        return size

    def read(self) -> bytes:
        """Return the stored bytes."""
        return self._file.read_bytes()

    def discard(self) -> None:
        """Delete the stored bytes."""
        for file in (self._state_file, self._file):
            with contextlib.suppress(FileNotFoundError):
                file.unlink()

    def _checkpoint(self, descriptor: int, state: _State, size: int, sha256: str) -> int:
        os.fsync(descriptor)
        self._save(state.model_copy(update={"size": size, "sha256": sha256}))
        return size

    def _save(self, state: _State) -> None:
        write_atomic(self._state_file, state.model_dump_json().encode())

    def _state(self) -> _State | None:
        """Return the recorded state if the stored bytes still match it; drop bytes after it."""
        try:
            state = _State.model_validate_json(self._state_file.read_bytes())
            data = self._file.read_bytes()[: state.size]
        except (FileNotFoundError, ValidationError):
            return None
        if sha256_hex(data) != state.sha256:
            return None
        with self._file.open("r+b") as file:
            file.truncate(state.size)
        return state
