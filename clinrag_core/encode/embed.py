"""Embed passages through the cache: only new ones are encoded, and stored in steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clinrag_core.encode.vector_cache import VectorCache, passage_key

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence

    from clinrag_core.encode.protocol import DenseEncoder, Passage, Vectors

FLUSH_PASSAGES = 256
"""Passages after which vectors are stored: the most that a stopped run computes again."""


class Embedded(NamedTuple):
    """Numbers of passages by how they were embedded."""

    encoded: int
    reused: int
    truncated: int


class SegmentWriter:
    """Puts the vectors of some passages into a cache, as they come, in steps.

    Args:
        keys: of the passages; a position is that of a key.
        cache: stores the vectors.
        on_progress: called with passages stored so far and passages to store.
    """

    def __init__(
        self,
        keys: Sequence[bytes],
        cache: VectorCache,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self._keys = keys
        self._cache = cache
        self._on_progress = on_progress
        self._pending: list[bytes] = []
        self._rows: list[Vectors] = []
        self._done = 0

    def add(self, positions: Sequence[int], vectors: Vectors) -> None:
        """Take a batch; store it when there are `FLUSH_PASSAGES`, or all."""
        self._pending.extend(self._keys[i] for i in positions)
        self._rows.append(vectors)
        waiting = len(self._pending)
        if waiting >= FLUSH_PASSAGES or self._done + waiting == len(self._keys):
            self._cache.put(self._pending, np.concatenate(self._rows))
            self._done += waiting
            self._pending, self._rows = [], []
            if self._on_progress is not None:
                self._on_progress(self._done, len(self._keys))


def missing_passages(passages: Sequence[Passage], cache: Container[bytes]) -> dict[bytes, Passage]:
    """Return the passages that a cache lacks by their keys, equal ones once, in order."""
    unique = {passage_key(passage): passage for passage in passages}
    return {key: passage for key, passage in unique.items() if key not in cache}


def embed_passages(
    passages: Sequence[Passage],
    cache: VectorCache,
    load_encoder: Callable[[], DenseEncoder],
    on_progress: Callable[[int, int], None] | None = None,
) -> Embedded:
    """Put the vectors of all passages into the cache.

    The encoder is loaded only if something is missing. Every `FLUSH_PASSAGES` vectors are stored
    durably, so an interrupted run loses at most that many.

    Args:
        passages: passages to embed; equal ones are encoded once.
        cache: stores the vectors.
        load_encoder: gives the encoder, called at most once.
        on_progress: called with passages encoded so far and passages to encode.
    """
    missing = missing_passages(passages, cache)
    if not missing:
        return Embedded(0, len(passages), 0)
    encoder = load_encoder()
    writer = SegmentWriter(list(missing), cache, on_progress)
    encoder.encode_passages(list(missing.values()), writer.add)
    return Embedded(len(missing), len(passages) - len(missing), encoder.passages_truncated)
