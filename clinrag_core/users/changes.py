"""Changes of a tenant's documents, made in a child process: cut, encode, store, index (ADR 0032).

A change builds the index of what will be there, then commits documents and the name of that index
in one transaction, then removes what is no longer named. Killed at any point, it has happened or it
has not; `recover` removes what it left.
"""

from __future__ import annotations

import functools
import json
import shutil
from typing import TYPE_CHECKING, Any

from filelock import Timeout

from clinrag_core.bounded import ChildPool, Limits
from clinrag_core.chunk.framing import frame_statements
from clinrag_core.encode.chunk_encoder import ChunkEncoder
from clinrag_core.encode.protocol import Passage
from clinrag_core.errors import (
    ChildFailedError,
    ClinragError,
    OverLimitError,
    UnknownUserDocumentError,
    UserDocumentError,
)
from clinrag_core.index.bm25_counts import count_terms
from clinrag_core.index.build import Recipe, build_knowledge_base
from clinrag_core.index.chunk_table import concatenate, to_statement_table, to_table
from clinrag_core.index.knowledge_base import KnowledgeBase
from clinrag_core.index.statements import StatementParts, statement_texts
from clinrag_core.model.document import Document
from clinrag_core.settings import Settings
from clinrag_core.users.earlier import FOLDER, take_over
from clinrag_core.users.store import DocumentParts, TenantStore, UserDocument
from clinrag_core.workspace import TMP_PREFIX, Workspace, fingerprint

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import numpy as np

STEM = "user_fact_kb"
BASES = "knowledge_bases"
NICENESS = 8
"""Answers come first: next to busy threads a child gets a seventh of a processor, enough to read an
honest file within its limit on the clock."""
_MESSAGES: dict[str, type[UserDocumentError]] = {
    "UserDocumentError": UserDocumentError,
    "UnknownUserDocumentError": UnknownUserDocumentError,
}


@functools.cache
def _pool(workers: int) -> ChildPool:
    return ChildPool("clinrag_core.users.changes:change", workers, niceness=NICENESS)


class Changes:
    """Makes changes in child processes; `background` is the idf of the release's guidelines."""

    def __init__(self, settings: Settings, background: Mapping[str, float]) -> None:
        self._settings = settings
        self._background = background

    def add(
        self, folder: Path, record: UserDocument, document: Document, file: bytes = b""
    ) -> UserDocument:
        """Cut, encode, store and index a document; returns its record, with its passages counted.

        `file` is kept with it, to show its pages.

        Raises:
            UserDocumentError: it has no text, is too long, or there are too many.
        """
        answer = self._run("add", folder, document, file, record=record.model_dump(mode="json"))
        return UserDocument.model_validate(answer["record"])

    def delete(self, folder: Path, document_id: str) -> None:
        """Remove a document and its index.

        Raises:
            UnknownUserDocumentError: the tenant has no such document.
        """
        self._run("delete", folder, id=document_id)

    def repair(self, folder: Path) -> bool:
        """Encode and index again if the index is damaged or of another encoder; True if it was.

        Raises:
            UserDocumentError: the store is damaged.
        """
        return bool(self._run("repair", folder)["repaired"])

    def _run(
        self,
        name: str,
        folder: Path,
        document: Document | None = None,
        file: bytes = b"",
        **values: object,
    ) -> dict[str, Any]:
        """Make a change in a child and return its answer; its refusals are raised here."""
        limits = self._settings.user_documents
        header = {"change": name, "tenant": folder.name, **values}
        header["settings"] = self._settings.model_dump(mode="json")
        text = document.model_dump_json() if document is not None else ""
        blob = f"{json.dumps(dict(self._background))}\n{text}\n".encode() + file
        try:
            bounds = Limits(limits.index_seconds, None)
            answer, _ = _pool(limits.workers).run(header, blob, bounds)
        except OverLimitError as error:
            raise UserDocumentError(f"indexing it {error}: give it in parts") from error
        except ChildFailedError as error:
            raise UserDocumentError(f"it cannot be indexed: {error}") from error
        if "error" in answer:
            kind, message = answer["error"]
            raise _MESSAGES.get(kind, UserDocumentError)(message)
        return answer


@functools.lru_cache(maxsize=1)
def _context(settings: str) -> tuple[Settings, ChunkEncoder]:
    """Return the settings and the models of a profile, loaded once for each child."""
    read = Settings.model_validate_json(settings)
    return read, ChunkEncoder(read)


def change(header: dict[str, Any], blob: bytes) -> tuple[dict[str, Any], bytes]:
    """Make a change in the child; what is wrong with a document is a result."""
    settings, models = _context(json.dumps(header["settings"]))
    background, text, file = (*blob.split(b"\n", 2), b"")[:3]
    store = TenantStore(Workspace(settings.home).user_documents / header["tenant"])
    made = _Change(store, settings, models, json.loads(background))
    try:
        if header["change"] == "add":
            record = UserDocument.model_validate(header["record"])
            added = made.add(record, Document.model_validate_json(text), file)
            return {"record": added.model_dump(mode="json")}, b""
        if header["change"] == "delete":
            made.delete(header["id"])
            return {}, b""
        return {"repaired": made.repair()}, b""
    except ClinragError as error:
        return {"error": (type(error).__name__, str(error))}, b""


