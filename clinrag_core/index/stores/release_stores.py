"""The collections of releases in an external database.

A collection is named by namespace and fingerprint of the knowledge base, so a new release is filled
next to the one that is served. Collections of releases that are no longer on disk are removed.
"""

from __future__ import annotations

import logging
import os
from functools import cache
from typing import TYPE_CHECKING

from clinrag_core.errors import VectorStoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from clinrag_core.index.knowledge_base import KnowledgeBase
    from clinrag_core.index.stores.database import VectorDatabase
    from clinrag_core.index.stores.protocol import VectorStore
    from clinrag_core.settings import VectorStoreSettings

logger = logging.getLogger(__name__)


def open_database(settings: VectorStoreSettings) -> VectorDatabase:
    """Return the vector database of a profile; its key or password is in the environment.

    Raises:
        VectorStoreUnavailableError: its client is not installed, or a setting is missing.
    """
    key = os.environ.get(settings.api_key_env)
    match settings.kind:
        case "qdrant":
            from clinrag_core.index.stores.qdrant_store import QdrantDatabase, connect

            return QdrantDatabase(connect(settings, key), settings)
        case "pgvector":
            from clinrag_core.index.stores.pgvector_store import PgvectorDatabase

            return PgvectorDatabase(settings, key)
        case "weaviate":
            from clinrag_core.index.stores.weaviate_store import WeaviateDatabase

            return WeaviateDatabase(settings, key)
        case "pinecone":
            from clinrag_core.index.stores.pinecone_store import PineconeDatabase

            return PineconeDatabase(settings, key)
        case "faiss":
            raise VectorStoreUnavailableError("FAISS files have no database")


class ReleaseStores:
    """The external stores of releases.

    The database is opened with the first store: one that cannot be opened costs the dense
    component, not the release.
    """

    def __init__(
        self,
        settings: VectorStoreSettings,
        kept: Callable[[], Iterable[str]],
        database: Callable[[], VectorDatabase] | None = None,
    ) -> None:
        """Take settings, and the fingerprints of all knowledge bases that stay when asked."""
        self._prefix = f"{settings.namespace}_"
        self._kept = kept
        self._database = cache(database or (lambda: open_database(settings)))

    def __call__(self, base: KnowledgeBase) -> VectorStore:
        """The store of a knowledge base, which may not be filled.

        Raises:
            VectorStoreUnavailableError: the database cannot be opened.
        """
        name = self._prefix + base.manifest.fingerprint
        return self._database().store(name, base.manifest.dimension)

    def remove_old(self) -> list[str]:
        """Remove the collections of this namespace that no kept release needs; their names.

        Raises:
            VectorStoreUnavailableError: the database does not answer.
        """
        kept = {self._prefix + fingerprint for fingerprint in self._kept()}
        own = [n for n in self._database().collections() if n.startswith(self._prefix)]
        old = [name for name in own if name not in kept]
        for name in old:
            self._database().drop(name)
            logger.info("vector store: removed collection %s", name)
        return old
