"""Caches of the engine: least recently used first out, bounded by bytes and by age.

Keys contain a hash of the request, never its text. The fingerprint of the release is part of every
key, so that one release never serves the results of another.
"""

from __future__ import annotations

import time
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar

from cachetools import TTLCache

from clinrag_core.workspace import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Callable

V = TypeVar("V")


class BoundedCache(Generic[V]):
    """A thread-safe LRU cache with a byte limit and a time to live.

    Args:
        max_bytes: of all values together; a value larger than this is not kept.
        ttl_s: seconds a value stays.
        size: bytes of a value.
        on_lookup: called with True for a hit, False for a miss.
        clock: monotonic seconds.
    """

    def __init__(
        self,
        max_bytes: int,
        ttl_s: float,
        size: Callable[[V], int],
        on_lookup: Callable[[bool], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._cache: TTLCache[str, V] = TTLCache(max_bytes, ttl_s, timer=clock, getsizeof=size)
        self._size = size
        self._on_lookup = on_lookup
        self._lock = Lock()

    def get(self, key: str) -> V | None:
        """Return the value of a key, or None."""
        with self._lock:
            value = self._cache.get(key)
        self._on_lookup(value is not None)
        return value

    def __contains__(self, key: str) -> bool:
        """Whether there is a value for a key; not counted as a lookup."""
        with self._lock:
            return key in self._cache

    def put(self, key: str, value: V) -> None:
        """Keep a value, dropping the least recently used ones if there is no room."""
        if self._size(value) <= self._cache.maxsize:
            with self._lock:
                self._cache[key] = value


def cache_key(*parts: str) -> str:
    """Return a key that does not contain its parts."""
    return sha256_hex("\x1f".join(parts).encode())
