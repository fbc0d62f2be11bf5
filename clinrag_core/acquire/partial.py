"""A download that was cut, kept so that it can go on where it stopped.

Two versions of a document must never be spliced: going on needs a strong validator (`If-Range`,
RFC 9110, 13.1.5) and a prefix that still is what was written.
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

_CHECKPOINT = 8 * 2**20


class Validators(Record):
    """What a server calls this version of a resource."""

    etag: str | None = None
    last_modified: str | None = None

    @property
    def strong(self) -> str | None:
        """The one fit for `If-Range`: a strong entity tag, else the date."""
        if self.etag is not None:
            return None if self.etag.startswith("W/") else self.etag
        return self.last_modified

    def conditional_headers(self) -> dict[str, str]:
        """Headers that ask for the resource only if it is another version by now."""
        pairs = {"If-None-Match": self.etag, "If-Modified-Since": self.last_modified}
        return {name: value for name, value in pairs.items() if value is not None}


class _State(Record):
    url: str
    validators: Validators
    size: int = Field(ge=0)
    sha256: str


class Partial:
    """The partial file of one address; one process at a time (see `lock_path`)."""

    def __init__(self, folder: Path, url: str) -> None:
        self._url = url
        stem = sha256_hex(url.encode())[:32]
        self._file = folder / f"{stem}.part"
        self._state_file = folder / f"{stem}.json"
        self.lock_path = folder / f"{stem}.lock"
        folder.mkdir(parents=True, exist_ok=True)

    def resume_headers(self) -> dict[str, str]:
        """Headers that ask for the rest, empty where the file must be asked for whole."""
        state = self._state()
        if state is None or not state.size or state.validators.strong is None:
            return {}
        return {"Range": f"bytes={state.size}-", "If-Range": state.validators.strong}

    def accepts(self, content_range: str | None, validators: Validators) -> int | None:
        """Whether a 206 answer continues the file.

        Returns:
            The size of the whole resource in bytes, -1 where the server does not know it, None
            where the answer does not fit what is kept.
        """
        state = self._state()
        match = re.fullmatch(r"bytes (\d+)-(\d+)/(\d+|\*)", (content_range or "").strip())
        if state is None or match is None or int(match[1]) != state.size:
            return None
        if validators.strong is not None and validators.strong != state.validators.strong:
            return None
        return -1 if match[3] == "*" else int(match[3])

    def restart(self, validators: Validators) -> None:
        """Begin anew: drop what is kept, remember the version that now comes."""
        self._file.write_bytes(b"")
        self._save(_State(url=self._url, validators=validators, size=0, sha256=sha256_hex(b"")))

    def extend(self, pieces: Iterable[bytes]) -> int:
        """Append pieces; whatever ends this, what was written so far is kept and recorded.

        Returns:
            Size of the file afterwards, in bytes.
        """
        state = self._state()
        if state is None:
            raise AssertionError("restart() comes first")
        with self._file.open("r+b") as file:
            hasher = hashlib.sha256(file.read())
            size = saved = state.size
            try:
                for piece in pieces:
                    file.write(piece)
                    hasher.update(piece)
                    size += len(piece)
                    if size - saved >= _CHECKPOINT:
                        saved = self._checkpoint(file.fileno(), state, size, hasher.hexdigest())
            finally:
                file.flush()
                self._checkpoint(file.fileno(), state, size, hasher.hexdigest())
        return size

    def read(self) -> bytes:
        """What is kept."""
        return self._file.read_bytes()

    def discard(self) -> None:
        """Forget what is kept."""
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
        """The recorded state, if the file still begins with the bytes it speaks of."""
        try:
            state = _State.model_validate_json(self._state_file.read_bytes())
            data = self._file.read_bytes()[: state.size]
        except (FileNotFoundError, ValidationError):
            return None
        if state.url != self._url or sha256_hex(data) != state.sha256:
            return None
        with self._file.open("r+b") as file:
            file.truncate(state.size)
        return state
