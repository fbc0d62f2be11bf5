"""Documents a user gives: parsed, indexed and searched beside the release, for that user alone.

Every tenant has a folder named by a hash, with its documents and one small knowledge base. Nothing
here takes a path or an id from outside without looking it up in the tenant's own list, so one
tenant cannot reach another's. Small collections score with the background idf of the release.
"""

from __future__ import annotations

import datetime as dt
import io
import re
import shutil
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from filelock import FileLock
from pydantic import ValidationError

from clinrag_core.acquire.magic import check_payload
from clinrag_core.encode.protocol import Passage
from clinrag_core.errors import ClinragError, UserDocumentError
from clinrag_core.index.chunk_table import concatenate, read_table, to_table, write_table
from clinrag_core.index.knowledge_base import KnowledgeBase, Recipe, build_knowledge_base
from clinrag_core.model.base import Record
from clinrag_core.model.source import DocumentSource, Format, SourceFile
from clinrag_core.parse.registry import parse_document
from clinrag_core.retrieve.engine import SearchEngine
from clinrag_core.workspace import (
    fingerprint,
    new_directory,
    read_json,
    sha256_hex,
    write_atomic,
    write_json,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from clinrag_core.encode.protocol import QueryEncoder
    from clinrag_core.pipeline.pipeline import Pipeline

STEM = "user_fact_kb"
CURRENT = "current"
FORMATS: dict[str, Format] = {
    "pdf": "pdf",
    "html": "html",
    "htm": "html",
    "txt": "text",
    "text": "text",
    "md": "markdown",
    "markdown": "markdown",
}
_NAME = re.compile(r"[^\w. ()-]+")
MAX_NAME = 120


class UserDocument(Record):
    """A document a user gave."""

    id: str
    name: str
    title: str
    format: Format
    sha256: str
    size: int
    chunks: int
    words: int
    added: dt.datetime


class Maintenance(Record):
    """What was found and mended; counts only, for whose documents they are is nobody's business."""

    tenants: int
    documents: int
    chunks: int
    reindexed: int
    """Tenants whose documents were indexed anew."""
    broken: tuple[str, ...]
    """Tenants whose documents cannot be read, by number and error class."""


def _utc_now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


class UserDocuments:
    """The documents of all tenants.

    Args:
        pipeline: parses, chunks and encodes as for the release.
        background: idf by token of the release's guidelines.
        query_encoder: encodes questions; of the release.
        now: the clock.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        background: Mapping[str, float],
        query_encoder: QueryEncoder,
        now: Callable[[], dt.datetime] = _utc_now,
    ) -> None:
        self._pipeline = pipeline
        self._background = background
        self._query_encoder = query_encoder
        self._now = now
        self._root = pipeline.workspace.user_documents
        self._engines: dict[str, tuple[str, SearchEngine]] = {}
        self._lock = Lock()

    def add(self, tenant: str, name: str, data: bytes) -> UserDocument:
        """Take a document; the same bytes again change nothing.

        Raises:
            UserDocumentError: too large, too many, or of no known format.
            ParseError: the bytes are not of the format the name says, or cannot be read.
        """
        limits = self._pipeline.settings.user_documents
        if len(data) > limits.max_bytes:
            raise UserDocumentError(f"the document has more than {limits.max_bytes} bytes")
        shown = _NAME.sub("_", name.replace("\\", "/").rsplit("/", 1)[-1])[:MAX_NAME] or "document"
        form = FORMATS.get(shown.rsplit(".", 1)[-1].lower())
        if form is None:
            raise UserDocumentError(f"name it with one of: {', '.join(sorted(FORMATS))}")
        payload = check_payload(data, form, shown).data
        document_id = f"user-{fingerprint(_folder(tenant), sha256_hex(data))}"
        with self._locked(tenant) as folder:
            known = {d.id: d for d in self._list(folder)}
            if document_id in known:
                return known[document_id]
            if len(known) >= limits.max_documents:
                raise UserDocumentError(f"there are already {len(known)} documents")
            held = sum(d.chunks for d in known.values())
            record = self._take(folder, document_id, shown, form, payload, held)
            self._rebuild(folder)
            return record

    def list(self, tenant: str) -> list[UserDocument]:
        """A tenant's documents, oldest first."""
        return self._list(self._root / _folder(tenant))

    def delete(self, tenant: str, document_id: str) -> None:
        """Remove a document with its text, vectors and every cached answer.

        Raises:
            UserDocumentError: the tenant has no such document.
        """
        with self._locked(tenant) as folder:
            if document_id not in {d.id for d in self._list(folder)}:
                raise UserDocumentError("there is no such document")
            shutil.rmtree(folder / "documents" / document_id)
            self._rebuild(folder)

    def maintain(self) -> Maintenance:
        """Index anew what was indexed for another encoder, and what is damaged; lose nothing.

        Passages stay as they were cut when the document was given.
        """
        tenants = sorted(p for p in self._root.glob("*") if (p / "documents").is_dir())
        documents = chunks = reindexed = 0
        broken: list[str] = []
        for number, path in enumerate(tenants, start=1):
            with _TenantLock(path) as folder:
                try:
                    own = self._list(folder)
                    reindexed += self._mended(folder, own)
                except (ClinragError, OSError, ValueError) as error:
                    broken.append(f"tenant {number} of {len(tenants)}: {type(error).__name__}")
                    continue
            documents += len(own)
            chunks += sum(document.chunks for document in own)
        return Maintenance(
            tenants=len(tenants),
            documents=documents,
            chunks=chunks,
            reindexed=reindexed,
            broken=tuple(broken),
        )

    def _mended(self, folder: Path, documents: list[UserDocument]) -> bool:
        if self._is_sound(folder, documents):
            return False
        for document in documents:
            part = folder / "documents" / document.id
            rows = read_table(part / "chunks.arrow").select(["embed_title", "embed_text"])
            passages = [Passage(r["embed_title"], r["embed_text"]) for r in rows.to_pylist()]
            buffer = io.BytesIO()
            np.save(buffer, self._pipeline.encoder.encode_passages(passages), allow_pickle=False)
            write_atomic(part / "vectors.npy", buffer.getvalue())
        # One that exists is never written again, sound or not.
        shutil.rmtree(folder / "knowledge_bases", ignore_errors=True)
        self._rebuild(folder)
        return True

    def _is_sound(self, folder: Path, documents: list[UserDocument]) -> bool:
        pointer = folder / CURRENT
        current = pointer.read_text() if pointer.is_file() else ""
        if not documents:
            return current == ""
        if not current:
            return False
        try:
            base = KnowledgeBase(folder / "knowledge_bases" / current)
        except (ClinragError, OSError):
            return False
        held = set(base.table.column("document_id").to_pylist())
        return base.manifest.encoder == self._pipeline.encoder_fingerprint and held == {
            document.id for document in documents
        }

    def engine(self, tenant: str) -> SearchEngine | None:
        """Searches a tenant's documents; None where there are none."""
        folder = self._root / _folder(tenant)
        pointer = folder / CURRENT
        current = pointer.read_text() if pointer.is_file() else ""
        with self._lock:
            known = self._engines.get(folder.name)
            if known is not None and known[0] == current:
                return known[1]
            if known is not None:
                self._engines.pop(folder.name)[1].close()
            if not current:
                return None
            base = KnowledgeBase(folder / "knowledge_bases" / current)
            if base.manifest.encoder != self._query_encoder.fingerprint:
                return None  # another release: indexed anew with the next document
            settings = self._pipeline.settings.retrieval
            engine = SearchEngine({base.name: base}, self._query_encoder, settings, release=current)
            self._engines[folder.name] = (current, engine)
            return engine

    def _locked(self, tenant: str) -> _TenantLock:
        folder = self._root / _folder(tenant)
        return _TenantLock(folder)

    def _list(self, folder: Path) -> list[UserDocument]:
        found: list[UserDocument] = []
        for path in (folder / "documents").glob("*/record.json"):
            try:
                found.append(UserDocument.model_validate(read_json(path)))
            except ValidationError as error:
                raise UserDocumentError(f"{path.parent.name}: its record is damaged") from error
        return sorted(found, key=lambda d: (d.added, d.id))

    def _take(
        self, folder: Path, document_id: str, name: str, form: Format, data: bytes, held: int
    ) -> UserDocument:
        pipeline = self._pipeline
        source = DocumentSource(
            kind="guideline",
            format=form,
            file=SourceFile(name=name, sha256=sha256_hex(data), size=len(data)),
            id=document_id,
            title=name.rsplit(".", 1)[0],
        )
        document = parse_document(data, source)
        chunks = pipeline.chunker.chunk(document)
        if not chunks:
            raise UserDocumentError(f"{name}: no text was found in it")
        if held + len(chunks) > pipeline.settings.user_documents.max_chunks:
            raise UserDocumentError(f"{name}: its {len(chunks)} passages are too many")
        vectors = pipeline.encoder.encode_passages(
            [Passage(chunk.embed_title, chunk.embed_text) for chunk in chunks]
        )
        record = UserDocument(
            id=document_id,
            name=name,
            title=document.title,
            format=form,
            sha256=source.file.sha256,
            size=len(data),
            chunks=len(chunks),
            words=document.words,
            added=self._now(),
        )
        with new_directory(folder / "documents" / document_id) as tmp:
            write_table(tmp / "chunks.arrow", to_table(chunks))
            np.save(tmp / "vectors.npy", vectors, allow_pickle=False)
            write_json(tmp / "record.json", record.model_dump(mode="json"))
        return record

    def _rebuild(self, folder: Path) -> None:
        """Index what there is, point to it, and leave nothing of what was before."""
        documents = self._list(folder)
        bases = folder / "knowledge_bases"
        current = ""
        if documents:
            parts = [folder / "documents" / d.id for d in documents]
            table = concatenate([read_table(part / "chunks.arrow") for part in parts])
            vectors = np.concatenate(
                [np.load(p / "vectors.npy", allow_pickle=False) for p in parts]
            )
            settings = self._pipeline.settings
            recipe = Recipe(
                kind="guideline",
                encoder_name=settings.encoder.name,
                encoder=self._pipeline.encoder_fingerprint,
                similarity=settings.encoder.similarity,
                chunker=self._pipeline.chunker_fingerprint,
                corpus_digest=fingerprint([d.id for d in documents]),
                bm25=settings.bm25,
                stem=STEM,
            )
            build_knowledge_base(recipe, table, vectors, bases, background=self._background)
            current = recipe.fingerprint
        write_atomic(folder / CURRENT, current.encode())
        for old in bases.glob("*"):
            if old.name != current:
                shutil.rmtree(old, ignore_errors=True)
        with self._lock:
            if (known := self._engines.pop(folder.name, None)) is not None:
                known[1].close()


class _TenantLock:
    """A tenant's folder, held by one process at a time."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._folder = folder
        self._lock = FileLock(folder / ".lock")

    def __enter__(self) -> Path:
        self._lock.acquire()
        return self._folder

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def _folder(tenant: str) -> str:
    """Folder name of a tenant: a hash, so that no name can leave the root or meet another."""
    return sha256_hex(f"tenant:{tenant}".encode())[:32]
