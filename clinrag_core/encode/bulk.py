"""Bulk encoding: passages in windows, windows in batches, batches prepared ahead of the device.

A thread tokenises, sorts by length and fills (on a GPU: pinned) tensors while the device computes.
A batch has a budget of padded tokens. On a GPU the budget is found by trying: doubled while memory
is left, halved when it is not; a batch that was too large is split and encoded again, so that no
passage is lost.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from clinrag_core.errors import EncoderError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Future

    from tokenizers import Encoding

    from clinrag_core.encode.protocol import Vectors

_Item = TypeVar("_Item")

WINDOW = 4096
"""Passages that are tokenised and sorted together: enough that padding almost vanishes."""
CPU_TOKENS = 2048
"""Padded tokens of a batch on a CPU; `benchmarks/encode.py --batch-tokens` compares others."""
FIRST_GPU_TOKENS, MOST_GPU_TOKENS = 16_384, 262_144
"""The budget a GPU starts with, and where it stops growing; not measured on a GPU yet."""


def batches_by_length(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Yield positions in batches of similar length whose padded size stays within a token budget.

    Longest first, so that memory peaks at once. Sorting makes padding, and so time, almost vanish
    on mixed lengths. A single text over the budget is a batch of its own.
    """
    yield from batches_within(lengths, TokenBudget(budget))


