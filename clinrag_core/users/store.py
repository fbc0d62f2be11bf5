"""A tenant's documents: one SQLite file with text, passages, vectors and the state of the index.

A tenant's folder is named by a hash, so that no name can leave the root or meet another. Every
change is one transaction, and the same transaction says which index is current (ADR 0032). Deleted
bytes are overwritten (`secure_delete`). Of an upload what is read from it is stored, and a PDF file
itself, so that cited pages can be shown.
"""

from __future__ import annotations

import datetime as dt
import io
import re
import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
from filelock import FileLock
from pydantic import ValidationError

from clinrag_core.acquire.folder import SUFFIXES
from clinrag_core.errors import UserDocumentError
from clinrag_core.index.chunk_table import SCHEMA, STATEMENT_SCHEMA, concatenate
from clinrag_core.model.base import Record
from clinrag_core.model.source import Format
from clinrag_core.workspace import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from pathlib import Path

    from clinrag_core.encode.protocol import Vectors

UPLOADED: tuple[Format, ...] = ("pdf", "html", "text", "markdown")
FORMATS: dict[str, Format] = {s[1:]: form for form in UPLOADED for s in SUFFIXES[form]}
FORMATS["text"] = "text"
FILE = "store.sqlite"
MAX_NAME = 120
"""Characters of a file name that are kept to be shown, by judgement; no file is named by it."""
BUSY_S = 30
"""Seconds a reader waits for a writer: a transaction takes milliseconds, a checkpoint too."""
_UNSAFE = re.compile(r"[^\w. ()-]+")
_TABLES = """
CREATE TABLE IF NOT EXISTS documents (
    id TEXT PRIMARY KEY, added TEXT NOT NULL, record TEXT NOT NULL, chunks BLOB NOT NULL,
    statements BLOB NOT NULL, vectors BLOB NOT NULL, statement_vectors BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS files (id TEXT PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS state (one INTEGER PRIMARY KEY CHECK (one = 1), current TEXT NOT NULL);
INSERT OR IGNORE INTO state VALUES (1, '');
"""


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


class DocumentParts(NamedTuple):
    """What a document is searched and quoted by."""

    chunks: pa.Table
    statements: pa.Table
    vectors: Vectors
    """Of the chunks, in the table's order."""
    statement_vectors: Vectors


