"""Bulk encoding: passages in windows, windows in batches, batches given ahead to the device.

While the device computes the batches that it was given, the next window is tokenised, sorted by
length and laid out (for a GPU in pinned memory). No thread does it: Python runs one at a time, and
a thread that tokenises would hold up the one that starts a GPU's kernels. A batch has a budget of
padded tokens. On a GPU the budget is found by trying: doubled while memory is left, halved when it
is not; a batch that was too large is split and encoded again, so that no passage is lost.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

from clinrag_core.errors import EncoderError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Future

    from clinrag_core.encode.passage_tokens import Tokens
    from clinrag_core.encode.protocol import Vectors

    Layout = Callable[[Sequence[Tokens]], dict[str, Any]]
    """Makes the inputs of a model from the tokens of some passages."""

FIRST_WINDOW, WINDOW = 512, 4096
"""Passages that are tokenised and sorted together: enough that padding almost vanishes. The first
windows are smaller, each twice the one before: a device does not wait for all of 4,096."""
CPU_TOKENS = 2048
"""Padded tokens of a batch on a CPU; `benchmarks/encode.py --batch-tokens` compares others."""
FIRST_GPU_TOKENS, MOST_GPU_TOKENS = 16_384, 65_536
"""The budget a GPU starts with, and where it stops growing: larger is slower on an H200."""
IN_FLIGHT = 16
"""Batches that a GPU has been given and not finished: it computes while a window is tokenised."""


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

    def may_grow_after(self, tokens: int) -> bool:
        """Return True if a batch of this many padded tokens is large enough to tell."""
        return self.tokens < self._most and 2 * tokens > self.tokens

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
    """Some passages as torch takes them, on the CPU."""

    positions: Sequence[int]
    """Of the passages, in the order they were given in."""
    passages: Sequence[Tokens]
    inputs: dict[str, Any]
    """What the layout made of the passages."""
    layout: Layout

    @property
    def tokens(self) -> int:
        """Tokens that the device computes, padding included."""
        return int(self.inputs["input_ids"].numel())

    @property
    def longest(self) -> int:
        """Tokens of the longest passage."""
        return max(map(len, self.passages))

    def halves(self) -> tuple[TokenBatch, TokenBatch]:
        """Return its first and second half, each laid out anew."""
        middle = len(self.positions) // 2
        return self._part(slice(None, middle)), self._part(slice(middle, None))

    def _part(self, rows: slice) -> TokenBatch:
        return token_batch(self.positions[rows], self.passages[rows], self.layout)


def token_batch(positions: Sequence[int], passages: Sequence[Tokens], layout: Layout) -> TokenBatch:
    """Lay out the tokens of a batch as the inputs of a model."""
    return TokenBatch(positions, passages, layout(passages), layout)


def padded(
    passages: Sequence[Tokens], *, pinned: bool = False, multiple: int = 1
) -> dict[str, Any]:
    """Token ids, attention mask and segment ids, `(passages, longest)` each.

    Rows end at a multiple of `multiple`; `pinned` is memory that a GPU copies from by itself.
    """
    import torch

    shape = len(passages), -(-max(map(len, passages)) // multiple) * multiple
    names = ("input_ids", "attention_mask", "token_type_ids")
    inputs = {name: torch.zeros(shape, dtype=torch.int64, pin_memory=pinned) for name in names}
    ids, mask, types = (inputs[name].numpy() for name in names)
    for row, tokens in enumerate(passages):
        length = len(tokens)
        ids[row, :length] = tokens.ids
        mask[row, :length] = 1
        types[row, length - tokens.second : length] = 1
    return inputs


def prepared_batches(
    count: int,
    tokenise: Callable[[int, int], Sequence[Tokens]],
    budget: TokenBudget,
    layout: Layout = padded,
) -> Iterator[TokenBatch]:
    """Yield batches of passages 0 to `count`.

    Args:
        count: number of passages.
        tokenise: gives the tokens of passages from a first to before a last one.
        budget: read for each batch.
        layout: makes the inputs of a batch.
    """
    for start, end in windows(count):
        tokens = tokenise(start, end)
        for rows in batches_within([len(each) for each in tokens], budget):
            of_rows = [tokens[row] for row in rows]
            yield token_batch([start + row for row in rows], of_rows, layout)


def windows(count: int) -> Iterator[tuple[int, int]]:
    """Yield the first passage of each window and the one after its last."""
    start, size = 0, min(FIRST_WINDOW, WINDOW)
    while start < count:
        yield start, min(start + size, count)
        start, size = start + size, min(2 * size, WINDOW)


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
        waiting: deque[tuple[Sequence[int], Future[Vectors]]] = deque()
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
    """Encode batches, up to `IN_FLIGHT` of them given to the device before the first is read.

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

    started: deque[tuple[Sequence[int], Callable[[], Vectors]]] = deque()

    def finish(left: int) -> None:
        while len(started) > left:
            positions, read = started.popleft()
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
                started.append((part.positions, read))
                finish(IN_FLIGHT)
                continue
            if len(part.positions) == 1:
                raise EncoderError(
                    f"a passage of {part.tokens} tokens does not fit into the memory of the "
                    "device: another process may be using it"
                )
            finish(0)
            release()
            budget.halve(part.tokens)
            parts = [*part.halves(), *parts]
    finish(0)
