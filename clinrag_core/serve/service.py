"""The service of a profile: its release, its reranker, its limits, put together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.index.release import ReleaseStore
from clinrag_core.retrieve.open import open_engine
from clinrag_core.serve.app import create_app
from clinrag_core.serve.holder import EngineHolder
from clinrag_core.users.answering import open_answering
from clinrag_core.workspace import Workspace

if TYPE_CHECKING:
    from fastapi import FastAPI

    from clinrag_core.serve.auth import ApiKeys
    from clinrag_core.serve.metrics import ServiceMetrics
    from clinrag_core.settings import Settings


def service_app(settings: Settings, keys: ApiKeys) -> FastAPI:
    """The application over the current release of a profile's workspace."""
    workspace = Workspace(settings.home)
    store = ReleaseStore(workspace.releases, settings.release.keep)

    def current() -> str | None:
        pointer = store.pointer()
        return pointer.release if pointer is not None else None

    def holder_for(metrics: ServiceMetrics) -> EngineHolder:
        return EngineHolder(
            lambda: open_engine(settings),
            current,
            metrics.opened,
        )

    return create_app(
        holder_for,
        keys,
        settings.service,
        lambda engine: open_answering(settings, engine),
        settings.user_documents.max_bytes,
    )
