"""Work of an evaluation on all cores: child processes that open the engine of the candidates.

They get a pickled function with a batch, and send what it returns: as the workers of Ray they are
given nothing but this workspace, no file of a stranger (ADR 0052). One core, or an executor that
is not local, works as `Executor.map` does.
"""

from __future__ import annotations

import logging
import pickle
import resource
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from clinrag_core.bounded import ChildPool, Limits
from clinrag_core.encode.device import physical_cores
from clinrag_core.errors import ChildFailedError
from clinrag_core.garbage import search_seldom
from clinrag_core.pipeline.candidates import answer_engine, read_candidates
from clinrag_core.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from concurrent.futures import Future

    from clinrag_core.answer.engine import AnswerEngine
    from clinrag_core.evaluate.judging import Spread
    from clinrag_core.pipeline.pipeline import Pipeline

logger = logging.getLogger(__name__)
CHILD = "clinrag_core.pipeline.core_pool:do_batch"
MEMORY = Path("/proc/meminfo")
UNLIMITED = Limits(seconds=86_400.0, megabytes=None)
AHEAD = 2
"""Batches handed over for each child: the next one waits for it."""


class EngineTask(NamedTuple):
    """A function on an answer engine, and what it is done on."""

    work: Callable[[AnswerEngine, Any], Any]
    batch: Any


@contextmanager
def engine_on_cores(pipeline: Pipeline) -> Generator[tuple[AnswerEngine, Spread]]:
    """Give the engine of the candidates, and what does work on engines of the same state.

    Raises:
        MissingInputError: there are no candidates or no thresholds.
    """
    pool: ChildPool | None = None
    try:
        engine = _engine(pipeline)
        processes = _processes(pipeline.settings)
        if processes > 1:
            pool = ChildPool(CHILD, processes, secrets=True)
            yield engine, partial(_on_children, pipeline, pool, processes)
        else:
            yield engine, partial(_by_executor, pipeline)
    finally:
        _engine.cache_clear()
        if pool is not None:
            pool.close()


def do_batch(header: dict[str, Any], blob: bytes) -> tuple[dict[str, Any], bytes]:
    """Do one task, in a child."""
    task: EngineTask = pickle.loads(blob)  # noqa: S301  # nosec B301
    done = do_task(_pipeline(header["settings"]), task)
    return {}, pickle.dumps(done, pickle.HIGHEST_PROTOCOL)


def do_task(pipeline: Pipeline, task: EngineTask) -> Any:
    """Do one task on the engine of a pipeline."""
    return task.work(_engine(pipeline), task.batch)


def _by_executor(
    pipeline: Pipeline, work: Callable[[AnswerEngine, Any], Any], batches: Iterable[Any]
) -> Iterator[Any]:
    return pipeline.executor.map(do_task, (EngineTask(work, batch) for batch in batches))


def _on_children(
    pipeline: Pipeline,
    pool: ChildPool,
    processes: int,
    work: Callable[[AnswerEngine, Any], Any],
    batches: Iterable[Any],
) -> Iterator[Any]:
    """Yield what children make of the batches, in order; few batches wait at any time."""
    header = {"settings": pipeline.settings.model_dump_json()}
    waiting: deque[tuple[EngineTask, Future[Any]]] = deque()

    def done() -> Any:
        """Return the first result; what a child cannot do is done here, or fails here."""
        task, future = waiting.popleft()
        try:
            _, blob = future.result()
        except ChildFailedError as error:
            logger.warning("a child of the evaluation failed: %s", error)
            return do_task(pipeline, task)
        return pickle.loads(blob)  # noqa: S301  # nosec B301

    with ThreadPoolExecutor(processes, "clinrag-cores") as threads:
        for batch in batches:
            task = EngineTask(work, batch)
            blob = pickle.dumps(task, pickle.HIGHEST_PROTOCOL)
            waiting.append((task, threads.submit(pool.run, header, blob, UNLIMITED)))
            if len(waiting) > AHEAD * processes:
                yield done()
        while waiting:
            yield done()


@lru_cache(maxsize=1)
def _pipeline(settings: str) -> Pipeline:
    """Return the pipeline of a child."""
    from clinrag_core.pipeline.pipeline import Pipeline

    search_seldom()
    return Pipeline(Settings.model_validate_json(settings))


@lru_cache(maxsize=1)
def _engine(pipeline: Pipeline) -> AnswerEngine:
    """Return the answer engine of the stored candidates, opened once."""
    return answer_engine(pipeline, read_candidates(pipeline), pipeline.thresholds.read().value)


def _processes(settings: Settings) -> int:
    """Return how many children to start: one for each core, as far as memory goes.

    A child takes what this process takes, which has the same engine open. A model that writes
    answers is asked from one process: an endpoint has a queue, and a local model fills the memory.
    """
    if settings.executor.kind != "local" or settings.answer.generator.kind != "extractive":
        return 1
    cores = min(physical_cores(), settings.executor.workers or physical_cores())
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return min(cores, _available_kib() // own) if cores > 1 else 1


def _available_kib() -> int:
    """Return the memory that new processes may take, in KiB; 0 where the system does not say."""
    try:
        lines = MEMORY.read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("MemAvailable")), 0)
