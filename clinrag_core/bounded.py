"""Runs a function of the library in pooled child processes with limits of time and memory.

For work on untrusted input: a child that takes too long, takes too much memory or crashes is killed
and replaced, and the caller gets a typed error. Jobs and results are JSON and bytes, never pickles,
so a child that a file has taken over can send nothing that runs here (ADR 0031).
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import json
import math
import os
import re
import resource
import signal
import struct
import subprocess
import sys
from threading import BoundedSemaphore, Lock, Timer
from typing import TYPE_CHECKING, Any, NamedTuple

from clinrag_core.errors import ChildFailedError, OverLimitError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import IO

    Function = Callable[[dict[str, Any], bytes], tuple[dict[str, Any], bytes]]

WALL_FACTOR = 10
"""A child may wait for a processor: its wall time is limited to this multiple of its own time. A
child of `niceness` 8 next to busy threads of the service gets a seventh of a processor."""
START_S = 300.0
"""Seconds until a new child has imported its function; only a machine that hangs takes longer."""
JOBS_OF_A_CHILD = 500
"""Jobs before a child is replaced: what its libraries leak stays small."""
_SIZES = struct.Struct(">QQ")
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSW|WEBHOOK|CREDENTIAL", re.IGNORECASE)
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
_MIB = 2**20  # bytes


class Limits(NamedTuple):
    """What one job may take."""

    seconds: float
    """Processor time; `WALL_FACTOR` times as long on the clock."""
    megabytes: int | None
    """Address space in MiB; None: as much as the machine has."""


class ChildPool:
    """Children that run one function, `module:name`, on `(header, blob)`.

    At most `processes` run at once; other callers wait. `niceness` lowers their priority. With
    `secrets` they inherit the keys and passwords of the environment: never to read untrusted files.
    """

    def __init__(
        self, function: str, processes: int, *, niceness: int = 0, secrets: bool = False
    ) -> None:
        self._function = function
        self._niceness = niceness
        self._secrets = secrets
        self._slots = BoundedSemaphore(processes)
        self._idle: list[_Child] = []
        self._lock = Lock()
        self._owner = os.getpid()
        atexit.register(self.close)

    def run(
        self, header: dict[str, Any], blob: bytes, limits: Limits
    ) -> tuple[dict[str, Any], bytes]:
        """Return what the function returns.

        Raises:
            OverLimitError: the job took too long or too much memory.
            ChildFailedError: the function raised, or its process ended.
        """
        with self._slots:
            child = self._take()
            try:
                result = child.run(header, blob, limits)
            except BaseException:
                child.kill()
                raise
            if child.jobs < JOBS_OF_A_CHILD:
                with self._lock:
                    self._idle.append(child)
            else:
                child.kill()
            return result

    def close(self) -> None:
        """End the idle children; the pool can be used again."""
        with self._lock:
            idle, self._idle = self._idle, []
        if os.getpid() == self._owner:
            for child in idle:
                child.kill()

    def _take(self) -> _Child:
        """Return an idle child that lives, or a new one."""
        with self._lock:
            if os.getpid() != self._owner:  # forked: the pipes belong to the parent
                self._idle, self._owner = [], os.getpid()
            while self._idle:
                child = self._idle.pop()
                if child.is_alive():
                    return child
                child.kill()
        return _Child(self._function, self._niceness, secrets=self._secrets)


class _Child:
    """One child process and its pipes."""

    def __init__(self, function: str, niceness: int, *, secrets: bool) -> None:
        environment = {n: v for n, v in os.environ.items() if secrets or not _SECRET.search(n)}
        environment |= _ONE_THREAD
        environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
        command = [sys.executable, "-P", "-m", "clinrag_core.bounded", function, str(niceness)]
        self._process = subprocess.Popen(  # noqa: S603 - this interpreter, names of this library
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # parsers write text of documents there
            env=environment,
        )
        self.jobs = 0
        timer = Timer(START_S, self._process.kill)
        timer.daemon = True
        timer.start()
        assert self._process.stdout is not None  # noqa: S101 - a pipe
        started = _receive(self._process.stdout)  # its imports are nobody's time
        timer.cancel()
        if started is None:
            self.kill()
            raise ChildFailedError("its process did not start", "")

    def is_alive(self) -> bool:
        """Return whether the process has not ended."""
        return self._process.poll() is None

    def run(
        self, header: dict[str, Any], blob: bytes, limits: Limits
    ) -> tuple[dict[str, Any], bytes]:
        """Return the result of one job; afterwards the child is idle, unless this raises."""
        assert self._process.stdin is not None  # noqa: S101 - both are pipes
        assert self._process.stdout is not None  # noqa: S101
        self.jobs += 1
        wall = limits.seconds * WALL_FACTOR
        timer = Timer(wall, self._process.kill)
        timer.daemon = True
        timer.start()
        try:
            job = {"seconds": limits.seconds, "megabytes": limits.megabytes, "header": header}
            with contextlib.suppress(BrokenPipeError):  # it has ended: reading says how
                _send(self._process.stdin, job, blob)
            reply = _receive(self._process.stdout)
        finally:
            late = not timer.is_alive()
            timer.cancel()
        if reply is None:
            raise self._ended(limits, late=late)
        answer, data = reply
        if "limit" in answer:
            raise OverLimitError("memory", f"needs more than {limits.megabytes} MiB of memory")
        if "failed" in answer:
            raise ChildFailedError(str(answer["failed"]), str(answer.get("where", "")))
        return answer["header"], data

    def kill(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def _ended(self, limits: Limits, *, late: bool) -> OverLimitError | ChildFailedError:
        """Return the error for a child that ended without a result."""
        code = self._process.wait()
        if late or code == -signal.SIGXCPU:
            return OverLimitError("time", f"takes more than {limits.seconds:g} s")
        if limits.megabytes is not None and code in (-signal.SIGKILL, -signal.SIGABRT):
            # The kernel's out-of-memory killer, or a C++ library whose allocation failed.
            return OverLimitError("memory", f"needs more than {limits.megabytes} MiB of memory")
        return ChildFailedError(f"process ended with {code}", "")


def _send(pipe: IO[bytes], value: dict[str, Any], blob: bytes) -> None:
    text = json.dumps(value).encode()
    pipe.write(_SIZES.pack(len(text), len(blob)))
    pipe.write(text)
    pipe.write(blob)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> tuple[dict[str, Any], bytes] | None:
    """Return the next message, None if the other side ended before it was complete."""
    sizes = pipe.read(_SIZES.size)
    if len(sizes) < _SIZES.size:
        return None
    text_size, blob_size = _SIZES.unpack(sizes)
    text, blob = pipe.read(text_size), pipe.read(blob_size)
    if len(text) < text_size or len(blob) < blob_size:
        return None
    return json.loads(text), blob


def _limit(seconds: float, megabytes: int | None) -> None:
    """Limit this process for the next job; only soft limits, for they change with each job."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    end = math.ceil(used.ru_utime + used.ru_stime + seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (end, resource.RLIM_INFINITY))
    most = resource.RLIM_INFINITY if megabytes is None else megabytes * _MIB
    resource.setrlimit(resource.RLIMIT_AS, (most, resource.RLIM_INFINITY))


def _where(error: BaseException) -> str:
    """Return the code line that raised, without the message: it may quote the document."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return ""
    return f"{trace.tb_frame.f_globals.get('__name__', '?')}:{trace.tb_lineno}"


def serve_jobs(name: str) -> None:
    """Run a function on the jobs of standard input until it is closed."""
    jobs, results = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not end up among the results
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # no document in a core file
    module, _, attribute = name.partition(":")
    function: Function = getattr(importlib.import_module(module), attribute)
    _send(results, {"ready": True}, b"")
    while (job := _receive(jobs)) is not None:
        value, blob = job
        _limit(value["seconds"], value["megabytes"])
        data = b""
        try:
            header, data = function(value["header"], blob)
            reply: dict[str, Any] = {"header": header}
        except MemoryError:
            reply = {"limit": "memory"}
        except Exception as error:  # noqa: BLE001 - the edge of this process
            reply = {"failed": type(error).__name__, "where": _where(error)}
        _send(results, reply, data)


if __name__ == "__main__":
    os.nice(int(sys.argv[2]))
    serve_jobs(sys.argv[1])
