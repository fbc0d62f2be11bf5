"""Runs retrievers concurrently, each with a time limit; late and failing ones are dropped.

Every component has a separate thread pool, so that one that hangs cannot starve the others.
Nothing is cancelled inside a library: a late thread ends by itself and its result is dropped.
"""

from __future__ import annotations

import logging
import math
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from clinrag_core.errors import ComponentUnavailableError, IndexBuildError, log_failure
from clinrag_core.retrieve.components import RankedList

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from clinrag_core.index.knowledge_base import KnowledgeBase
    from clinrag_core.retrieve.components import Query, Retriever
    from clinrag_core.retrieve.request import Component

logger = logging.getLogger(__name__)
T = TypeVar("T")


class RetrieverOutcome(NamedTuple):
    """The ranked lists of a component, or why there are none, and its milliseconds.

    `error` is `bm25_timeout`, `bm25_unavailable` or `bm25_error: KeyError`.
    """

    component: Component
    lists: list[RankedList]
    error: str | None
    milliseconds: float
    prepared: object = None
    """What `Retriever.prepare` gave; of the dense retriever the vector of the question."""


def run_component(
    retriever: Retriever, query: Query, bases: Sequence[KnowledgeBase], k: int
) -> RetrieverOutcome:
    """Run one component over the knowledge bases, in this thread.

    Every exception of the component is an outcome: a retriever may fail, the search goes on
    (ADR 0019).
    """
    started = time.perf_counter()
    error: str | None = None
    lists: list[RankedList] = []
    prepared: object = None
    try:
        prepared = retriever.prepare(query)
        lists = [
            RankedList(retriever.name, base.name, retriever.search(base, query, prepared, k))
            for base in bases
        ]
        _check_hits(lists, bases)
    except ComponentUnavailableError as failure:
        logger.warning("component %s is unavailable: %s", retriever.name, failure)
        error = f"{retriever.name}_unavailable"
    except Exception as failure:  # noqa: BLE001 - libraries below a component raise anything
        log_failure(logger, f"component {retriever.name} failed", failure)
        error, lists = f"{retriever.name}_error: {type(failure).__name__}", []
    return RetrieverOutcome(retriever.name, lists, error, since(started), prepared)


def _check_hits(lists: Sequence[RankedList], bases: Sequence[KnowledgeBase]) -> None:
    """Refuse hits that cannot be ranked or read, as an external store may return them.

    Raises:
        IndexBuildError: an unknown passage, or a score that is not finite.
    """
    for component, _, hits in lists:
        unknown = {chunk_id for chunk_id, _ in hits}
        for base in bases:
            unknown = {chunk_id for chunk_id in unknown if chunk_id not in base}
        if unknown or not all(math.isfinite(score) for _, score in hits):
            raise IndexBuildError(
                f"{component} gave a passage that no knowledge base has, or a "
                "score that is not finite"
            )


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
        import asyncio  # here: a command that asks one question never waits

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

    async def run_components(
        self, retrievers: Iterable[Retriever], query: Query, bases: Sequence[KnowledgeBase], k: int
    ) -> list[RetrieverOutcome]:
        """Run components at the same time; return their outcomes in order."""
        import asyncio

        return await asyncio.gather(
            *(self.run_component(retriever, query, bases, k) for retriever in retrievers)
        )

    def close(self) -> None:
        """Let running threads end; start no more."""
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)


def since(started: float) -> float:
    """Return the milliseconds since a `time.perf_counter` value."""
    return (time.perf_counter() - started) * 1_000
