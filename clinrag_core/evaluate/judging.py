"""Runs work of an evaluation on an engine, in batches that may be done by other processes.

Work is a function at the top of a module on an engine and one batch. What it returns depends on
nothing else, so the batches may be done anywhere, in any order, by an engine of the same state.
"""

from __future__ import annotations

import time
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

from clinrag_core.answer.gates.protocol import ClaimInContext
from clinrag_core.answer.gates.runner import run_gates

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from clinrag_core.answer.engine import AnswerEngine
    from clinrag_core.answer.gates.protocol import Gate
    from clinrag_core.answer.records import GateDecision
    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.model.chunk import Chunk
    from clinrag_core.model.citation import Citation

    Judge = Callable[[Iterable["MadeClaim"]], Iterator["Judgement"]]
    """Judges claims, in their order."""

Item = TypeVar("Item")
Batch = TypeVar("Batch")
Result = TypeVar("Result")
BATCH = 64
"""Claims that are handed over at once: less than a second of work."""
MILLISECONDS = 1_000.0  # of a second


class MadeClaim(NamedTuple):
    """A claim to judge, with its source; see `ClaimInContext`."""

    text: str
    citations: tuple[Citation, ...]
    evidence: Mapping[str, Chunk]
    sources: tuple[str, ...] = ()


class Judgement(NamedTuple):
    """What the gates say of a claim."""

    refusals: tuple[GateDecision, ...]
    """Empty if it passed."""
    milliseconds: float
    """Processor time of all gates."""


class Spread(Protocol):
    """Does work on batches."""

    def __call__(
        self, work: Callable[[AnswerEngine, Batch], Result], batches: Iterable[Batch]
    ) -> Iterator[Result]:
        """Yield the result of each batch, in the order of the batches."""
        ...


def in_this_process(engine: AnswerEngine) -> Spread:
    """Return what does the work here, one batch after the other."""

    def spread(
        work: Callable[[AnswerEngine, Batch], Result], batches: Iterable[Batch]
    ) -> Iterator[Result]:
        return (work(engine, batch) for batch in batches)

    return spread


def judge_here(gates: Sequence[Gate], drugs: DrugLexicon) -> Judge:
    """Return what judges claims by some gates in this process."""
    return partial(map, partial(_judged, gates, drugs))


def judge_by(spread: Spread) -> Judge:
    """Return what judges claims by the gates of an engine, in batches."""
    return lambda claims: chain.from_iterable(spread(judge_batch, batched(claims, BATCH)))


def judge_batch(engine: AnswerEngine, claims: Sequence[MadeClaim]) -> list[Judgement]:
    """Judge claims by the gates of an engine."""
    return [_judged(engine.gates, engine.drugs, claim) for claim in claims]


def batched(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Yield lists of `size` items, the last one shorter."""
    left = iter(items)
    while batch := list(islice(left, size)):
        yield batch


def _judged(gates: Sequence[Gate], drugs: DrugLexicon, made: MadeClaim) -> Judgement:
    # Of the thread: a limit of processor time, as children have, makes the clock of the process
    # move with the scheduler's tick, 4 ms.
    began = time.thread_time()
    claim = ClaimInContext(made.text, made.citations, made.evidence, drugs, made.sources)
    decisions = run_gates(gates, claim)
    taken = (time.thread_time() - began) * MILLISECONDS
    if not all(one.passed for one in decisions):  # they stopped at the first that refuses
        decisions = run_gates(gates, claim, every=True)
    return Judgement(tuple(one for one in decisions if not one.passed), taken)
