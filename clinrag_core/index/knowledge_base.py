"""A knowledge base: a directory with a manifest of fingerprints, and the shards that it names.

Directories are written atomically, named by the fingerprint of what they were built from and never
changed. Knowledge bases in one folder share the shards that are the same. Opening one checks that
its parts agree. `shard_files` has what is in a shard.
"""

from __future__ import annotations

from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from cachetools import LRUCache
from pydantic import ValidationError

from clinrag_core.errors import IndexBuildError
from clinrag_core.index.approximate import ApproximateIndex
from clinrag_core.index.bm25 import BM25Index
from clinrag_core.index.chunk_table import concatenate, read_table, to_chunk
from clinrag_core.index.concepts import ConceptIndex
from clinrag_core.index.dense import DenseIndex
from clinrag_core.index.shard_files import (
    BM25,
    CHUNKS,
    CONCEPTS,
    SHARDS,
    SPARSE,
    STATEMENTS,
)
from clinrag_core.index.sparse import SparseIndex
from clinrag_core.index.statements import StatementIndex
from clinrag_core.index.stores.faiss_store import FaissStore
from clinrag_core.model.base import Record
from clinrag_core.model.source import DocumentKind
from clinrag_core.settings import BM25Settings, Similarity
from clinrag_core.workspace import read_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from clinrag_core.encode.protocol import Vectors
    from clinrag_core.model.chunk import Chunk

FORMAT = "knowledge-base/4"
MANIFEST = "manifest.json"
KEPT = 6_144
"""Passages kept in memory after they were read: those of about a hundred questions."""


class KnowledgeBaseManifest(Record):
    """The inputs of a knowledge base, and its size."""

    format: str
    name: str
    kind: DocumentKind
    fingerprint: str
    corpus_digest: str
    chunker: str
    encoder: str
    encoder_name: str
    similarity: Similarity
    dimension: int
    bm25: str
    bm25_settings: BM25Settings
    chunks: int
    statements: int
    documents: int
    shards: dict[str, str]
    """Name to digest of each shard's record, in order of the passages; the record has the sha256 of
    every file of the shard. Checked when it is copied into a release."""
    files: dict[str, str]
    """Path to sha256 of every other file."""


def knowledge_base_name(kind: DocumentKind, encoder_name: str, stem: str | None = None) -> str:
    """Return `<stem>_<encoder>`; the stem is by default `kb_guidelines` or `kb_druglabels`."""
    stem = stem or ("kb_guidelines" if kind == "guideline" else "kb_druglabels")
    return f"{stem}_{encoder_name.replace('-', '_')}"


def chunk_table(folders: Iterable[Path]) -> pa.Table:
    """Return the chunk table of some shards."""
    return concatenate([read_table(folder / CHUNKS) for folder in folders])


def ids_of(table: pa.Table) -> list[str]:
    """Return the ids of a chunk table."""
    return table.column("id").to_pylist()


def read_chunks(directory: Path) -> pa.Table:
    """Return the chunk table of a knowledge base, without opening its indexes."""
    return chunk_table(shard_folders(directory, read_manifest(directory)))


def shard_folders(directory: Path, manifest: KnowledgeBaseManifest) -> list[Path]:
    """Return the folders of a knowledge base's shards, in order of the passages."""
    return [directory / SHARDS / name for name in manifest.shards]


def read_manifest(directory: Path) -> KnowledgeBaseManifest:
    """The manifest of a knowledge base.

    Raises:
        IndexBuildError: it is malformed.
        WorkspaceError: it is missing.
    """
    try:
        return KnowledgeBaseManifest.model_validate(read_json(directory / MANIFEST))
    except ValidationError as error:
        raise IndexBuildError(f"{directory.name}/{MANIFEST}: {error}") from error


class PublishedDocument(NamedTuple):
    """A document of a knowledge base with its publisher; empty where none is recorded."""

    id: str
    organisation: str
    title: str
    year: int | None = None


