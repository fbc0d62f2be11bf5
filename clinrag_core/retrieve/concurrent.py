"""Runs retrievers concurrently, each with a time limit; late and failing ones are dropped.

Every component has a separate thread pool, so that one that hangs cannot starve the others.
Nothing is cancelled inside a library: a late thread ends by itself and its result is dropped.
"""

from __future__ import annotations

import asyncio
import logging
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from clinrag_core.errors import ClinragError, ComponentUnavailableError
from clinrag_core.retrieve.components import RankedList

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from clinrag_core.index.knowledge_base import KnowledgeBase
    from clinrag_core.retrieve.components import Query, Retriever
    from clinrag_core.retrieve.request import Component

logger = logging.getLogger(__name__)
T = TypeVar("T")


class RetrieverOutcome(NamedTuple):
    """The ranked lists of a component, or the code of its failure, and its milliseconds."""

    component: Component
    lists: list[RankedList]
    error: str | None
    milliseconds: float


def run_component(
    retriever: Retriever, query: Query, bases: Sequence[KnowledgeBase], k: int
) -> RetrieverOutcome:
    """Run one component over the knowledge bases, in this thread.

    Any error of the component is an outcome: a retriever may fail, the search goes on.
    """
    started = time.perf_counter()
    error: str | None = None
    lists: list[RankedList] = []
    try:
        prepared = retriever.prepare(query)
        lists = [
            RankedList(retriever.name, base.name, retriever.search(base, query, prepared, k))
            for base in bases
        ]
    except ComponentUnavailableError:
        error = f"{retriever.name}_unavailable"
    except (ClinragError, RuntimeError, ValueError, OSError, MemoryError) as failure:
        # The type only: messages of libraries may contain the question.
        logger.warning("component %s failed: %s", retriever.name, type(failure).__name__)
        error = f"{retriever.name}_error"
    return RetrieverOutcome(retriever.name, lists, error, since(started))


class ComponentPools:
    """One thread pool per component, made when first needed.

    Args:
        workers: threads of each pool.
        timeouts_ms: by component.
    """

    def __init__(self, workers: int, timeouts_ms: Mapping[str, float]) -> None:
        self._workers = workers
        self._timeouts_ms = timeouts_ms
        self._pools: dict[str, ThreadPoolExecutor] = {}

    async def run(self, name: str, work: Callable[..., T], *args: Any) -> T:
        """Run a function in the pool of a component.

        Raises:
            TimeoutError: the component's time limit has passed.
        """
        if name not in self._pools:
            self._pools[name] = ThreadPoolExecutor(self._workers, thread_name_prefix=name)
        future = asyncio.get_running_loop().run_in_executor(self._pools[name], work, *args)
        return await asyncio.wait_for(future, self._timeouts_ms[name] / 1_000)

    async def run_component(
        self, retriever: Retriever, query: Query, bases: Sequence[KnowledgeBase], k: int
    ) -> RetrieverOutcome:
        """Run one component over the knowledge bases; a late one has no lists."""
        started, name = time.perf_counter(), retriever.name
        try:
            return await self.run(name, run_component, retriever, query, bases, k)
        except TimeoutError:
            logger.warning("component %s is late and is dropped", name)
            return RetrieverOutcome(name, [], f"{name}_timeout", since(started))

    def close(self) -> None:
        """Let running threads end; start no more."""
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)


def since(started: float) -> float:
    """Return the milliseconds since a `time.perf_counter` value."""
    return (time.perf_counter() - started) * 1_000
