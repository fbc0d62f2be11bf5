"""Where the vector of a text is: which segment of a cache, and which row of it.

Keys of many segments are kept in one sorted, memory-mapped table, so that a cache of millions of
vectors opens at once. Segments that came after the table was made are read by their keys; when
they are many the table is made again. It may say too much (a segment is gone): the caller compares
the key.
"""

from __future__ import annotations

import json
import logging
import os
from typing import TYPE_CHECKING

import numpy as np

from clinrag_core.text.expressions import lazy_re
from clinrag_core.workspace import TMP_PREFIX, new_directory

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    Rows = NDArray[np.int32]

logger = logging.getLogger(__name__)
FOLDER = "places-"
"""Prefix of the table's folder; what follows is the number of its segments."""
LEAST = 64
SHARE = 8
"""The table is made again when more than `LEAST` segments, and one in `SHARE`, are not in it."""
_PREFIX = np.dtype(">u8")
_HEX = lazy_re("[0-9a-f]")
"""What the names of segments begin with."""


class VectorPlaces:
    """The places of keys in the segments of a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._new: dict[bytes, tuple[str, int]] = {}
        listed = os.listdir(folder) if folder.is_dir() else []  # noqa: PTH208 - names only, of many
        there = sorted(name for name in listed if _HEX.match(name))
        self._names: list[str] = []
        self._prefixes = np.empty(0, _PREFIX.newbyteorder("="))
        self._segments, self._rows = np.empty(0, np.int32), np.empty(0, np.int32)
        self._load()
        known = set(self._names)
        missing = [name for name in there if name not in known]
        if len(missing) > max(LEAST, len(known) // SHARE):
            self._make(there)
        else:
            for name in missing:
                if (keys := _keys(folder / name)) is not None:
                    self.add(name, keys)

    def of(self, key: bytes) -> Iterator[tuple[str, int]]:
        """Yield the segments and rows that may hold a key."""
        if (place := self._new.get(key)) is not None:
            yield place
        prefix = int.from_bytes(key[:8], "big")
        at = int(np.searchsorted(self._prefixes, np.uint64(prefix)))
        while at < len(self._prefixes) and int(self._prefixes[at]) == prefix:
            yield self._names[self._segments[at]], int(self._rows[at])
            at += 1

    def of_many(self, keys: NDArray[np.uint8]) -> Iterator[tuple[str, NDArray[np.intp], Rows]]:
        """Yield segments with the positions of keys that the first place of may be in them.

        Finds fewer than `of`: neither keys of new segments nor any but the first place.

        Args:
            keys: of shape `(keys, 32)`.

        Yields:
            name of the segment, positions in `keys`, rows of the segment, as many.
        """
        prefixes = np.ascontiguousarray(keys[:, :8]).view(_PREFIX).ravel().astype(np.uint64)
        at = np.searchsorted(self._prefixes, prefixes)
        at[at == len(self._prefixes)] = 0
        if not len(self._prefixes):
            return
        there = np.flatnonzero(self._prefixes[at] == prefixes)
        segments = np.asarray(self._segments[at[there]], dtype=np.int32)
        rows = np.asarray(self._rows[at[there]], dtype=np.int32)
        for number in np.unique(segments).tolist():
            of_segment = segments == number
            yield self._names[number], there[of_segment], rows[of_segment]

    def segments(self) -> list[str]:
        """Return the names of all segments."""
        return sorted({*self._names, *(name for name, _ in self._new.values())})

    def add(self, name: str, keys: NDArray[np.uint8]) -> None:
        """Add the keys of a segment."""
        for row, key in enumerate(keys):
            self._new[key.tobytes()] = name, row

    def _load(self) -> None:
        """Open the table of most segments, if it is whole."""
        tables = self._folder.glob(f"{FOLDER}*")
        for table in sorted(tables, key=lambda path: int(path.name.removeprefix(FOLDER)))[::-1]:
            try:
                names = json.loads((table / "names.json").read_bytes())
                arrays = [
                    np.load(table / f"{name}.npy", mmap_mode="r")
                    for name in ("prefixes", "segments", "rows")
                ]
            except (OSError, ValueError) as error:
                logger.warning("the table of vectors %s is not used: %s", table.name, error)
                continue
            self._names, (self._prefixes, self._segments, self._rows) = names, arrays
            return

    def _make(self, names: list[str]) -> None:
        """Write and use a table of all segments."""
        found = [(n, keys) for n in names if (keys := _keys(self._folder / n)) is not None]
        counts = [len(keys) for _, keys in found]
        keys = np.concatenate([keys[:, :8] for _, keys in found])
        prefixes = np.ascontiguousarray(keys).view(_PREFIX).ravel().astype(np.uint64)
        order = np.argsort(prefixes, kind="stable")
        arrays = {
            "prefixes": prefixes[order],
            "segments": np.repeat(np.arange(len(found), dtype=np.int32), counts)[order],
            "rows": np.concatenate([np.arange(n, dtype=np.int32) for n in counts])[order],
        }
        with new_directory(self._folder / f"{FOLDER}{len(found)}") as tmp:
            for name, array in arrays.items():
                np.save(tmp / f"{name}.npy", array)
            (tmp / "names.json").write_text(json.dumps([name for name, _ in found]))
        self._names = [name for name, _ in found]
        self._prefixes, self._segments, self._rows = arrays.values()


def _keys(segment: Path) -> NDArray[np.uint8] | None:
    if segment.name.startswith(TMP_PREFIX):
        return None
    try:
        keys: NDArray[np.uint8] = np.load(segment / "keys.npy", allow_pickle=False)
    except (OSError, ValueError) as error:
        logger.warning("vector cache segment %s is skipped: %s", segment.name, error)
        return None
    return keys
