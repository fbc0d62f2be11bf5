"""Content-addressed vector cache: a text once encoded is never encoded again.

One folder per encoder fingerprint contains immutable segments, each a directory named by the hash
of its vectors, written atomically. A damaged segment is skipped, so its texts are encoded again; a
wrong vector is never served.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import numpy as np

from clinrag_core.workspace import new_directory, sha256_hex

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from clinrag_core.encode.protocol import Passage, Vectors

logger = logging.getLogger(__name__)


def passage_key(passage: Passage) -> bytes:
    """32-byte content key of what an encoder sees of a passage."""
    return bytes.fromhex(sha256_hex(f"{passage.title}\x00{passage.text}".encode()))


class VectorCache:
    """Vectors by passage key, for one encoder."""

    def __init__(self, folder: Path, dimension: int) -> None:
        self._folder = folder
        self._dimension = dimension
        self._where: dict[bytes, tuple[int, int]] = {}
        self._segments: list[Vectors] = []
        for segment in sorted(folder.glob("[0-9a-f]*")):
            self._read(segment)

    def _read(self, segment: Path) -> None:
        """Add a segment's vectors, unless it is damaged."""
        try:
            keys: NDArray[np.uint8] = np.load(segment / "keys.npy", allow_pickle=False)
            vectors: Vectors = np.load(segment / "vectors.npy", allow_pickle=False)
        except (OSError, ValueError) as error:
            logger.warning("vector cache segment %s is skipped: %s", segment.name, error)
            return
        intact = _segment_name(keys, vectors) == segment.name
        if not intact or vectors.shape != (len(keys), self._dimension):
            logger.warning("vector cache segment %s is skipped: damaged", segment.name)
            return
        self._add(keys, vectors)

    def _add(self, keys: NDArray[np.uint8], vectors: Vectors) -> None:
        number = len(self._segments)
        self._segments.append(vectors)
        for row, key in enumerate(keys):
            self._where[key.tobytes()] = (number, row)

    def __contains__(self, key: bytes) -> bool:
        return key in self._where

    def __len__(self) -> int:
        return len(self._where)

    def get(self, keys: Sequence[bytes]) -> Vectors:
        """Vectors of shape `(len(keys), dimension)`; KeyError if one is not cached."""
        out = np.empty((len(keys), self._dimension), dtype=np.float32)
        for i, key in enumerate(keys):
            segment, row = self._where[key]
            out[i] = self._segments[segment][row]
        return out

    def put(self, keys: Sequence[bytes], vectors: Vectors) -> None:
        """Store vectors durably as one segment."""
        if not keys:
            return
        rows = np.frombuffer(b"".join(keys), dtype=np.uint8).reshape(len(keys), 32)
        vectors = np.ascontiguousarray(vectors, dtype=np.float32)
        with new_directory(self._folder / _segment_name(rows, vectors)) as tmp:
            np.save(tmp / "keys.npy", rows)
            np.save(tmp / "vectors.npy", vectors)
        self._add(rows, vectors)


def _segment_name(keys: NDArray[np.uint8], vectors: Vectors) -> str:
    return sha256_hex(keys.tobytes() + vectors.tobytes())[:32]
