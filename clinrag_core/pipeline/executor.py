"""Where the work on many documents is done: on the cores of this machine, or on Ray.

The work is a function of the library on a pipeline and one item. It writes to the workspace whole
files whose bytes its input decides, or returns what it made, so it may be done twice, and anywhere
that sees the workspace.
"""

from __future__ import annotations

import time
from contextlib import closing
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Protocol, TypeVar

from clinrag_core.pipeline.children import Children, usable_cores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from clinrag_core.pipeline.pipeline import Pipeline

Item = TypeVar("Item")
Result = TypeVar("Result")

START_S = 1.0
"""Seconds of work in this process before children are started, which takes them about as long."""
FEW = 8
"""Items, fewer of which are not worth the start of children."""


class Executor(Protocol):
    """Does work on many items."""

    def map(
        self, work: Callable[[Pipeline, Item], Result], items: Iterable[Item], *, gpu: bool = False
    ) -> Iterator[Result]:
        """Yield the result of each item, in the order of the items, which are read as needed.

        Args:
            work: a function at the top of a module of this library.
            items: what it is done on; values that can be pickled.
            gpu: whether it needs a device, where the profile names one.

        Raises:
            ExecutorError: the work cannot be done there, or its process died again and again.
        """
        ...


class LocalExecutor:
    """Works in this process, and in child processes where there is much to do.

    `processes` is the most that work at once; None: as many as cores, workers and memory allow.
    """

    def __init__(self, pipeline: Pipeline, *, processes: int | None = None) -> None:
        self._pipeline = pipeline
        self._processes = processes

    def map(
        self, work: Callable[[Pipeline, Item], Result], items: Iterable[Item], *, gpu: bool = False
    ) -> Iterator[Result]:
        """See `Executor.map`; work for a device stays in this process, where its model is."""
        here, coming = partial(work, self._pipeline), iter(items)
        if gpu or self._processes == 1:
            yield from map(here, coming)
            return
        yield from _for_a_start(here, coming)
        ahead = list(islice(coming, FEW))
        rest = chain(ahead, coming)
        processes = self._processes or usable_cores(self._pipeline.settings)
        if len(ahead) == FEW and processes > 1:
            with closing(Children(self._pipeline, processes)) as children:
                yield from children.map(work, rest)
        else:
            yield from map(here, rest)


def _for_a_start(work: Callable[[Item], Result], items: Iterator[Item]) -> Iterator[Result]:
    """Yield the results of the first items, for about as long as a child takes to start."""
    spent = 0.0
    for item in items:
        began = time.perf_counter()
        result = work(item)
        spent += time.perf_counter() - began
        yield result
        if spent >= START_S:
            return


def open_executor(pipeline: Pipeline) -> Executor:
    """Return the executor of a profile.

    Raises:
        ExecutorError: it is Ray, which is not installed or has no cluster at that address.
    """
    settings = pipeline.settings.executor
    if settings.kind == "local":
        return LocalExecutor(pipeline)
    from clinrag_core.pipeline.ray_executor import RayExecutor

    return RayExecutor(pipeline)
