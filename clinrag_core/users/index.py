"""The knowledge bases of tenants, opened for search.

Small collections score with the background idf of the release, because a handful of documents has
no useful idf.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from clinrag_core.errors import IndexBuildError, WorkspaceError
from clinrag_core.index.knowledge_base import KnowledgeBase
from clinrag_core.retrieve.engine import SearchEngine
from clinrag_core.users.changes import BASES

if TYPE_CHECKING:
    from clinrag_core.settings import Settings
    from clinrag_core.users.store import TenantStore

TRIES = 3
"""A change may replace the index between its name and its files being read."""


class TenantIndexes:
    """Opens the knowledge bases of tenants, each once for each state of the documents.

    `release` searches the release: its encoder encodes the questions, its observer sees the
    searches.
    """

    def __init__(self, settings: Settings, release: SearchEngine) -> None:
        self._settings = settings
        self._release = release
        self._engines: dict[str, tuple[str, SearchEngine]] = {}
        self._lock = Lock()

    def open(self, store: TenantStore) -> SearchEngine | None:
        """Engine over a tenant's documents; None if there are none.

        None also if they were indexed for the encoder of another release: vectors of two encoders
        do not compare, and `repair` has not run yet.

        Raises:
            ClinragError: the store or its index is damaged.
        """
        for _ in range(TRIES - 1):
            try:
                return self._open(store)
            except (IndexBuildError, WorkspaceError, OSError):
                continue
        return self._open(store)

    def _open(self, store: TenantStore) -> SearchEngine | None:
        """Open the index that the store names now, unless it is open already."""
        name, current = store.folder.name, store.current()
        with self._lock:
            known = self._engines.get(name)
            if known is not None and known[0] == current:
                return known[1]
        if not current:
            self._replace(name, None)
            return None
        base = KnowledgeBase(store.folder / BASES / current)
        if base.manifest.encoder != self._release.encoder.fingerprint:
            return None
        engine = SearchEngine(
            {base.name: base},
            self._release.encoder,
            self._settings.retrieval,
            release=current,
            observer=self._release.observer,
        )
        self._replace(name, (current, engine))
        return engine

    def _replace(self, name: str, opened: tuple[str, SearchEngine] | None) -> None:
        # The engine before is not closed: a running search may still need its threads, which end
        # with the last reference to it.
        with self._lock:
            self._engines.pop(name, None)
            if opened is not None:
                self._engines[name] = opened
