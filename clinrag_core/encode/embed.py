"""Embed passages through the cache: only what was never seen is encoded, and kept as it comes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clinrag_core.encode.vector_cache import VectorCache, passage_key

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clinrag_core.encode.protocol import DenseEncoder, Passage, Vectors

FLUSH_PASSAGES = 256


class Embedded(NamedTuple):
    """What embedding cost."""

    encoded: int
    reused: int
    truncated: int


def missing(passages: Sequence[Passage], cache: VectorCache) -> list[int]:
    """Positions of passages the cache lacks; of equal passages the first."""
    seen: set[bytes] = set()
    out: list[int] = []
    for i, passage in enumerate(passages):
        key = passage_key(passage)
        if key not in cache and key not in seen:
            seen.add(key)
            out.append(i)
    return out


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
        passages: what to embed.
        cache: where vectors go.
        load_encoder: gives the encoder, called at most once.
        on_progress: called with passages encoded so far and passages to encode.
    """
    todo = missing(passages, cache)
    if not todo:
        return Embedded(0, len(passages), 0)
    encoder = load_encoder()
    pending: list[int] = []
    rows: list[Vectors] = []
    done = 0

    def flush() -> None:
        nonlocal done
        if pending:
            keys = [passage_key(passages[todo[i]]) for i in pending]
            cache.put(keys, np.concatenate(rows))
            done += len(pending)
            pending.clear()
            rows.clear()
            if on_progress is not None:
                on_progress(done, len(todo))

    def on_batch(positions: Sequence[int], vectors: Vectors) -> None:
        pending.extend(positions)
        rows.append(vectors)
        if len(pending) >= FLUSH_PASSAGES:
            flush()

    encoder.encode_passages([passages[i] for i in todo], on_batch)
    flush()
    return Embedded(len(todo), len(passages) - len(todo), encoder.passages_truncated)
