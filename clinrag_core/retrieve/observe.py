"""What the engine measures of its own steps; the service counts it, others ignore it.

Holds times and counts, never a question.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Generator

MeasuredStep = Literal["embedding", "vector_store"]
CacheName = Literal["results", "vectors"]


class SearchObserver(Protocol):
    """Receives the measurements of an engine, from any thread."""

    def timed(self, step: MeasuredStep, seconds: float, *, failed: bool) -> None:
        """Take the time of one encoding of a question, or of one query to a vector store."""
        ...

    def looked_up(self, cache: CacheName, *, hit: bool) -> None:
        """Take one lookup in the cache of results, or of the vectors of questions."""
        ...


class Unobserved:
    """A `SearchObserver` that drops everything: CLI, evaluation and tests."""

    def timed(self, step: MeasuredStep, seconds: float, *, failed: bool) -> None:
        """See `SearchObserver`."""

    def looked_up(self, cache: CacheName, *, hit: bool) -> None:
        """See `SearchObserver`."""


@contextmanager
def measured(observer: SearchObserver, step: MeasuredStep) -> Generator[None]:
    """Report the time of a block to an observer, also where it raises."""
    started = time.perf_counter()
    failed = True
    try:
        yield
        failed = False
    finally:
        observer.timed(step, time.perf_counter() - started, failed=failed)