class KnowledgeBase:
    """An opened knowledge base: memory-mapped, read-only."""

    def __init__(self, directory: Path, *, checked: bool = False) -> None:
        """Open a directory; `checked` where every file was compared with its digest just now.

        Raises:
            IndexBuildError: its parts do not agree.
            WorkspaceError: a part is missing.
        """
        self.manifest = read_manifest(directory)
        if self.manifest.format != FORMAT:
            raise IndexBuildError(f"{directory.name} is of another version: run the chain again")
        self.name = self.manifest.name
        shards, settings = shard_folders(directory, self.manifest), self.manifest.bm25_settings
        self.table = chunk_table(shards)
        self.ids = ids_of(self.table)
        if len(self.ids) != self.manifest.chunks:
            raise IndexBuildError(
                f"{self.name}: {len(self.ids)} chunks, its manifest has another number"
            )
        self.dense = DenseIndex.load(*shards, ids=self.ids)
        has_graph = (directory / ApproximateIndex.FILE).is_file()
        graph = ApproximateIndex.load(directory, self.ids) if has_graph else None
        self.store = FaissStore(self.dense, self.table, graph)
        self.bm25 = BM25Index.load(
            *(one / BM25 for one in shards), settings=settings, checked=checked
        )
        self.sparse: SparseIndex | None = None
        if all((one / SPARSE).is_dir() for one in shards):
            self.sparse = SparseIndex.load(*(one / SPARSE for one in shards), ids=self.ids)
        self.concepts: ConceptIndex | None = None
        if all((one / CONCEPTS).is_dir() for one in shards):
            folders = (one / CONCEPTS for one in shards)
            self.concepts = ConceptIndex.load(*folders, ids=self.ids, settings=settings)
        self.statements: StatementIndex | None = None
        if all((one / STATEMENTS).is_dir() for one in shards):
            folders = (one / STATEMENTS for one in shards)
            self.statements = StatementIndex.load(*folders, settings=settings, checked=checked)
        if self.dense.dimension != self.manifest.dimension:
            raise IndexBuildError(f"{self.name}: vectors of another dimension than its manifest")
        self._read: LRUCache[str, Chunk] = LRUCache(KEPT)
        self._lock = Lock()
        self._row = {chunk_id: row for row, chunk_id in enumerate(self.ids)}
        if len(self._row) != len(self.ids):
            raise IndexBuildError(f"{self.name}: chunk ids repeat")

    @cached_property
    def idf(self) -> dict[str, float]:
        """Inverse document frequency by BM25 token."""
        return self.bm25.idf()

    @cached_property
    def documents(self) -> tuple[PublishedDocument, ...]:
        """The documents, sorted by id."""
        columns = self.table.select(["document_id", "organisation", "document_title", "year"])
        rows = {row["document_id"]: row for row in columns.to_pylist()}
        return tuple(
            PublishedDocument(
                name, row["organisation"] or "", row["document_title"] or "", row["year"]
            )
            for name, row in sorted(rows.items())
        )

    def __contains__(self, chunk_id: str) -> bool:
        return chunk_id in self._row

    def row(self, chunk_id: str) -> int:
        """Row of a chunk in `table`; KeyError if it is not in this knowledge base."""
        return self._row[chunk_id]

    def chunk(self, chunk_id: str) -> Chunk:
        """One chunk by id; KeyError if it is not in this knowledge base."""
        return self.chunks([chunk_id])[0]

    def dense_scores(self, query: Vectors, rows: NDArray[np.int32]) -> Vectors:
        """Return the inner product of a question with some passages, by row of `table`."""
        return self.dense.reconstruct(rows) @ query.ravel()

    def section_text(self, chunk_id: str) -> str:
        """The indexed text of a chunk's section, joined from its chunks."""
        chunk = self.chunk(chunk_id)
        rows = self._sections[chunk.document_id, chunk.section_ordinal]
        text = ""
        position = 0
        for row in sorted(self.table.take(rows).to_pylist(), key=lambda r: (r["start"], r["end"])):
            if row["start"] > position and text:
                text += "\n"
            text += row["text"][max(position - row["start"], 0) :]
            position = max(position, row["end"])
        return text

    @cached_property
    def _sections(self) -> dict[tuple[str, int], list[int]]:
        documents = self.table.column("document_id").to_pylist()
        ordinals = self.table.column("section_ordinal").to_pylist()
        rows: dict[tuple[str, int], list[int]] = {}
        for row, key in enumerate(zip(documents, ordinals, strict=True)):
            rows.setdefault(key, []).append(row)
        return rows

    def chunks(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        """Chunks by id, in the order asked for; those read last are kept."""
        with self._lock:
            known = {i: one for i in chunk_ids if (one := self._read.get(i)) is not None}
        missing = [i for i in dict.fromkeys(chunk_ids) if i not in known]
        if missing:
            rows = self.table.take([self._row[i] for i in missing]).to_pylist()
            read = dict(zip(missing, map(to_chunk, rows), strict=True))
            known |= read
            with self._lock:
                self._read.update(read)
        return [known[i] for i in chunk_ids]