class TenantStore:
    """The documents of one tenant, in its `tenant_folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def exists(self) -> bool:
        """Whether the tenant has ever given a document."""
        return (self.folder / FILE).is_file()

    @contextmanager
    def locked(self, timeout_s: float = -1) -> Generator[None]:
        """Lock the tenant's folder: one process changes it at a time.

        Raises:
            filelock.Timeout: another process has it for longer than `timeout_s`; -1: never.
        """
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with FileLock(self.folder / ".lock", timeout=timeout_s):
            yield

    def documents(self) -> list[UserDocument]:
        """Return the tenant's documents, oldest first.

        Raises:
            UserDocumentError: the store is damaged.
        """
        if not self.exists:
            return []
        with self._open() as database:
            rows = database.execute("SELECT record FROM documents ORDER BY added, id").fetchall()
        try:
            return [UserDocument.model_validate_json(row[0]) for row in rows]
        except ValidationError as error:
            raise UserDocumentError("a record of the store is damaged") from error

    def current(self) -> str:
        """Return the name of the index of exactly these documents; empty where there are none.

        Raises:
            UserDocumentError: the store is damaged.
        """
        if not self.exists:
            return ""
        with self._open() as database:
            return str(database.execute("SELECT current FROM state").fetchone()[0])

    def parts(self, documents: Sequence[UserDocument]) -> DocumentParts:
        """Return what documents are searched by, joined in their order.

        Raises:
            UserDocumentError: the store is damaged, or a document is not in it.
        """
        query = "SELECT chunks, statements, vectors, statement_vectors FROM documents WHERE id = ?"
        with self._open() as database:
            rows = [database.execute(query, (d.id,)).fetchone() for d in documents]
        try:
            chunks, statements = (
                [pa.ipc.open_file(pa.py_buffer(row[place])).read_all() for row in rows]
                for place in (0, 1)
            )
            vectors, said = (
                [np.load(io.BytesIO(row[place]), allow_pickle=False) for row in rows]
                for place in (2, 3)
            )
        except (TypeError, ValueError, pa.ArrowInvalid) as error:
            raise UserDocumentError("a document of the store is damaged") from error
        return DocumentParts(
            concatenate(chunks, SCHEMA),
            concatenate(statements, STATEMENT_SCHEMA),
            np.concatenate(vectors),
            np.concatenate(said),
        )

    def file(self, document_id: str) -> bytes | None:
        """Return the PDF file of a document; None if it is no PDF or was stored without.

        Raises:
            UserDocumentError: the store is damaged.
        """
        if not self.exists:
            return None
        known = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'files'"
        with self._open() as database:
            if database.execute(known).fetchone() is None:  # written before files were kept
                return None
            query = "SELECT data FROM files WHERE id = ?"
            row = database.execute(query, (document_id,)).fetchone()
        return bytes(row[0]) if row else None

    def put(
        self, document: UserDocument, parts: DocumentParts, current: str, file: bytes = b""
    ) -> None:
        """Store a document, new or encoded again, and name the index that has it, at once.

        Without `file`, the file that is stored stays.
        """
        values = (
            document.id,
            document.added.isoformat(),
            document.model_dump_json(),
            _table_bytes(parts.chunks),
            _table_bytes(parts.statements),
            _array_bytes(parts.vectors),
            _array_bytes(parts.statement_vectors),
        )
        with self._open(write=True) as database:
            database.execute(
                "INSERT OR REPLACE INTO documents VALUES (?, ?, ?, ?, ?, ?, ?)", values
            )
            if file:
                database.execute("INSERT OR REPLACE INTO files VALUES (?, ?)", (document.id, file))
            database.execute("UPDATE state SET current = ?", (current,))

    def remove(self, document_id: str, current: str) -> None:
        """Delete a document and name the index that no longer has it, at once."""
        with self._open(write=True) as database:
            database.execute("DELETE FROM documents WHERE id = ?", (document_id,))
            database.execute("DELETE FROM files WHERE id = ?", (document_id,))
            database.execute("UPDATE state SET current = ?", (current,))

    def point(self, current: str) -> None:
        """Name the current index."""
        with self._open(write=True) as database:
            database.execute("UPDATE state SET current = ?", (current,))

    def settle(self) -> None:
        """Write the log back into the store and empty it: it may hold deleted bytes."""
        with self._open() as database:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    @contextmanager
    def _open(self, *, write: bool = False) -> Generator[sqlite3.Connection]:
        """Connect; with `write` the block is one transaction, and its log is emptied after it.

        Raises:
            UserDocumentError: the store is damaged or of a later version.
        """
        try:
            database = sqlite3.connect(
                self.folder / FILE, timeout=BUSY_S, isolation_level=None, check_same_thread=False
            )
            try:
                database.execute("PRAGMA secure_delete = ON")
                if write:
                    database.execute("PRAGMA journal_mode = WAL")
                    database.execute("PRAGMA synchronous = FULL")
                    database.executescript(_TABLES)
                    database.execute("BEGIN IMMEDIATE")
                yield database
                if write:
                    database.execute("COMMIT")
                    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            finally:
                database.close()
        except sqlite3.Error as error:
            raise UserDocumentError(f"the store of documents: {type(error).__name__}") from error


def tenant_folder(root: Path, tenant: str) -> Path:
    """Folder of a tenant under the root, named by a hash of the tenant's name."""
    return root / sha256_hex(f"tenant:{tenant}".encode())[:32]


def safe_name(name: str) -> str:
    """Return the file name of an upload without its path and special characters."""
    return _UNSAFE.sub("_", name.replace("\\", "/").rsplit("/", 1)[-1])[:MAX_NAME] or "document"


def format_of(name: str) -> Format:
    """Return the format that a file name's ending says.

    Raises:
        UserDocumentError: the ending is unknown; names the known ones.
    """
    form = FORMATS.get(name.rsplit(".", 1)[-1].lower())
    if form is None:
        raise UserDocumentError(f"name it with one of: {', '.join(sorted(FORMATS))}")
    return form


def _table_bytes(table: pa.Table) -> bytes:
    buffer = io.BytesIO()
    with pa.ipc.new_file(buffer, table.schema) as writer:
        writer.write_table(table.combine_chunks())
    return buffer.getvalue()


def _array_bytes(array: Vectors) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()
