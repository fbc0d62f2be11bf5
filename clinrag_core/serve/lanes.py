"""Threads for each kind of work, so that one kind never waits for another; and users' turns.

A full lane refuses at once with the time to try again: what waits for ever helps nobody.
"""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, TypeVar

from clinrag_core.errors import BusyError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Generator

    from clinrag_core.settings import Settings

_Result = TypeVar("_Result")
STUCK_S = 60.0
"""An answer takes a second; when every thread is busy for a minute, nobody is answered."""
MINUTE_S = 60
NOTE_THREADS = 2
DOCUMENT_THREADS = 4
"""Threads for notes, which are long work, and for lists of documents, by judgement: neither
may wait for answers, nor answers for them."""


class Lane:
    """Threads of one kind of work; `most` calls in work or waiting."""

    def __init__(self, name: str, threads: int, most: int) -> None:
        self.name = name
        self._threads = threads
        self._most = most
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix=f"clinrag-{name}")
        self._waiting = 0
        self._running: dict[int, float] = {}
        self._next = 0

    async def run(self, call: Callable[[], _Result]) -> _Result:
        """Return what a call returns, made in a thread of this lane.

        Raises:
            BusyError: too many calls are in work or waiting.
        """
        if self._waiting >= self._most:
            raise BusyError(f"too many requests of this kind ({self.name}) are waiting", 1)
        self._waiting += 1
        self._next += 1
        number = self._next

        def timed() -> _Result:
            self._running[number] = time.monotonic()
            try:
                return call()
            finally:
                del self._running[number]

        try:
            return await asyncio.get_running_loop().run_in_executor(self._executor, timed)
        finally:
            self._waiting -= 1

    def problem(self) -> str | None:
        """Return why a request would not be answered now; None if it would."""
        if self._waiting >= self._most:
            return f"{self.name}_full"
        started = list(self._running.values())
        if len(started) >= self._threads and time.monotonic() - max(started) > STUCK_S:
            return f"{self.name}_stuck"
        return None

    def close(self) -> None:
        """End the threads once their calls are done."""
        self._executor.shutdown(wait=False, cancel_futures=True)


class Turns:
    """Whose upload or deletion is next: one of a tenant at a time, `workers` in all.

    Each tenant has one place in the common queue, so a tenant with many uploads delays only
    itself.
    """

    def __init__(self, waiting: int, workers: int) -> None:
        self._most = waiting
        self._counts: dict[str, int] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        self._workers = asyncio.Semaphore(workers)

    @contextmanager
    def place(self, tenant: str) -> Generator[None]:
        """Take one of a tenant's places before anything of the upload is read.

        Raises:
            BusyError: all are taken.
        """
        count = self._counts.get(tenant, 0)
        if count >= self._most:
            raise BusyError(f"{count} of your uploads are waiting already", MINUTE_S // 2)
        self._counts[tenant] = count + 1
        try:
            yield
        finally:
            self._counts[tenant] -= 1
            if not self._counts[tenant]:
                del self._counts[tenant]
                self._locks.pop(tenant, None)

    @asynccontextmanager
    async def turn(self, tenant: str) -> AsyncGenerator[None]:
        """Wait until it is this tenant's turn; the caller has a place."""
        lock = self._locks.setdefault(tenant, asyncio.Lock())
        async with lock, self._workers:
            yield


class Lanes:
    """The lanes of the service."""

    def __init__(self, settings: Settings) -> None:
        limits, uploads = settings.service, settings.user_documents
        most = limits.ask_waiting
        self.ask = Lane("ask", limits.ask_threads, most)
        self.search = Lane("search", limits.ask_threads, most)
        self.notes = Lane("notes", NOTE_THREADS, most)
        self.listing = Lane("documents", DOCUMENT_THREADS, most)
        self.indexing = Lane("indexing", uploads.workers, most)
        self.watch = Lane("watch", 1, 2)
        self.turns = Turns(uploads.waiting, uploads.workers)

    def problems(self) -> list[str]:
        """Return why questions would not be answered now."""
        found = (lane.problem() for lane in (self.ask, self.search, self.watch))
        return [problem for problem in found if problem is not None]

    def close(self) -> None:
        """End all threads."""
        for lane in (
            self.ask, self.search, self.notes, self.listing, self.indexing, self.watch,
        ):  # fmt: skip
            lane.close()
