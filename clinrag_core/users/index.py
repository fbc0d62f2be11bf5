"""The knowledge base of a tenant: built from the stored documents, opened for search.

Small collections score with the background idf of the release, because a handful of documents has
no useful idf.
"""

from __future__ import annotations

import io
import shutil
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from clinrag_core.encode.protocol import Passage
from clinrag_core.errors import ClinragError
from clinrag_core.index.bm25_counts import count_terms
from clinrag_core.index.knowledge_base import KnowledgeBase, Recipe, build_knowledge_base
from clinrag_core.index.statements import StatementParts, statement_texts
from clinrag_core.retrieve.engine import SearchEngine
from clinrag_core.users.store import STATEMENT_VECTORS, VECTORS
from clinrag_core.workspace import fingerprint, write_atomic

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from clinrag_core.encode.chunk_encoder import ChunkEncoder
    from clinrag_core.settings import Settings
    from clinrag_core.users.store import TenantStore, UserDocument

STEM = "user_fact_kb"
CURRENT = "current"
BASES = "knowledge_bases"


class TenantIndexes:
    """Builds and opens the knowledge bases of tenants.

    `background` is the idf by token of the release's guidelines; `release` searches the release:
    its encoder encodes the questions, its observer sees the searches.
    """

    def __init__(
        self,
        settings: Settings,
        models: ChunkEncoder,
        background: Mapping[str, float],
        release: SearchEngine,
    ) -> None:
        self._settings = settings
        self._models = models
        self._background = background
        self._release = release
        self._engines: dict[str, tuple[str, SearchEngine]] = {}
        self._lock = Lock()

    def rebuild(self, store: TenantStore) -> None:
        """Index the stored documents, point to the new index and delete every earlier one."""
        documents = store.documents()
        bases = store.folder / BASES
        current = ""
        if documents:
            recipe = self._recipe(documents)
            table, vectors = store.table(documents), store.vectors(documents)
            build_knowledge_base(
                recipe,
                table,
                vectors,
                bases,
                background=self._background,
                statements=_statement_parts(store, documents),
            )
            current = recipe.fingerprint
        write_atomic(store.folder / CURRENT, current.encode())
        for old in bases.glob("*"):
            if old.name != current:
                shutil.rmtree(old, ignore_errors=True)
        with self._lock:
            if (known := self._engines.pop(store.folder.name, None)) is not None:
                known[1].close()

    def repair(self, store: TenantStore, documents: Sequence[UserDocument]) -> bool:
        """Encode and index again if the index is damaged or of another encoder.

        Returns whether that was necessary. Passages stay as they were cut at upload.
        """
        if self._is_sound(store.folder, documents):
            return False
        for document in documents:
            rows = store.table([document]).select(["embed_title", "embed_text"]).to_pylist()
            passages = [Passage(row["embed_title"], row["embed_text"]) for row in rows]
            said = [Passage(*texts) for texts in statement_texts(store.statements([document]))]
            for name, encoded in ((VECTORS, passages), (STATEMENT_VECTORS, said)):
                buffer = io.BytesIO()
                np.save(buffer, self._models.encoder.encode_passages(encoded), allow_pickle=False)
                write_atomic(store.part(document.id) / name, buffer.getvalue())
        # An existing knowledge base is never written again, sound or not.
        shutil.rmtree(store.folder / BASES, ignore_errors=True)
        self.rebuild(store)
        return True

    def open(self, folder: Path) -> SearchEngine | None:
        """Engine over a tenant's documents; None if there are none.

        None also if they were indexed for the encoder of another release: vectors of two encoders
        do not compare, and `repair` has not run yet.
        """
        current = _current(folder)
        with self._lock:
            known = self._engines.get(folder.name)
            if known is not None and known[0] == current:
                return known[1]
            if known is not None:
                self._engines.pop(folder.name)[1].close()
            if not current:
                return None
            base = KnowledgeBase(folder / BASES / current)
            if base.manifest.encoder != self._release.encoder.fingerprint:
                return None
            settings = self._settings.retrieval
            engine = SearchEngine(
                {base.name: base},
                self._release.encoder,
                settings,
                release=current,
                observer=self._release.observer,
            )
            self._engines[folder.name] = (current, engine)
            return engine

    def _recipe(self, documents: Sequence[UserDocument]) -> Recipe:
        """What a tenant's knowledge base is built from; named by its documents."""
        settings = self._settings
        return Recipe(
            kind="guideline",
            encoder_name=settings.encoder.name,
            encoder=self._models.encoder_fingerprint,
            similarity=settings.encoder.similarity,
            chunker=self._models.chunker_fingerprint,
            corpus_digest=fingerprint([d.id for d in documents]),
            bm25=settings.bm25,
            stem=STEM,
        )

    def _is_sound(self, folder: Path, documents: Sequence[UserDocument]) -> bool:
        """True if the current index opens, is of this encoder and has exactly these documents."""
        current = _current(folder)
        if not documents or not current:
            return not documents and not current
        try:
            base = KnowledgeBase(folder / BASES / current)
        except (ClinragError, OSError):
            return False
        indexed = set(base.table.column("document_id").to_pylist())
        return base.manifest.encoder == self._models.encoder_fingerprint and indexed == {
            document.id for document in documents
        }


def _statement_parts(
    store: TenantStore, documents: Sequence[UserDocument]
) -> StatementParts | None:
    """Return the statements of a tenant's documents, ready to be indexed."""
    table, vectors = store.statements(documents), store.statement_vectors(documents)
    if vectors is None or not len(vectors):
        return None
    texts = [f"{title}\n{text}" for title, text in statement_texts(table)]
    return StatementParts(table, vectors, count_terms(texts))


def _current(folder: Path) -> str:
    pointer = folder / CURRENT
    return pointer.read_text() if pointer.is_file() else ""
