"""Tenants' documents on disk: a folder per tenant, a folder per document.

A tenant's folder is named by a hash, so that no name can leave the root or meet another. A document
keeps its chunks, their vectors and its record; nothing else of the upload is stored.
"""

from __future__ import annotations

import datetime as dt
import re
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
from filelock import FileLock
from pydantic import ValidationError

from clinrag_core.acquire.folder import SUFFIXES
from clinrag_core.errors import UserDocumentError
from clinrag_core.index.chunk_table import (
    STATEMENT_SCHEMA,
    concatenate,
    read_statement_table,
    read_table,
    to_statement_table,
    to_table,
    write_table,
)
from clinrag_core.model.base import Record
from clinrag_core.model.source import Format
from clinrag_core.workspace import new_directory, read_json, sha256_hex, write_json

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from pathlib import Path

    import pyarrow as pa

    from clinrag_core.encode.protocol import Vectors
    from clinrag_core.model.chunk import Chunk
    from clinrag_core.model.statement import IndexedStatement

UPLOADED: tuple[Format, ...] = ("pdf", "html", "text", "markdown")
FORMATS: dict[str, Format] = {s[1:]: form for form in UPLOADED for s in SUFFIXES[form]}
FORMATS["text"] = "text"
VECTORS = "vectors.npy"
STATEMENT_VECTORS = "statement_vectors.npy"
_CHUNKS = "chunks.arrow"
_STATEMENTS = "statements.arrow"
_UNSAFE = re.compile(r"[^\w. ()-]+")
MAX_NAME = 120


class UserDocument(Record):
    """A document that a user uploaded."""

    id: str
    name: str
    title: str
    format: Format
    sha256: str
    size: int
    chunks: int
    words: int
    added: dt.datetime


class TenantStore:
    """The documents of one tenant, in its `tenant_folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @contextmanager
    def locked(self) -> Generator[None]:
        """Lock the tenant's folder: one process changes it at a time."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with FileLock(self.folder / ".lock"):
            yield

    def documents(self) -> list[UserDocument]:
        """The tenant's documents, oldest first.

        Raises:
            UserDocumentError: a record is damaged.
        """
        documents: list[UserDocument] = []
        for path in (self.folder / "documents").glob("*/record.json"):
            try:
                documents.append(UserDocument.model_validate(read_json(path)))
            except ValidationError as error:
                raise UserDocumentError(f"{path.parent.name}: its record is damaged") from error
        return sorted(documents, key=lambda d: (d.added, d.id))

    def write(
        self,
        document: UserDocument,
        chunks: Sequence[Chunk],
        statements: Sequence[IndexedStatement],
        vectors: Vectors,
        statement_vectors: Vectors,
    ) -> None:
        """Store a document with its chunks, statements and vectors, whole or not at all."""
        with new_directory(self.part(document.id)) as tmp:
            write_table(tmp / _CHUNKS, to_table(chunks))
            write_table(tmp / _STATEMENTS, to_statement_table(statements))
            np.save(tmp / VECTORS, vectors, allow_pickle=False)
            np.save(tmp / STATEMENT_VECTORS, statement_vectors, allow_pickle=False)
            write_json(tmp / "record.json", document.model_dump(mode="json"))

    def remove(self, document_id: str) -> None:
        """Delete a document's text and vectors."""
        shutil.rmtree(self.part(document_id))

    def part(self, document_id: str) -> Path:
        """Folder of one document."""
        return self.folder / "documents" / document_id

    def table(self, documents: Sequence[UserDocument]) -> pa.Table:
        """Chunks of documents as one table, in their order."""
        return concatenate([read_table(self.part(d.id) / _CHUNKS) for d in documents])

    def vectors(self, documents: Sequence[UserDocument]) -> Vectors:
        """Vectors of `table(documents)`, float32 of shape `(chunks, dimension)`."""
        parts = [np.load(self.part(d.id) / VECTORS, allow_pickle=False) for d in documents]
        return np.concatenate(parts)

    def statements(self, documents: Sequence[UserDocument]) -> pa.Table:
        """Statements of documents as one table, in their order.

        Documents of before there were statements have none: they are found, not quoted.
        """
        paths = [self.part(d.id) / _STATEMENTS for d in documents]
        tables = [read_statement_table(path) for path in paths if path.is_file()]
        return concatenate(tables, STATEMENT_SCHEMA)

    def statement_vectors(self, documents: Sequence[UserDocument]) -> Vectors | None:
        """Vectors of `statements(documents)`; None without any."""
        paths = [self.part(d.id) / STATEMENT_VECTORS for d in documents]
        parts = [np.load(path, allow_pickle=False) for path in paths if path.is_file()]
        return np.concatenate(parts) if parts else None


def tenant_folder(root: Path, tenant: str) -> Path:
    """Folder of a tenant under the root, named by a hash of the tenant's name."""
    return root / sha256_hex(f"tenant:{tenant}".encode())[:32]


def safe_name(name: str) -> str:
    """The file name of an upload without its path and without characters of another meaning."""
    return _UNSAFE.sub("_", name.replace("\\", "/").rsplit("/", 1)[-1])[:MAX_NAME] or "document"


def format_of(name: str) -> Format:
    """The format that a file name's ending says.

    Raises:
        UserDocumentError: the ending is unknown; names the known ones.
    """
    form = FORMATS.get(name.rsplit(".", 1)[-1].lower())
    if form is None:
        raise UserDocumentError(f"name it with one of: {', '.join(sorted(FORMATS))}")
    return form
