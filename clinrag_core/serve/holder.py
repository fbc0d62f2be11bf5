"""The release that is served; replaced when a new one is published, without a lost request.

A request takes the engine once and keeps it to its end, so an old engine answers what it began.
"""

from __future__ import annotations

import asyncio
import logging
from threading import Lock
from typing import TYPE_CHECKING

from clinrag_core.errors import ClinragError, ReleaseError
from clinrag_core.index.release import ReleaseStore
from clinrag_core.retrieve.open import open_engine
from clinrag_core.users.answering import open_answering
from clinrag_core.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable

    from clinrag_core.index.release_record import Pointer
    from clinrag_core.retrieve.engine import SearchEngine
    from clinrag_core.settings import Settings
    from clinrag_core.users.answering import Answering

logger = logging.getLogger(__name__)


class EngineHolder:
    """Opens the current release of a profile and looks for newer ones.

    `on_open` is called with the id of each release that is opened.
    """

    def __init__(self, settings: Settings, on_open: Callable[[str], None]) -> None:
        self._settings = settings
        self._store = ReleaseStore(Workspace(settings.home).releases, settings.release.keep)
        self._on_open = on_open
        self._engine: SearchEngine | None = None
        self._pointer: Pointer | None = None
        self._answering: Answering | None = None
        self._lock = Lock()

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

    def answering(self) -> Answering:
        """Answering over the engine that is served, opened once for each engine.

        Raises:
            ReleaseError: no release has been opened.
        """
        with self._lock:
            engine = self.engine
            if self._answering is None or self._answering.engine.search is not engine:
                self._answering = open_answering(self._settings, engine)
            return self._answering

    def refresh(self) -> bool:
        """Open the current release if anything about it was decided; returns whether it did.

        A promotion or an acknowledgement changes what answers show, so it counts as well. A release
        that cannot be opened is logged, and the one before stays.
        """
        try:
            pointer = self._store.pointer()
            before = self._engine
            if pointer is None or (before is not None and self._pointer == pointer):
                return False
            engine = open_engine(self._settings)
        except ClinragError as error:
            logger.warning("the current release cannot be opened: %s", error)
            return False
        self._engine, self._pointer = engine, pointer
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
