"""Content-addressed vector cache: a text once encoded is never encoded again.

One folder per encoder fingerprint contains immutable segments, each a directory named by the hash
of its vectors, written atomically. A segment is read when one of its vectors is wanted; a damaged
one is skipped, so its texts are encoded again; a wrong vector is never served. `places` finds the
segment of a text without reading any of them.
"""

from __future__ import annotations

import logging
import shutil
from typing import TYPE_CHECKING

import numpy as np

from clinrag_core.encode.vector_places import VectorPlaces
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
        self._places = VectorPlaces(folder)
        self._segments: dict[str, tuple[NDArray[np.uint8], Vectors] | None] = {}

    def _segment(self, name: str) -> tuple[NDArray[np.uint8], Vectors] | None:
        """Return the keys and vectors of a segment; None if it is damaged."""
        if name not in self._segments:
            self._segments[name] = self._read(self._folder / name)
        return self._segments[name]

    def _read(self, segment: Path) -> tuple[NDArray[np.uint8], Vectors] | None:
        """Read a segment; None, with a warning, if it is damaged."""
        try:
            keys: NDArray[np.uint8] = np.load(segment / "keys.npy", allow_pickle=False)
            vectors: Vectors = np.load(segment / "vectors.npy", allow_pickle=False)
        except (OSError, ValueError) as error:
            logger.warning("vector cache segment %s is skipped: %s", segment.name, error)
            return None
        intact = _segment_name(keys, vectors) == segment.name
        if not intact or vectors.shape != (len(keys), self._dimension):
            logger.warning("vector cache segment %s is skipped: damaged", segment.name)
            return None
        return keys, vectors

    def _find(self, key: bytes) -> tuple[Vectors, int] | None:
        """Return the vectors of an intact segment and the row of a key in them."""
        for name, row in self._places.of(key):
            segment = self._segment(name)
            if segment is not None and row < len(segment[0]) and segment[0][row].tobytes() == key:
                return segment[1], row
        return None

    def __contains__(self, key: bytes) -> bool:
        return self._find(key) is not None

    def __len__(self) -> int:
        """Return the number of texts with a vector; reads every segment."""
        segments = (self._segment(name) for name in self._places.segments())
        return len({key.tobytes() for segment in segments if segment for key in segment[0]})

    def get(self, keys: Sequence[bytes]) -> Vectors:
        """Vectors of shape `(len(keys), dimension)`; KeyError if one is not cached."""
        out = np.empty((len(keys), self._dimension), dtype=np.float32)
        wanted = np.frombuffer(b"".join(keys), dtype=np.uint8).reshape(-1, 32)
        missing = np.ones(len(keys), dtype=np.bool_)
        for name, positions, rows in self._places.of_many(wanted):
            if (segment := self._segment(name)) is None:
                continue
            within = rows < len(segment[0])
            at, of_segment = positions[within], rows[within]
            same = (segment[0][of_segment] == wanted[at]).all(axis=1)
            out[at[same]] = segment[1][of_segment[same]]
            missing[at[same]] = False
        for i in np.flatnonzero(missing).tolist():
            found = self._find(keys[i])
            if found is None:
                raise KeyError(keys[i])
            out[i] = found[0][found[1]]
        return out

    def put(self, keys: Sequence[bytes], vectors: Vectors) -> None:
        """Store vectors durably as one segment."""
        if not keys:
            return
        rows = np.frombuffer(b"".join(keys), dtype=np.uint8).reshape(len(keys), 32)
        vectors = np.ascontiguousarray(vectors, dtype=np.float32)
        name = _segment_name(rows, vectors)
        if (self._folder / name).is_dir() and self._segment(name) is None:
            shutil.rmtree(self._folder / name)
        with new_directory(self._folder / name) as tmp:
            np.save(tmp / "keys.npy", rows)
            np.save(tmp / "vectors.npy", vectors)
        self._segments[name] = rows, vectors
        self._places.add(name, rows)


def _segment_name(keys: NDArray[np.uint8], vectors: Vectors) -> str:
    return sha256_hex(keys.tobytes() + vectors.tobytes())[:32]