class _Change:
    """One change of a tenant's documents."""

    def __init__(
        self,
        store: TenantStore,
        settings: Settings,
        models: ChunkEncoder,
        background: Mapping[str, float],
    ) -> None:
        self._store = store
        self._settings = settings
        self._models = models
        self._background = background

    def add(self, record: UserDocument, document: Document, file: bytes = b"") -> UserDocument:
        """Store and index a document; one that is there already stays as it is."""
        chunks = self._models.chunker.chunk(document)
        if not chunks:
            raise UserDocumentError(f"{record.name}: no text was found in it")
        record = record.model_copy(update={"chunks": len(chunks)})
        self._check_room(record)
        statements = to_statement_table(frame_statements(document, chunks))
        parts = self._encoded(to_table(chunks), statements)
        with self._store.locked():
            known = self._store.documents()
            if same := [d for d in known if d.id == record.id]:
                return same[0]
            self._check_room(record)  # another process may have added one meanwhile
            joined = parts if not known else _joined(self._store.parts(known), parts)
            documents = sorted([*known, record], key=lambda d: (d.added, d.id))
            if documents[-1] != record:  # a clock that went back
                record = record.model_copy(update={"added": known[-1].added})
                documents = [*known, record]
            current = self._build(documents, joined)
            self._store.put(record, parts, current, file)
            tidy(self._store, current)
        return record

    def delete(self, document_id: str) -> None:
        """Remove a document, then index those that stay."""
        with self._store.locked():
            known = self._store.documents()
            left = [d for d in known if d.id != document_id]
            if len(left) == len(known):
                raise UnknownUserDocumentError("there is no such document")
            current = self._build(left, self._store.parts(left)) if left else ""
            self._store.remove(document_id, current)
            tidy(self._store, current)

    def repair(self) -> bool:
        """Encode and index again if the index is damaged or of another encoder."""
        with self._store.locked():
            documents = self._store.documents()
            if self._is_sound(documents):
                return False
            shutil.rmtree(self._store.folder / BASES, ignore_errors=True)
            parts = [self._store.parts([d]) for d in documents]
            renewed = [self._encoded(p.chunks, p.statements) for p in parts]
            current = self._build(documents, _joined(*renewed)) if documents else ""
            # Until the last of them is stored, a kill leaves an index that is not sound.
            for document, part in zip(documents, renewed, strict=True):
                self._store.put(document, part, "")
            self._store.point(current)
            tidy(self._store, current)
        return True

    def _check_room(self, record: UserDocument) -> None:
        limits, known = self._settings.user_documents, self._store.documents()
        others = [d for d in known if d.id != record.id]
        if len(others) >= limits.max_documents:
            raise UserDocumentError(f"there are already {len(others)} documents")
        if record.chunks > limits.max_chunks - sum(d.chunks for d in others):
            raise UserDocumentError(f"{record.name}: its {record.chunks} passages are too many")

    def _encoded(self, chunks: Any, statements: Any) -> DocumentParts:
        """Return a document's tables with their vectors."""
        rows = chunks.select(["embed_title", "embed_text"]).to_pylist()
        passages = [Passage(row["embed_title"], row["embed_text"]) for row in rows]
        said = [Passage(*texts) for texts in statement_texts(statements)]
        encode = self._models.encoder.encode_passages
        return DocumentParts(chunks, statements, encode(passages), encode(said))

    def _build(self, documents: Sequence[UserDocument], parts: DocumentParts) -> str:
        """Build the index of some documents and return its name."""
        recipe = self._recipe(documents)
        statements = None
        if parts.statements.num_rows:
            texts = [f"{title}\n{text}" for title, text in statement_texts(parts.statements)]
            counts = count_terms(texts)
            statements = StatementParts(parts.statements, parts.statement_vectors, counts)
        build_knowledge_base(
            recipe,
            parts.chunks,
            parts.vectors,
            self._store.folder / BASES,
            background=self._background,
            statements=statements,
        )
        return recipe.fingerprint

    def _recipe(self, documents: Sequence[UserDocument]) -> Recipe:
        """Return what a tenant's knowledge base is built from; named by its documents."""
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

    def _is_sound(self, documents: Sequence[UserDocument]) -> bool:
        """True if the current index opens, is of this encoder and has exactly these documents."""
        current = self._store.current()
        if not documents or not current:
            return not documents and not current
        try:
            base = KnowledgeBase(self._store.folder / BASES / current)
        except (ClinragError, OSError):
            return False
        indexed = set(base.table.column("document_id").to_pylist())
        return base.manifest.encoder == self._models.encoder_fingerprint and indexed == {
            document.id for document in documents
        }


def _joined(*parts: DocumentParts) -> DocumentParts:
    """Return the parts of several documents as one, in their order."""
    import numpy as np

    def vectors(arrays: Sequence[np.ndarray]) -> np.ndarray:
        filled = [a for a in arrays if len(a)]
        return np.concatenate(filled) if filled else arrays[0]

    return DocumentParts(
        concatenate([p.chunks for p in parts]),
        concatenate([p.statements for p in parts]),
        vectors([p.vectors for p in parts]),
        vectors([p.statement_vectors for p in parts]),
    )


def tidy(store: TenantStore, current: str) -> None:
    """Remove every index but the current one; the caller has the lock."""
    for path in (store.folder / BASES).glob("*"):
        if path.name != current or path.name.startswith(TMP_PREFIX):
            shutil.rmtree(path, ignore_errors=True)


def recover(store: TenantStore) -> None:
    """Remove what a killed change left behind, unless a change is in progress.

    Documents of an earlier version are taken over; they are found once `repair` has indexed them.

    Raises:
        UserDocumentError: the store is damaged.
    """
    try:
        with store.locked(timeout_s=0):
            if (store.folder / FOLDER).is_dir():
                take_over(store)
            if store.exists:
                store.settle()
            tidy(store, store.current())
    except Timeout:
        return
