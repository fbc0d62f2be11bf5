"""Work on many documents as tasks of a Ray cluster, or of workers that Ray starts here (ADR 0052).

A task is given the kind of pipeline, the settings and one item. It reads and writes the workspace,
which all nodes see under one path. Ray runs a task again on another worker when its own has died.
Results come back pickled, so only machines that may run code here belong in a cluster; untrusted
files are parsed in children of the workers, which send no pickles (ADR 0031).
"""

from __future__ import annotations

import os
import socket
from collections import deque
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from clinrag_core.acquire.manifest import manifest_file
from clinrag_core.errors import ExecutorError
from clinrag_core.settings import Settings
from clinrag_core.workspace import file_digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from clinrag_core.pipeline.pipeline import Pipeline

Item = TypeVar("Item")
Result = TypeVar("Result")

TASKS_PER_WORKER = 2
"""Tasks handed to Ray for each processor: the next one waits at the worker."""
CONNECT_S = 10.0
"""Seconds to wait for the address of a cluster, by judgement; Ray itself waits for ever."""
MOST_DEATHS = 5
"""Times that the process of one task may die. A task that always kills its worker, say by its need
of memory, ends the run; one that was unlucky is done again."""


class RayExecutor:
    """Works on Ray; see `Executor` for the contract.

    Raises:
        ExecutorError: Ray is not installed, or there is no cluster at the address.
    """

    def __init__(self, pipeline: Pipeline) -> None:
        self._ray = _connected(pipeline.settings)
        self._make = type(pipeline)
        self._settings = pipeline.settings.model_dump_json()
        self._manifest = file_digest(manifest_file(pipeline.settings.corpus.manifest))
        self._gpus = 1 if pipeline.settings.encoder.device == "cuda" else 0
        self._task: Any = self._ray.remote(max_retries=MOST_DEATHS, num_cpus=1)(_work)

    def map(
        self, work: Callable[[Pipeline, Item], Result], items: Iterable[Item], *, gpu: bool = False
    ) -> Iterator[Result]:
        """See `Executor.map`."""
        task = self._task.options(num_gpus=self._gpus) if gpu else self._task
        most = TASKS_PER_WORKER * max(int(self._ray.cluster_resources().get("CPU", 1)), 1)
        waiting: deque[Any] = deque()
        for item in items:
            waiting.append(task.remote(work, self._make, self._settings, self._manifest, item))
            if len(waiting) >= most:
                yield self._result(waiting.popleft())
        while waiting:
            yield self._result(waiting.popleft())

    def _result(self, reference: Any) -> Any:
        """Wait for a task; what the work itself raises is raised here."""
        exceptions = self._ray.exceptions
        try:
            return self._ray.get(reference)
        except (
            exceptions.WorkerCrashedError,
            exceptions.NodeDiedError,
            exceptions.OutOfMemoryError,
            exceptions.ObjectLostError,
        ) as error:
            raise ExecutorError(
                f"Ray lost a task after {MOST_DEATHS + 1} attempts ({type(error).__name__}): has "
                "each worker the memory that a document needs?"
            ) from error
        except exceptions.RaySystemError as error:
            raise ExecutorError(
                f"a worker of Ray cannot begin ({error}): has it this version of clinrag?"
            ) from error


def _connected(settings: Settings) -> Any:
    """Return Ray, connected once for this process."""
    # Set before the import: Ray sends usage statistics to its vendor unless this is set.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray  # pyright: ignore[reportMissingImports] - of an extra
    except ImportError as error:
        raise ExecutorError("Ray is not installed: pip install 'clinrag[ray]'") from error
    if ray.is_initialized():
        return ray
    chosen = settings.executor
    here: dict[str, Any] = {"num_cpus": chosen.workers, "include_dashboard": False}
    try:
        _reach(chosen.address)
        ray.init(
            address=chosen.address,
            log_to_driver=False,
            configure_logging=False,
            **(here if chosen.address == "local" else {}),
        )
    except (OSError, ValueError, RuntimeError) as error:
        raise ExecutorError(f"no Ray at executor.address = {chosen.address!r}: {error}") from error
    return ray


def _reach(address: str) -> None:
    """Raise OSError unless something listens at `HOST:PORT`: Ray itself waits for ever."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if colon and port.isdigit():
        socket.create_connection((host, int(port)), timeout=CONNECT_S).close()


def _work(
    work: Callable[[Pipeline, Any], Any],
    make: type[Pipeline],
    settings: str,
    manifest: str,
    item: Any,
) -> Any:
    """Do one task, in a worker."""
    return work(_pipeline(make, settings, manifest), item)


@lru_cache(maxsize=1)
def _pipeline(make: type[Pipeline], settings: str, manifest: str) -> Pipeline:
    """Return the pipeline of a worker: models are loaded once; another manifest, another one."""
    del manifest
    return make(Settings.model_validate_json(settings))