class TokenBudget:
    """The padded tokens of a batch; `most` is where it stops growing."""

    def __init__(self, tokens: int, most: int | None = None) -> None:
        self.tokens = tokens
        self._most = tokens if most is None else most

    def halve(self, failed: int) -> None:
        """A batch of this many padded tokens did not fit; it never grows back to them."""
        self._most = max(failed // 2, 1)
        self.tokens = min(self.tokens, self._most)

    def grow(self, used: int, free: int) -> None:
        """Double if twice the memory that a full batch used is free as well."""
        if used <= free:
            self.tokens = min(2 * self.tokens, self._most)


def batches_within(lengths: Sequence[int], budget: TokenBudget) -> Iterator[list[int]]:
    """`batches_by_length` with a budget that may change between batches."""
    batch: list[int] = []
    for position in sorted(range(len(lengths)), key=lambda i: (-lengths[i], i)):
        widest = lengths[batch[0]] if batch else lengths[position]
        if batch and widest * (len(batch) + 1) > budget.tokens:
            yield batch
            batch = []
        batch.append(position)
    if batch:
        yield batch


class TokenBatch(NamedTuple):
    """A padded batch as torch takes it, on the CPU."""

    positions: list[int]
    """Of the passages, in the order they were given in."""
    inputs: dict[str, Any]
    """Token ids, attention mask and segment ids."""

    @property
    def padded_tokens(self) -> int:
        """Rows by columns."""
        return int(self.inputs["input_ids"].numel())

    def halves(self) -> tuple[TokenBatch, TokenBatch]:
        """Return its first and second half, each as wide as its longest passage."""
        middle = len(self.positions) // 2
        return self._part(slice(None, middle)), self._part(slice(middle, None))

    def _part(self, rows: slice) -> TokenBatch:
        width = int(self.inputs["attention_mask"][rows].sum(dim=1).max())
        inputs = {name: values[rows, :width] for name, values in self.inputs.items()}
        return TokenBatch(self.positions[rows], inputs)


def token_batch(
    positions: list[int], encodings: Sequence[Encoding], *, pinned: bool = False
) -> TokenBatch:
    """Pad the encodings of a batch to its longest; in pinned memory for a GPU."""
    import torch

    shape = len(encodings), max(map(len, encodings))
    names = ("input_ids", "attention_mask", "token_type_ids")
    inputs = {name: torch.zeros(shape, dtype=torch.int64, pin_memory=pinned) for name in names}
    ids, mask, types = (inputs[name].numpy() for name in names)
    for row, encoding in enumerate(encodings):
        length = len(encoding)
        ids[row, :length] = encoding.ids
        mask[row, :length] = 1
        if encoding.n_sequences > 1:
            types[row, :length] = encoding.type_ids
    return TokenBatch(positions, inputs)


def prepared_batches(
    count: int,
    tokenise: Callable[[int, int], Sequence[Encoding]],
    budget: TokenBudget,
    *,
    pinned: bool = False,
) -> Iterator[TokenBatch]:
    """Batches of passages 0 to `count`, each made while the one before it is in use.

    Args:
        count: number of passages.
        tokenise: gives the encodings of passages from a first to before a last one.
        budget: read for each batch.
        pinned: in memory that a GPU copies from by itself.
    """

    def batches() -> Iterator[TokenBatch]:
        for start in range(0, count, WINDOW):
            encodings = tokenise(start, min(start + WINDOW, count))
            for rows in batches_within([len(e) for e in encodings], budget):
                of_rows = [encodings[row] for row in rows]
                yield token_batch([start + row for row in rows], of_rows, pinned=pinned)

    return ahead(batches())


def ahead(items: Iterator[_Item], depth: int = 2) -> Iterator[_Item]:
    """Yield the items of an iterator, up to `depth` of them made ahead by a thread.

    What making one raises is raised where it is asked for.
    """
    with ThreadPoolExecutor(1, thread_name_prefix="clinrag-tokenise") as thread:
        waiting = [thread.submit(next, items, None) for _ in range(depth)]
        while (item := waiting.pop(0).result()) is not None:
            waiting.append(thread.submit(next, items, None))
            yield item


def run_on_cores(
    batches: Iterable[TokenBatch],
    encode: Callable[[TokenBatch], Vectors],
    cores: int,
    on_batch: Callable[[Sequence[int], Vectors], None],
    enter: Callable[[], None],
) -> None:
    """Encode batches on a CPU, each on one core, and hand over their vectors in order.

    Cores that share a batch wait for each other at every product: where other work has one of them,
    both stand still. `enter` prepares each thread.
    """
    with ThreadPoolExecutor(cores, "clinrag-encode", enter) as pool:
        waiting: deque[tuple[list[int], Future[Vectors]]] = deque()
        for batch in batches:
            waiting.append((batch.positions, pool.submit(encode, batch)))
            if len(waiting) > cores:
                positions, encoded = waiting.popleft()
                on_batch(positions, encoded.result())
        for positions, encoded in waiting:
            on_batch(positions, encoded.result())


def run_batches(
    batches: Iterable[TokenBatch],
    forward: Callable[[TokenBatch], Callable[[], Vectors]],
    budget: TokenBudget,
    on_batch: Callable[[Sequence[int], Vectors], None],
    release: Callable[[], None],
) -> None:
    """Encode batches, reading the vectors of one while the device computes the next.

    Args:
        batches: see `prepared_batches`.
        forward: starts a batch and returns a function that waits for its vectors; raises
            `torch.OutOfMemoryError` when it does not fit.
        budget: halved when a batch does not fit.
        on_batch: receives the positions and vectors of each batch.
        release: returns cached memory to the device.

    Raises:
        EncoderError: a single passage does not fit.
    """
    import torch

    started: tuple[list[int], Callable[[], Vectors]] | None = None

    def finish() -> None:
        nonlocal started
        if started is not None:
            positions, read = started
            started = None
            on_batch(positions, read())

    for batch in batches:
        parts = [batch]
        while parts:
            part = parts.pop(0)
            try:
                read = forward(part)
            except torch.OutOfMemoryError:
                read = None  # outside of this block, where the failed tensors are freed
            if read is not None:
                finish()
                started = part.positions, read
                continue
            if len(part.positions) == 1:
                raise EncoderError(
                    f"a passage of {part.padded_tokens} tokens does not fit into the memory of the "
                    "device: another process may be using it"
                )
            finish()
            release()
            budget.halve(part.padded_tokens)
            parts = [*part.halves(), *parts]
    finish()
