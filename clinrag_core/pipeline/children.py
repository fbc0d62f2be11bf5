"""Work on many items in child processes, as many as there are cores.

A child gets a pickled function with an item, and sends what it returns and logs. As a worker of Ray
it sees this workspace (ADR 0052), and parses untrusted files in children of its own (ADR 0031).
"""

from __future__ import annotations

import logging
import pickle
import resource
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from logging.handlers import QueueHandler
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from clinrag_core.bounded import ChildPool, Limits
from clinrag_core.encode.device import physical_cores
from clinrag_core.errors import ChildFailedError
from clinrag_core.garbage import search_seldom
from clinrag_core.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future

    from clinrag_core.pipeline.pipeline import Pipeline

Item = TypeVar("Item")
Result = TypeVar("Result")

logger = logging.getLogger(__name__)
CHILD = "clinrag_core.pipeline.children:do_task"
MEMORY = Path("/proc/meminfo")
UNLIMITED = Limits(seconds=86_400.0, megabytes=None)
AHEAD = 2
"""Items handed over for each child: the next one waits for it."""


class _Task(NamedTuple):
    """A function, and the pipeline's class and the item that it is called with."""

    make: type[Pipeline]
    work: Callable[[Pipeline, Any], Any]
    item: Any


class _Done(NamedTuple):
    """What a child made of a task."""

    result: Any
    logged: list[logging.LogRecord]


class Children:
    """Processes that do work on items, each with a pipeline of the same settings.

    An item whose child died, or on which the work raised, is done again in this process: the caller
    gets the result or the error of a plain loop.
    """

    def __init__(self, pipeline: Pipeline, processes: int) -> None:
        self._pipeline = pipeline
        self._processes = processes
        self._pool = ChildPool(CHILD, processes, secrets=True)

    def map(
        self, work: Callable[[Pipeline, Item], Result], items: Iterable[Item]
    ) -> Iterator[Result]:
        """Yield the result of each item, in order; few items wait at any time."""
        header = {"settings": self._pipeline.settings.model_dump_json()}
        waiting: deque[tuple[Item, Future[tuple[dict[str, Any], bytes]]]] = deque()

        def result() -> Result:
            """Return the first result; what a child cannot do is done here, or fails here."""
            item, reply = waiting.popleft()
            try:
                _, sent = reply.result()
            except ChildFailedError as error:
                logger.warning("a child failed, its work is done again here: %s", error)
                return work(self._pipeline, item)
            done: _Done = pickle.loads(sent)  # noqa: S301  # nosec B301
            for record in done.logged:
                origin = logging.getLogger(record.name)
                if origin.isEnabledFor(record.levelno):
                    origin.handle(record)
            return done.result

        threads = ThreadPoolExecutor(self._processes, "clinrag-children")
        try:
            for item in items:
                task = _Task(type(self._pipeline), work, item)
                blob = pickle.dumps(task, pickle.HIGHEST_PROTOCOL)
                waiting.append((item, threads.submit(self._pool.run, header, blob, UNLIMITED)))
                if len(waiting) > AHEAD * self._processes:
                    yield result()
            while waiting:
                yield result()
        finally:
            threads.shutdown(cancel_futures=True)

    def close(self) -> None:
        """End the processes."""
        self._pool.close()


def do_task(header: dict[str, Any], blob: bytes) -> tuple[dict[str, Any], bytes]:
    """Do one task, in a child."""
    task: _Task = pickle.loads(blob)  # noqa: S301  # nosec B301
    logged = _logged()
    result = task.work(_pipeline(task.make, header["settings"]), task.item)
    records = [logged.get() for _ in range(logged.qsize())]
    return {}, pickle.dumps(_Done(result, records), pickle.HIGHEST_PROTOCOL)


def usable_cores(settings: Settings) -> int:
    """Return how many children to start: one for each core, as far as memory goes.

    A child takes at most what this process takes, which does the same work.
    """
    cores = min(physical_cores(), settings.executor.workers or physical_cores())
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return min(cores, _available_kib() // own) if cores > 1 else 1


@lru_cache(maxsize=1)
def _pipeline(make: type[Pipeline], settings: str) -> Pipeline:
    """Return the pipeline of a child."""
    search_seldom()
    return make(Settings.model_validate_json(settings))


@lru_cache(maxsize=1)
def _logged() -> SimpleQueue[logging.LogRecord]:
    """Return the warnings of a child: its standard error goes nowhere."""
    records: SimpleQueue[logging.LogRecord] = SimpleQueue()
    logging.getLogger().addHandler(QueueHandler(records))
    return records


def _available_kib() -> int:
    """Return the memory that new processes may take, in KiB; 0 where the system does not say."""
    try:
        lines = MEMORY.read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("MemAvailable")), 0)
