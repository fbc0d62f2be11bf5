"""Embed passages through the cache: only new ones are encoded, and stored in steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clinrag_core.encode.vector_cache import VectorCache, passage_key

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clinrag_core.encode.protocol import DenseEncoder, Passage, Vectors

FLUSH_PASSAGES = 256


class Embedded(NamedTuple):
    """Numbers of passages by how they were embedded."""

    encoded: int
    reused: int
    truncated: int


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
    unique: dict[bytes, Passage] = {passage_key(passage): passage for passage in passages}
    keys = [key for key in unique if key not in cache]
    if not keys:
        return Embedded(0, len(passages), 0)
    encoder = load_encoder()
    pending: list[bytes] = []
    rows: list[Vectors] = []
    done = 0

    def on_batch(positions: Sequence[int], vectors: Vectors) -> None:
        nonlocal done
        pending.extend(keys[i] for i in positions)
        rows.append(vectors)
        if len(pending) >= FLUSH_PASSAGES or done + len(pending) == len(keys):
            cache.put(pending, np.concatenate(rows))
            done += len(pending)
            pending.clear()
            rows.clear()
            if on_progress is not None:
                on_progress(done, len(keys))

    encoder.encode_passages([unique[key] for key in keys], on_batch)
    return Embedded(len(keys), len(passages) - len(keys), encoder.passages_truncated)
