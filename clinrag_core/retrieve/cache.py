"""Caches of the engine: least recently used first out, bounded by bytes and by age.

Keys hold a hash of the request, never its text. What a release answered is never served by
another: its fingerprint is part of every key.
"""

from __future__ import annotations

import time
from threading import Lock
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from cachetools import TTLCache

from clinrag_core.workspace import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Callable

V = TypeVar("V")


class CacheStats(NamedTuple):
    """How a cache has done since it was made."""

    hits: int
    misses: int
    entries: int
    bytes: int

    @property
    def hit_rate(self) -> float:
        """Hits over lookups; 0 before the first."""
        asked = self.hits + self.misses
        return self.hits / asked if asked else 0.0


class BoundedCache(Generic[V]):
    """A thread-safe LRU cache with a byte limit and a time to live.

    Args:
        max_bytes: of all values together; a value larger than this is not kept.
        ttl_s: seconds a value stays.
        size: bytes of a value.
        clock: monotonic seconds.
    """

    def __init__(
        self,
        max_bytes: int,
        ttl_s: float,
        size: Callable[[V], int],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._cache: TTLCache[str, V] = TTLCache(max_bytes, ttl_s, timer=clock, getsizeof=size)
        self._size = size
        self._max_bytes = max_bytes
        self._lock = Lock()
        self._hits = 0
        self._misses = 0

    def get(self, key: str) -> V | None:
        """The value of a key, or None."""
        with self._lock:
            value = self._cache.get(key)
            if value is None:
                self._misses += 1
            else:
                self._hits += 1
            return value

    def put(self, key: str, value: V) -> None:
        """Keep a value, dropping the least recently used ones where there is no room."""
        if self._size(value) <= self._max_bytes:
            with self._lock:
                self._cache[key] = value

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._cache.clear()

    @property
    def stats(self) -> CacheStats:
        """Hits, misses, entries and bytes now."""
        with self._lock:
            self._cache.expire()
            size = int(self._cache.currsize)
            return CacheStats(self._hits, self._misses, len(self._cache), size)


def cache_key(*parts: str) -> str:
    """A key that does not hold what it was made of."""
    return sha256_hex("\x1f".join(parts).encode())
