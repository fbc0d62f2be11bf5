"""The files of one shard of a knowledge base: passages and statements with their indexes.

A shard is a directory that is written atomically and never changed. It holds nothing that depends
on other shards: BM25 postings hold frequencies, statistics are added up when shards are opened
together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pydantic import ValidationError

from clinrag_core.errors import IndexBuildError
from clinrag_core.index.bm25 import BM25Index
from clinrag_core.index.bm25_counts import count_terms
from clinrag_core.index.chunk_table import write_table
from clinrag_core.index.concepts import ConceptIndex
from clinrag_core.index.dense import DenseIndex
from clinrag_core.index.integrity import differences, file_digests
from clinrag_core.index.statements import StatementIndex
from clinrag_core.model.base import Record
from clinrag_core.workspace import new_directory, sha256_hex, write_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    import pyarrow as pa

    from clinrag_core.encode.protocol import Vectors
    from clinrag_core.index.bm25_counts import TermCounts
    from clinrag_core.index.sparse import SparseIndex
    from clinrag_core.index.statements import StatementParts
    from clinrag_core.lexicon.concepts.recognise import ConceptRecogniser
    from clinrag_core.settings import BM25Settings

SHARD_FORMAT = "shard/1"
SHARDS = "shards"
"""Folder with shards: of a release its own, of candidates one for all of them."""
RECORD = "shard.json"
CHUNKS = "chunks.arrow"
BM25 = "bm25"
SPARSE = "sparse"
STATEMENTS = "statements"
CONCEPTS = "concepts"


class ShardParts(NamedTuple):
    """What a shard is written from."""

    chunks: pa.Table
    vectors: Vectors
    """float32 of shape `(len(chunks), dimension)`, in the table's order."""
    counts: TermCounts | None = None
    """Of `search_texts(chunks)`; counted when it is written by default."""
    statements: StatementParts | None = None
    """What the answers are made of; without it the passages can be searched only."""
    sparse: Callable[[], SparseIndex] | None = None
    """Makes the sparse index, if there is one."""
    background: Mapping[str, float] | None = None
    """idf of a larger collection, see `BM25Index.from_counts`."""


class _Written(Record):
    """What is recorded of a shard."""

    format: str
    chunks: int
    statements: int
    documents: int
    dimension: int
    files: dict[str, str]
    """Path to sha256 of every other file."""


class ShardRecord(_Written):
    """What is recorded of a shard, and the digest of the record."""

    digest: str


def write_shard(
    folder: Path, parts: ShardParts, settings: BM25Settings, concepts: ConceptRecogniser | None
) -> ShardRecord:
    """Write a shard; equal parts give equal bytes.

    Args:
        folder: of the shard; its name stays if another process was first.
        parts: what it is written from.
        settings: of BM25, recorded with the postings.
        concepts: annotates the passages, if there is a concept index.

    Raises:
        IndexBuildError: chunk ids repeat, or the vectors do not fit the chunks.
    """
    ids: list[str] = parts.chunks.column("id").to_pylist()
    if len(set(ids)) != len(ids):
        raise IndexBuildError(f"{folder.name}: chunk ids repeat")
    with new_directory(folder) as tmp:
        write_table(tmp / CHUNKS, parts.chunks)
        DenseIndex.build(parts.vectors, ids).save(tmp)
        counts = count_terms(search_texts(parts.chunks)) if parts.counts is None else parts.counts
        lexical = BM25Index.from_counts(ids, counts, settings, background=parts.background)
        lexical.save(tmp / BM25)
        if parts.sparse is not None:
            parts.sparse().save(tmp / SPARSE)
        if concepts is not None:
            texts = search_texts(parts.chunks)
            ConceptIndex.build(ids, texts, concepts, settings).save(tmp / CONCEPTS)
        if parts.statements is not None:
            said = tmp / STATEMENTS
            StatementIndex.write(said, *parts.statements, settings, parts.background)
        written = _Written(
            format=SHARD_FORMAT,
            chunks=len(ids),
            statements=parts.statements.table.num_rows if parts.statements is not None else 0,
            documents=len(set(parts.chunks.column("document_id").to_pylist())),
            dimension=parts.vectors.shape[1],
            files=file_digests(tmp),
        )
        write_json(tmp / RECORD, written.model_dump(mode="json"))
    record = read_shard(folder)
    if record is None:
        raise IndexBuildError(f"{folder.name} cannot be read back")
    return record


def read_shard(folder: Path) -> ShardRecord | None:
    """Return the record of a shard; None if there is none that can be read."""
    try:
        data = (folder / RECORD).read_bytes()
        written = _Written.model_validate_json(data)
    except (OSError, ValidationError):
        return None
    return ShardRecord.model_construct(**vars(written), digest=sha256_hex(data))


def shard_problems(folder: Path, digest: str) -> list[str]:
    """Return what of a shard is not as it was written: its record by `digest`, files by it."""
    record = read_shard(folder)
    if record is None or record.digest != digest:
        return [f"{RECORD} is {'missing' if record is None else 'changed'}"]
    return differences(folder, record.files, leave_out=(RECORD,))


def search_texts(chunks: pa.Table) -> list[str]:
    """Return the text of each chunk for BM25: embed_title and embed_text."""
    titles: list[str] = chunks.column("embed_title").to_pylist()
    texts: list[str] = chunks.column("embed_text").to_pylist()
    return [f"{title}\n{text}" for title, text in zip(titles, texts, strict=True)]
