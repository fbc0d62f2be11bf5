"""The tables of a partition: its documents cut into chunks and statements."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.chunk.framing import frame_statements
from clinrag_core.chunk.verify import chunk_problems
from clinrag_core.errors import ClinragError, log_failure
from clinrag_core.index.chunk_table import to_statement_table, to_table, write_table
from clinrag_core.pipeline.records import Failure
from clinrag_core.workspace import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from clinrag_core.chunk.chunker import Chunker
    from clinrag_core.model.chunk import Chunk
    from clinrag_core.model.document import Document
    from clinrag_core.model.statement import IndexedStatement

logger = logging.getLogger(__name__)
TABLE = "chunks.arrow"
STATEMENTS = "statements.arrow"
NOT_CUT = "cannot_be_cut"
COUNTS = "counts"
"""Folder of a partition for counts of terms: what is written there leaves the time of the partition
as it is, by which the ledger sees a change."""


class Pieces(NamedTuple):
    """The chunks and statements of some documents."""

    chunks: list[Chunk]
    statements: list[IndexedStatement]
    failures: tuple[Failure, ...]
    """Documents that could not be cut."""
    problems: tuple[str, ...]
    """Broken invariants of the chunks."""


class Cut(NamedTuple):
    """What the tables of a partition hold."""

    digest: str
    """Of both tables."""
    chunks: int
    statements: int
    tokens: int
    document_ids: tuple[str, ...]


def cut_documents(documents: Iterable[Document], chunker: Chunker) -> Pieces:
    """Cut documents into chunks and statements; one that cannot be cut stops no other."""
    chunks: list[Chunk] = []
    statements: list[IndexedStatement] = []
    failures: list[Failure] = []
    done: list[Document] = []
    for document in documents:
        try:
            made = chunker.chunk(document)
            framed = frame_statements(document, made)
        except (ClinragError, OSError, MemoryError):
            raise  # not of this document
        except Exception as error:  # noqa: BLE001 - whatever it is, others wait for their turn
            log_failure(logger, f"{document.file.name} cannot be cut", error)
            failures.append(_uncut(document, error))
        else:
            chunks += made
            statements += framed
            done.append(document)
    problems = chunk_problems(done, chunks, chunker.capacity)
    return Pieces(chunks, statements, tuple(failures), tuple(problems))


def _uncut(document: Document, error: Exception) -> Failure:
    name = document.file.name
    reason = f"{name}: this version of clinrag fails to cut it ({type(error).__name__})"
    return Failure(stage="chunk", file=name, code=NOT_CUT, reason=reason)


def write_pieces(pieces: Pieces, folder: Path) -> Cut:
    """Write the tables of chunks and statements of a partition."""
    (folder / COUNTS).mkdir(parents=True, exist_ok=True)
    chunks = pieces.chunks
    digests = (
        write_table(folder / TABLE, to_table(chunks)),
        write_table(folder / STATEMENTS, to_statement_table(pieces.statements)),
    )
    tokens = sum(chunk.tokens for chunk in chunks)
    names = tuple(dict.fromkeys(chunk.document_id for chunk in chunks))
    return Cut(fingerprint(digests), len(chunks), len(pieces.statements), tokens, names)


def tables_exist(folder: Path) -> bool:
    """Return whether both tables of a partition are there."""
    return all((folder / name).is_file() for name in (TABLE, STATEMENTS))
