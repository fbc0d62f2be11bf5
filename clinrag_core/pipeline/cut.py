"""The tables of a partition: its documents cut into chunks and statements."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.chunk.framing import frame_statements
from clinrag_core.index.chunk_table import to_statement_table, to_table, write_table
from clinrag_core.workspace import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from clinrag_core.chunk.chunker import Chunker
    from clinrag_core.model.chunk import Chunk
    from clinrag_core.model.document import Document
    from clinrag_core.model.statement import IndexedStatement

TABLE = "chunks.arrow"
STATEMENTS = "statements.arrow"
COUNTS = "counts"
"""Folder of a partition for counts of terms: what is written there leaves the time of the partition
as it is, by which the ledger sees a change."""


class Cut(NamedTuple):
    """What cutting the documents of a partition gave."""

    digest: str
    """Of both tables."""
    chunks: int
    statements: int
    tokens: int
    document_ids: tuple[str, ...]


def cut_documents(documents: Iterable[Document], chunker: Chunker, folder: Path) -> Cut:
    """Write the tables of chunks and statements of some documents."""
    (folder / COUNTS).mkdir(parents=True, exist_ok=True)
    chunks: list[Chunk] = []
    statements: list[IndexedStatement] = []
    for document in documents:
        made = chunker.chunk(document)
        chunks += made
        statements += frame_statements(document, made)
    digests = (
        write_table(folder / TABLE, to_table(chunks)),
        write_table(folder / STATEMENTS, to_statement_table(statements)),
    )
    tokens = sum(chunk.tokens for chunk in chunks)
    names = tuple(dict.fromkeys(chunk.document_id for chunk in chunks))
    return Cut(fingerprint(digests), len(chunks), len(statements), tokens, names)


def tables_exist(folder: Path) -> bool:
    """Return whether both tables of a partition are there."""
    return all((folder / name).is_file() for name in (TABLE, STATEMENTS))
