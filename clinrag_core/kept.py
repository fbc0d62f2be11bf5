"""Values that a file keeps for the next process: what it took long to compute, as Python stores it.

A file has a digest of itself; damaged, absent or of another format, it is as if there were none.
"""

from __future__ import annotations

import hashlib
import marshal
import uuid
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from clinrag_core.garbage import many_objects

if TYPE_CHECKING:
    from pathlib import Path

DIGEST = 32
MARSHAL_VERSION = 4
"""Bytes of the checksum, and the format of `marshal` that all supported versions of Python have."""


def write_values(file: Path, form: str, values: Any) -> None:
    """Write values; not where the folder cannot be written, or `marshal` does not take them."""
    part = file.with_name(f".{file.name}.{uuid.uuid4().hex}")
    try:
        data = marshal.dumps((form, values), MARSHAL_VERSION)
        file.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(hashlib.blake2b(data, digest_size=DIGEST).digest() + data)
        part.replace(file)
    except (OSError, ValueError):
        with suppress(OSError):
            part.unlink()


def read_values(file: Path, form: str) -> Any:
    """Return what was written; None where it is absent, damaged or of another format."""
    try:
        data = file.read_bytes()
    except OSError:
        return None
    if hashlib.blake2b(data[DIGEST:], digest_size=DIGEST).digest() != data[:DIGEST]:
        return None
    # Files that this program wrote, where compiled code and states are: as trusted as these.
    with many_objects():
        version, values = marshal.loads(data[DIGEST:])  # noqa: S302  # nosec B302
    return values if version == form else None
