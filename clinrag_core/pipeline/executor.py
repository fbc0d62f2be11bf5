"""Where the work on many documents is done: one after the other in this process, or on Ray.

The work is a function of the library on a pipeline and one item. It writes to the workspace whole
files whose bytes its input decides, or returns what it made, so it may be done twice, and anywhere
that sees the workspace.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from clinrag_core.pipeline.pipeline import Pipeline

Item = TypeVar("Item")
Result = TypeVar("Result")


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
    """Works in this process, one item after the other."""

    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline

    def map(
        self, work: Callable[[Pipeline, Item], Result], items: Iterable[Item], *, gpu: bool = False
    ) -> Iterator[Result]:
        """See `Executor.map`."""
        del gpu
        return (work(self._pipeline, item) for item in items)


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
