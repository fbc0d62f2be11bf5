"""Encoding of the passages of many shards as an executor does it.

A task is a window of passages that are tokenised and sorted together, so the batches, their order
and what is stored of them are those of one process. A window stays within its shard; those of
several shards are under way at once.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.encode import bulk
from clinrag_core.encode.embed import Embedded, SegmentWriter, missing_passages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from clinrag_core.encode.protocol import Passage, Vectors
    from clinrag_core.encode.torch_encoder import EncodingRun
    from clinrag_core.pipeline.pipeline import Pipeline


class EncodedWindow(NamedTuple):
    """The vectors of a window, as its batches gave them."""

    batches: list[tuple[Sequence[int], Vectors]]
    truncated: int
    run: EncodingRun | None


class _Window(NamedTuple):
    """A window that is being encoded."""

    writer: SegmentWriter
    start: int
    """Position of its first passage among those of its shard that were missing."""


def encode_window(pipeline: Pipeline, passages: Sequence[Passage]) -> EncodedWindow:
    """Encode a window of passages with the encoder of a worker."""
    encoder, batches = pipeline.models.encoder, list[tuple["Sequence[int]", "Vectors"]]()
    before = encoder.passages_truncated
    encoder.encode_passages(passages, lambda *batch: batches.append(batch))
    return EncodedWindow(batches, encoder.passages_truncated - before, encoder.last_run)


def embed_shards(
    pipeline: Pipeline,
    shards: Iterable[Sequence[Passage]],
    on_progress: Callable[[int, int], None] | None = None,
) -> Embedded:
    """Put the vectors of the passages of some shards into the cache of a pipeline."""
    under_way: deque[_Window] = deque()
    costs: list[Embedded] = []
    coming: set[bytes] = set()
    runs: list[EncodingRun] = []

    def windows() -> Iterator[list[Passage]]:
        """Yield what the cache lacks, as the executor asks for it."""
        for passages in shards:
            missing = missing_passages(passages, pipeline.vectors)
            missing = {key: one for key, one in missing.items() if key not in coming}
            coming.update(missing)
            costs.append(Embedded(len(missing), len(passages) - len(missing), 0))
            writer = SegmentWriter(list(missing), pipeline.vectors, on_progress)
            wanted = list(missing.values())
            for start in range(0, len(wanted), bulk.WINDOW):
                under_way.append(_Window(writer, start))
                yield wanted[start : start + bulk.WINDOW]

    for encoded in pipeline.executor.map(encode_window, windows(), gpu=True):
        writer, start = under_way.popleft()
        for positions, vectors in encoded.batches:
            writer.add([start + position for position in positions], vectors)
        costs.append(Embedded(0, 0, encoded.truncated))
        runs += [encoded.run] if encoded.run is not None else []
    pipeline.models.encoded_elsewhere(runs)
    return Embedded(*map(sum, zip(Embedded(0, 0, 0), *costs, strict=True)))
