"""The engine that is served; replaced when a new release is published, without a lost request.

A request takes the engine once and keeps it to its end, so an old engine answers what it began.
"""

from __future__ import annotations

import asyncio
import logging
from threading import Lock
from typing import TYPE_CHECKING

from clinrag_core.errors import ClinragError, ReleaseError

if TYPE_CHECKING:
    from collections.abc import Callable

    from clinrag_core.retrieve.engine import SearchEngine
    from clinrag_core.users.answering import Answering

logger = logging.getLogger(__name__)


class EngineHolder:
    """Opens the current release and looks for newer ones.

    Args:
        open_engine: opens the current release.
        current: id of the release the pointer names; None without one.
        on_open: called with the id of each release that is opened.
    """

    def __init__(
        self,
        open_engine: Callable[[], SearchEngine],
        current: Callable[[], str | None],
        on_open: Callable[[str], None],
    ) -> None:
        self._open = open_engine
        self._current = current
        self._on_open = on_open
        self._engine: SearchEngine | None = None

    @property
    def engine(self) -> SearchEngine:
        """The engine to use for one request.

        Raises:
            ReleaseError: no release has been opened.
        """
        if self._engine is None:
            raise ReleaseError("no release is open: run the chain, or wait for it")
        return self._engine

    @property
    def ready(self) -> bool:
        """Whether a release is open."""
        return self._engine is not None

    def refresh(self) -> bool:
        """Open the current release if it is another one than is open; returns whether it did.

        A release that cannot be opened is logged, and the one before stays.
        """
        try:
            wanted = self._current()
            if wanted is None or (self._engine is not None and self._engine.release == wanted):
                return False
            engine = self._open()
        except ClinragError as error:
            logger.warning("the current release cannot be opened: %s", error)
            return False
        before, self._engine = self._engine, engine
        self._on_open(engine.release or "")
        logger.info("serving release %s", engine.release)
        if before is not None:
            before.close()  # its running searches end by themselves
        return True

    async def watch(self, every_s: float) -> None:
        """Refresh for ever; opening runs in a thread and blocks no request."""
        while True:
            await asyncio.sleep(every_s)
            await asyncio.to_thread(self.refresh)


class LatestAnswering:
    """Answering over whichever engine is served, made once for each.

    Args:
        make: answering over an engine.
    """

    def __init__(self, make: Callable[[SearchEngine], Answering]) -> None:
        self._make = make
        self._latest: tuple[SearchEngine, Answering] | None = None
        self._lock = Lock()

    def of(self, engine: SearchEngine) -> Answering:
        """Answering over an engine."""
        with self._lock:
            if self._latest is None or self._latest[0] is not engine:
                self._latest = (engine, self._make(engine))
            return self._latest[1]
