"""The engine of the candidates on all cores: each child process of an evaluation opens its own.

An executor that is not local works as `Executor.map` does; one core, in this process.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from clinrag_core.pipeline.candidates import answer_engine, read_candidates
from clinrag_core.pipeline.children import Children, usable_cores
from clinrag_core.pipeline.executor import LocalExecutor

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

    from clinrag_core.answer.engine import AnswerEngine
    from clinrag_core.evaluate.judging import Spread
    from clinrag_core.pipeline.pipeline import Pipeline


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
    children: Children | None = None
    try:
        engine = _engine(pipeline)
        if pipeline.settings.executor.kind != "local":
            yield engine, partial(_spread, pipeline.executor.map)
        elif (processes := _processes(pipeline)) > 1:
            children = Children(pipeline, processes)
            yield engine, partial(_spread, children.map)
        else:
            yield engine, partial(_spread, LocalExecutor(pipeline, processes=1).map)
    finally:
        _engine.cache_clear()
        if children is not None:
            children.close()


def do_task(pipeline: Pipeline, task: EngineTask) -> Any:
    """Do one task on the engine of a pipeline."""
    return task.work(_engine(pipeline), task.batch)


def _spread(
    spread_tasks: Callable[[Callable[[Pipeline, EngineTask], Any], Iterable[EngineTask]], Any],
    work: Callable[[AnswerEngine, Any], Any],
    batches: Iterable[Any],
) -> Iterator[Any]:
    return spread_tasks(do_task, (EngineTask(work, batch) for batch in batches))


@lru_cache(maxsize=1)
def _engine(pipeline: Pipeline) -> AnswerEngine:
    """Return the answer engine of the stored candidates, opened once."""
    return answer_engine(pipeline, read_candidates(pipeline), pipeline.thresholds.read().value)


def _processes(pipeline: Pipeline) -> int:
    """Return how many children to start.

    A model that writes answers is asked from one process: an endpoint has a queue, and a local
    model fills the memory.
    """
    settings = pipeline.settings
    return usable_cores(settings) if settings.answer.generator.kind == "extractive" else 1
