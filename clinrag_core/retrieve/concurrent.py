"""Runs retrievers side by side, each with its own time; late and failing ones are left out.

Every component has a thread pool of its own, so that one that hangs cannot starve the others.
Nothing is cancelled inside a library: a late thread ends by itself and its result is dropped.
"""

from __future__ import annotations

import asyncio
import logging
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.errors import ClinragError, ComponentUnavailableError
from clinrag_core.retrieve.components import RankedList

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clinrag_core.index.knowledge_base import KnowledgeBase
    from clinrag_core.retrieve.components import Query, Retriever
    from clinrag_core.retrieve.request import Component

logger = logging.getLogger(__name__)


class RetrieverOutcome(NamedTuple):
    """What a component gave: lists, or the code of why it did not, and its milliseconds."""

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
    except (ClinragError, RuntimeError, ValueError, OSError, MemoryError) as found:
        # The type only: messages of libraries may hold the question.
        logger.warning("component %s failed: %s", retriever.name, type(found).__name__)
        error = f"{retriever.name}_error"
    return RetrieverOutcome(retriever.name, lists if error is None else [], error, _since(started))


class ComponentPools:
    """One thread pool per component, made when first needed.

    Args:
        workers: threads of each pool.
    """

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._pools: dict[str, ThreadPoolExecutor] = {}

    def pool(self, name: str) -> ThreadPoolExecutor:
        """The pool of a component or of the reranker."""
        if name not in self._pools:
            self._pools[name] = ThreadPoolExecutor(self._workers, thread_name_prefix=name)
        return self._pools[name]

    def close(self) -> None:
        """Let running threads end; start no more."""
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)


async def run_concurrently(
    retrievers: Sequence[Retriever],
    query: Query,
    bases: Sequence[KnowledgeBase],
    k: int,
    *,
    pools: ComponentPools,
    timeouts_s: Mapping[str, float],
) -> list[RetrieverOutcome]:
    """Run components side by side; the outcomes are in the order of `retrievers`."""

    async def one(retriever: Retriever) -> RetrieverOutcome:
        started = time.perf_counter()
        loop = asyncio.get_running_loop()
        work = loop.run_in_executor(
            pools.pool(retriever.name), run_component, retriever, query, bases, k
        )
        try:
            return await asyncio.wait_for(work, timeouts_s[retriever.name])
        except TimeoutError:
            logger.warning("component %s is late and is left out", retriever.name)
            return RetrieverOutcome(
                retriever.name, [], f"{retriever.name}_timeout", _since(started)
            )

    return list(await asyncio.gather(*(one(retriever) for retriever in retrievers)))


def _since(started: float) -> float:
    return (time.perf_counter() - started) * 1_000
