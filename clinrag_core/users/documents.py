"""Users' documents: taken, listed, deleted, maintained; searched for their tenant alone.

Nothing here takes a path or an id from a request without looking it up in the tenant's list, so
one tenant cannot reach another's documents. Files are read and indexed in child processes.
"""

from __future__ import annotations

import logging
from threading import Thread
from typing import TYPE_CHECKING

from clinrag_core.acquire.magic import check_payload
from clinrag_core.errors import ClinragError, UnknownUserDocumentError, UserDocumentError
from clinrag_core.model.base import Record
from clinrag_core.model.source import DocumentSource, SourceFile
from clinrag_core.parse.child import parse_bounded
from clinrag_core.users.changes import NICENESS, recover
from clinrag_core.users.pages import own_picture, own_place
from clinrag_core.users.store import (
    TenantStore,
    UserDocument,
    format_of,
    safe_name,
    tenant_folder,
)
from clinrag_core.workspace import Workspace, fingerprint, sha256_hex, utc_now

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Sequence

    from clinrag_core.parse.pdf.page import Box
    from clinrag_core.parse.pdf.picture import PagePlace, QuotedWords
    from clinrag_core.retrieve.engine import SearchEngine
    from clinrag_core.settings import Settings
    from clinrag_core.users.changes import Changes
    from clinrag_core.users.index import TenantIndexes

logger = logging.getLogger(__name__)


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
        changes: Changes,
        indexes: TenantIndexes,
        now: Callable[[], dt.datetime] = utc_now,
    ) -> None:
        self._limits = settings.user_documents
        self._changes = changes
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
        known = {d.id: d for d in store.documents()}
        if document_id in known:
            return known[document_id]
        if len(known) >= self._limits.max_documents:
            raise UserDocumentError(f"there are already {len(known)} documents")
        file = SourceFile(name=name, sha256=sha256_hex(payload), size=len(payload))
        title = name.rsplit(".", 1)[0]
        source = DocumentSource(
            kind="guideline", format=form, file=file, id=document_id, title=title
        )
        document = parse_bounded(payload, source, self._limits.parse, niceness=NICENESS)
        record = UserDocument(
            id=document.id,
            name=name,
            title=document.title,
            format=form,
            sha256=file.sha256,
            size=file.size,
            chunks=0,
            words=document.words,
            added=self._now(),
        )
        kept = payload if form == "pdf" else b""
        return self._changes.add(store.folder, record, document, kept)

    def list(self, tenant: str) -> list[UserDocument]:
        """Return a tenant's documents, oldest first."""
        return self._store(tenant).documents()

    def page_picture(self, tenant: str, document_id: str, page: int) -> bytes | None:
        """Return a page of a tenant's PDF as a picture; None if there is no such page."""
        data = self._store(tenant).file(document_id)
        return own_picture(data, page, self._limits.parse) if data else None

    def page_place(
        self,
        tenant: str,
        document_id: str,
        page: int,
        snippets: Sequence[QuotedWords],
        blocks: Sequence[Box],
    ) -> PagePlace | None:
        """Return where verbatim snippets are on a page of a tenant's PDF; None if not there."""
        data = self._store(tenant).file(document_id)
        return own_place(data, page, snippets, blocks, self._limits.parse) if data else None

    def delete(self, tenant: str, document_id: str) -> None:
        """Remove a document with its text, vectors and every cached answer.

        Raises:
            UnknownUserDocumentError: the tenant has no such document.
        """
        store = self._store(tenant)
        if document_id not in {d.id for d in store.documents()}:
            raise UnknownUserDocumentError("there is no such document")
        self._changes.delete(store.folder, document_id)

    def engine(self, tenant: str) -> SearchEngine | None:
        """Engine over a tenant's documents; None if there are none that can be searched."""
        return self._indexes.open(self._store(tenant))

    def recover(self) -> None:
        """Remove what killed changes left behind; a damaged store is logged and left alone.

        Documents without an index (of an earlier version, or a repair that was killed) are indexed
        in the background.
        """
        unindexed: list[TenantStore] = []
        for number, store in enumerate(self._stores(), start=1):
            try:
                recover(store)
                if store.documents() and not store.current():
                    unindexed.append(store)
            except (ClinragError, OSError) as error:
                logger.warning("documents of tenant %s: %s", number, type(error).__name__)
        if unindexed:
            Thread(target=self._repair, args=(unindexed,), daemon=True).start()

    def _repair(self, stores: Sequence[TenantStore]) -> None:
        for store in stores:
            try:
                self._changes.repair(store.folder)
            except ClinragError as error:
                logger.warning("documents are not indexed: %s", type(error).__name__)

    def maintain(self) -> Maintenance:
        """Index again what is damaged or was indexed for another encoder; returns the counts."""
        stores = [store for store in self._stores() if store.exists]
        documents = chunks = reindexed = 0
        broken: list[str] = []
        for number, store in enumerate(stores, start=1):
            try:
                listed = store.documents()
                reindexed += self._changes.repair(store.folder)
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

    def _stores(self) -> list[TenantStore]:
        return [TenantStore(path) for path in sorted(self._root.glob("*")) if path.is_dir()]

    def _store(self, tenant: str) -> TenantStore:
        return TenantStore(tenant_folder(self._root, tenant))
