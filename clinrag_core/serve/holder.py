"""The release that is served; replaced when a new one is published, without a lost request.

A request takes the engine once and keeps it to its end, so an old engine answers what it began.
A release is warmed up before it replaces another one (ADR 0019).
"""

from __future__ import annotations

import asyncio
import logging
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.errors import ClinragError, NotReadyError, ReleaseError
from clinrag_core.index.release import ReleaseStore
from clinrag_core.reason.open import open_multistage
from clinrag_core.retrieve.open import open_engine
from clinrag_core.retrieve.readiness import store_available, warm_up
from clinrag_core.serve.lanes import Lanes
from clinrag_core.users.answering import open_answering, ready_answering
from clinrag_core.workspace import Workspace

if TYPE_CHECKING:
    from clinrag_core.index.release_record import Pointer
    from clinrag_core.reason.open import StagedPipeline
    from clinrag_core.retrieve.engine import SearchEngine
    from clinrag_core.retrieve.request import SearchRequest
    from clinrag_core.retrieve.stages.multistage import MultistageRetriever
    from clinrag_core.retrieve.stages.records import StagedResponse
    from clinrag_core.serve.metrics import ServiceMetrics
    from clinrag_core.settings import Settings
    from clinrag_core.users.answering import Answering

logger = logging.getLogger(__name__)


class _Opened(NamedTuple):
    """An open release and the pointer that named it."""

    pointer: Pointer
    engine: SearchEngine


class EngineHolder:
    """Opens the current release of a profile, warms it up, and looks for newer ones."""

    def __init__(
        self, settings: Settings, metrics: ServiceMetrics, lanes: Lanes | None = None
    ) -> None:
        self._settings = settings
        self._lanes = lanes or Lanes(settings)
        self._store = ReleaseStore(Workspace(settings.home).releases, settings.release.keep)
        self._metrics = metrics
        self._served: _Opened | None = None
        self._next: _Opened | None = None
        """A newer release that is open, with a component that does not answer in time."""
        self._answering: Answering | None = None
        self._stages: dict[StagedPipeline, MultistageRetriever] = {}
        self._lock = Lock()
        self._cold: tuple[str, ...] = ()
        """Codes of the components of the served release that have not answered in time yet."""

    @property
    def engine(self) -> SearchEngine:
        """The engine to use for one request; a cold one answers without its cold components.

        Raises:
            ReleaseError: no release has been opened.
        """
        if self._served is None:
            raise ReleaseError("no release is open: run the chain, or wait for it")
        return self._served.engine

    def ready_release(self) -> str | None:
        """Return the id of the served release.

        Raises:
            ReleaseError: no release has been opened.
            NotReadyError: a component has not answered within its limit yet, or the service has
                more questions than it can answer.
        """
        release = self.engine.release
        if problems := [*self._cold, *self._lanes.problems()]:
            raise NotReadyError(f"release {release}: {', '.join(problems)}")
        return release

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

    async def search_stages(
        self, request: SearchRequest, pipeline: StagedPipeline
    ) -> StagedResponse:
        """Search the served engine in stages, in a thread of its own.

        Raises:
            ReleaseError: no release has been opened.
            TimeoutError: the stages take longer than `multistage.timeout_ms`.
        """
        limit = self._settings.multistage.timeout_ms / 1_000
        with self._lock:
            engine = self.engine
            known = self._stages.get(pipeline)
            if known is None or known.engine is not engine:
                known = open_multistage(self._settings, engine, pipeline)
                self._stages[pipeline] = known
        return await asyncio.wait_for(self._lanes.search.run(lambda: known.search(request)), limit)

    def refresh(self) -> bool:
        """Open and warm up the current release if anything was decided about it; True if it is new.

        A promotion or an acknowledgement changes what answers show, so it counts as well.

        A release that cannot be opened or warmed up is logged, and the one before stays. Without
        one before, a release that is not warm is served, and is not ready.
        """
        try:
            pointer = self._store.pointer()
            if pointer is None:
                return False
            known = [o for o in (self._served, self._next) if o and o.pointer == pointer]
            if known and known[0] is self._served and not self._cold:
                return False
            newest = known[0] if known else self._open(pointer)
            cold = warm_up(newest.engine)
            if not (known or cold):
                ready_answering(self._settings, newest.engine)
        except ClinragError as error:
            logger.warning("the current release cannot be opened: %s", error)
            return False
        except Exception:  # whatever is damaged, the release before stays
            logger.exception("the current release cannot be opened")
            return False
        return self._take(newest, cold)

    def _open(self, pointer: Pointer) -> _Opened:
        return _Opened(pointer, open_engine(self._settings, self._metrics))

    def _take(self, newest: _Opened, cold: tuple[str, ...]) -> bool:
        """Serve a release, unless it is cold and replaces another; return True if it is new."""
        before, release = self._served, newest.engine.release
        if cold:
            logger.warning("release %s is not ready: %s", release, ", ".join(cold))
            if before is not None and before is not newest:
                self._next = newest
                return False
        self._served, self._next, self._cold = newest, None, cold
        if before is newest:
            return False
        self._metrics.opened(release or "")
        logger.info("serving release %s", release)
        # The engine before is not closed: a running search may still need its threads, which end
        # with the last reference to it.
        return True

    def check(self) -> None:
        """Take up a newer release, and note whether the vector store answers."""
        self.refresh()
        if self._served is not None:
            kind = self._settings.vector_store.kind
            self._metrics.store_answered(kind, available=store_available(self._served.engine))

    async def watch(self, every_s: float) -> None:
        """Check for ever, in a thread, so that no request waits."""
        while True:
            await asyncio.sleep(every_s)
            await self._lanes.watch.run(self.check)
