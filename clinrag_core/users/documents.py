"""Users' documents: taken, listed, deleted, maintained; searched for their tenant alone.

Nothing here takes a path or an id from a request without looking it up in the tenant's list, so
one tenant cannot reach another's documents.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from clinrag_core.acquire.magic import check_payload
from clinrag_core.chunk.framing import frame_statements
from clinrag_core.encode.protocol import Passage
from clinrag_core.errors import ClinragError, UserDocumentError
from clinrag_core.index.chunk_table import to_statement_table
from clinrag_core.index.statements import statement_texts
from clinrag_core.model.base import Record
from clinrag_core.model.source import DocumentSource, SourceFile
from clinrag_core.parse.registry import parse_document
from clinrag_core.users.store import (
    TenantStore,
    UserDocument,
    format_of,
    safe_name,
    tenant_folder,
)
from clinrag_core.workspace import Workspace, fingerprint, sha256_hex, utc_now

if TYPE_CHECKING:
    from collections.abc import Callable

    from clinrag_core.encode.chunk_encoder import ChunkEncoder
    from clinrag_core.retrieve.engine import SearchEngine
    from clinrag_core.settings import Settings
    from clinrag_core.users.index import TenantIndexes


class Maintenance(Record):
    """Counts of repaired records. Holds no document names, to keep tenants private."""

    tenants: int
    documents: int
    chunks: int
    reindexed: int
    """Tenants whose documents were indexed again."""
    broken: tuple[str, ...]
    """Tenants whose documents cannot be read, by number and error class."""


class UserDocuments:
    """The documents of all tenants, chunked and encoded as those of the release."""

    def __init__(
        self,
        settings: Settings,
        models: ChunkEncoder,
        indexes: TenantIndexes,
        now: Callable[[], dt.datetime] = utc_now,
    ) -> None:
        self._limits = settings.user_documents
        self._models = models
        self._indexes = indexes
        self._now = now
        self._root = Workspace(settings.home).user_documents

    def add(self, tenant: str, name: str, data: bytes) -> UserDocument:
        """Store and index a document; the same bytes again change nothing.

        Raises:
            UserDocumentError: too large, too many, or of no known format.
            ParseError: the bytes are not of the format the name says, or cannot be read.
        """
        if len(data) > self._limits.max_bytes:
            raise UserDocumentError(f"the document has more than {self._limits.max_bytes} bytes")
        name = safe_name(name)
        form = format_of(name)
        payload = check_payload(data, form, name).data
        store = self._store(tenant)
        document_id = f"user-{fingerprint(store.folder.name, sha256_hex(data))}"
        with store.locked():
            known = {d.id: d for d in store.documents()}
            if document_id in known:
                return known[document_id]
            if len(known) >= self._limits.max_documents:
                raise UserDocumentError(f"there are already {len(known)} documents")
            stored = sum(d.chunks for d in known.values())
            file = SourceFile(name=name, sha256=sha256_hex(payload), size=len(payload))
            title = name.rsplit(".", 1)[0]
            source = DocumentSource(
                kind="guideline", format=form, file=file, id=document_id, title=title
            )
            record = self._take(store, source, payload, self._limits.max_chunks - stored)
            self._indexes.rebuild(store)
            return record

    def list(self, tenant: str) -> list[UserDocument]:
        """A tenant's documents, oldest first."""
        return self._store(tenant).documents()

    def delete(self, tenant: str, document_id: str) -> None:
        """Remove a document with its text, vectors and every cached answer.

        Raises:
            UserDocumentError: the tenant has no such document.
        """
        store = self._store(tenant)
        with store.locked():
            if document_id not in {d.id for d in store.documents()}:
                raise UserDocumentError("there is no such document")
            store.remove(document_id)
            self._indexes.rebuild(store)

    def engine(self, tenant: str) -> SearchEngine | None:
        """Engine over a tenant's documents; None if there are none that can be searched."""
        return self._indexes.open(tenant_folder(self._root, tenant))

    def maintain(self) -> Maintenance:
        """Index again what is damaged or was indexed for another encoder; returns the counts."""
        stores = [
            TenantStore(p) for p in sorted(self._root.glob("*")) if (p / "documents").is_dir()
        ]
        documents = chunks = reindexed = 0
        broken: list[str] = []
        for number, store in enumerate(stores, start=1):
            with store.locked():
                try:
                    listed = store.documents()
                    reindexed += self._indexes.repair(store, listed)
                except (ClinragError, OSError, ValueError) as error:
                    broken.append(f"tenant {number} of {len(stores)}: {type(error).__name__}")
                    continue
            documents += len(listed)
            chunks += sum(document.chunks for document in listed)
        return Maintenance(
            tenants=len(stores),
            documents=documents,
            chunks=chunks,
            reindexed=reindexed,
            broken=tuple(broken),
        )

    def _store(self, tenant: str) -> TenantStore:
        return TenantStore(tenant_folder(self._root, tenant))

    def _take(
        self, store: TenantStore, source: DocumentSource, data: bytes, most_chunks: int
    ) -> UserDocument:
        """Parse, chunk, encode and store a document; returns its record."""
        name = source.file.name
        document = parse_document(data, source)
        chunks = self._models.chunker.chunk(document)
        if not chunks:
            raise UserDocumentError(f"{name}: no text was found in it")
        if len(chunks) > most_chunks:
            raise UserDocumentError(f"{name}: its {len(chunks)} passages are too many")
        passages = [Passage(chunk.embed_title, chunk.embed_text) for chunk in chunks]
        record = UserDocument(
            id=document.id,
            name=name,
            title=document.title,
            format=source.format,
            sha256=source.file.sha256,
            size=source.file.size,
            chunks=len(chunks),
            words=document.words,
            added=self._now(),
        )
        statements = frame_statements(document, chunks)
        said = [Passage(*texts) for texts in statement_texts(to_statement_table(statements))]
        encode = self._models.encoder.encode_passages
        store.write(record, chunks, statements, encode(passages), encode(said))
        return record
