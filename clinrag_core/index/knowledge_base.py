"""A knowledge base: a directory with chunks, their indexes and a manifest of fingerprints.

Directories are written atomically, named by the fingerprint of what they were built from and never
changed. Opening one checks that its parts agree.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from cachetools import LRUCache
from pydantic import ValidationError

from clinrag_core.errors import IndexBuildError
from clinrag_core.index.approximate import EXACT_BELOW, ApproximateIndex
from clinrag_core.index.bm25 import BM25Index
from clinrag_core.index.bm25_counts import count_terms
from clinrag_core.index.chunk_table import read_table, to_chunk, write_table
from clinrag_core.index.concepts import ConceptIndex
from clinrag_core.index.dense import DenseIndex, check_vectors
from clinrag_core.index.integrity import file_digests
from clinrag_core.index.sparse import SparseIndex
from clinrag_core.index.statements import StatementIndex, StatementParts
from clinrag_core.index.stores.faiss_store import FaissStore
from clinrag_core.model.base import Record
from clinrag_core.model.source import DocumentKind
from clinrag_core.settings import Similarity
from clinrag_core.text.tokens import TOKENIZER
from clinrag_core.workspace import fingerprint, new_directory, read_json, write_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from clinrag_core.encode.protocol import Vectors
    from clinrag_core.index.bm25_counts import TermCounts
    from clinrag_core.lexicon.concepts.recognise import ConceptRecogniser
    from clinrag_core.model.chunk import Chunk
    from clinrag_core.settings import BM25Settings

FORMAT = "knowledge-base/3"
CHUNKS = "chunks.arrow"
MANIFEST = "manifest.json"
SPARSE = "sparse"
STATEMENTS = "statements"
CONCEPTS = "concepts"
KEPT = 512
"""Passages kept in memory after they were read: those of about ten questions."""


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
    chunks: int
    statements: int
    documents: int
    files: dict[str, str]
    """Path to sha256 of every other file; checked when it is copied into a release."""


def knowledge_base_name(kind: DocumentKind, encoder_name: str, stem: str | None = None) -> str:
    """Return `<stem>_<encoder>`; the stem is by default `kb_guidelines` or `kb_druglabels`."""
    stem = stem or ("kb_guidelines" if kind == "guideline" else "kb_druglabels")
    return f"{stem}_{encoder_name.replace('-', '_')}"


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides a knowledge base's content; its fingerprint names the directory."""

    kind: DocumentKind
    encoder_name: str
    encoder: str
    similarity: Similarity
    chunker: str
    corpus_digest: str
    bm25: BM25Settings
    sparse: str | None = None
    """Fingerprint of the sparse encoder; None without a sparse index."""
    concepts: ConceptRecogniser | None = None
    """Annotates the passages; None without a concept index. Its thesaurus is in the fingerprint."""
    stem: str | None = None
    """Base name without the encoder suffix. Defaults to the name for this document kind."""

    @property
    def name(self) -> str:
        """Name of the knowledge base."""
        return knowledge_base_name(self.kind, self.encoder_name, self.stem)

    @property
    def bm25_fingerprint(self) -> str:
        """Fingerprint of the lexical side."""
        return fingerprint(TOKENIZER, self.bm25.model_dump())

    @property
    def fingerprint(self) -> str:
        """Fingerprint of all of it."""
        return fingerprint(
            FORMAT,
            self.name,
            self.encoder,
            self.similarity,
            self.chunker,
            self.corpus_digest,
            self.bm25_fingerprint,
            *([self.sparse] if self.sparse else []),
            *([self.concepts.thesaurus.record.fingerprint] if self.concepts else []),
        )


def build_knowledge_base(
    recipe: Recipe,
    chunks: pa.Table,
    vectors: Vectors,
    folder: Path,
    sparse: Callable[[], SparseIndex] | None = None,
    background: Mapping[str, float] | None = None,
    counts: TermCounts | None = None,
    statements: StatementParts | None = None,
) -> Path:
    """Build a knowledge base unless it exists; returns its directory, `folder/<fingerprint>`.

    Args:
        recipe: everything that decides its content.
        chunks: the chunk table.
        vectors: float32 of shape `(len(chunks), dimension)`, in the table's order.
        folder: parent of the knowledge base's directories.
        sparse: makes the sparse index, if the recipe has one.
        background: idf of a larger collection, see `BM25Index.from_counts`.
        counts: term counts of `search_texts(chunks)`; counted here by default.
        statements: what the answers are made of; without it the base can be searched only.

    Raises:
        IndexBuildError: chunk ids repeat, or the vectors do not fit the chunks.
    """
    directory = folder / recipe.fingerprint
    if directory.is_dir():
        return directory
    ids: list[str] = chunks.column("id").to_pylist()
    if len(set(ids)) != len(ids):
        raise IndexBuildError(f"{recipe.name}: chunk ids repeat")
    check_vectors(vectors, len(ids), normalised=recipe.similarity == "cosine")
    with new_directory(directory) as tmp:
        write_table(tmp / CHUNKS, chunks)
        DenseIndex.build(vectors, ids).save(tmp)
        if len(ids) >= EXACT_BELOW:
            ApproximateIndex.build(vectors, ids).save(tmp)
        counts = count_terms(search_texts(chunks)) if counts is None else counts
        lexical = BM25Index.from_counts(ids, counts, recipe.bm25, background=background)
        lexical.save(tmp / "bm25")
        if sparse is not None:
            sparse().save(tmp / SPARSE)
        if recipe.concepts is not None:
            texts = search_texts(chunks)
            ConceptIndex.build(ids, texts, recipe.concepts, recipe.bm25).save(tmp / CONCEPTS)
        if statements is not None:
            StatementIndex.write(tmp / STATEMENTS, *statements, recipe.bm25, background)
        manifest = KnowledgeBaseManifest(
            format=FORMAT,
            name=recipe.name,
            kind=recipe.kind,
            fingerprint=recipe.fingerprint,
            corpus_digest=recipe.corpus_digest,
            chunker=recipe.chunker,
            encoder=recipe.encoder,
            encoder_name=recipe.encoder_name,
            similarity=recipe.similarity,
            dimension=vectors.shape[1],
            bm25=recipe.bm25_fingerprint,
            chunks=len(ids),
            statements=statements.table.num_rows if statements is not None else 0,
            documents=len(set(chunks.column("document_id").to_pylist())),
            files=file_digests(tmp),
        )
        write_json(tmp / MANIFEST, manifest.model_dump(mode="json"))
    return directory


def search_texts(chunks: pa.Table) -> list[str]:
    """Return the text of each chunk for BM25: embed_title and embed_text."""
    titles: list[str] = chunks.column("embed_title").to_pylist()
    texts: list[str] = chunks.column("embed_text").to_pylist()
    return [f"{title}\n{text}" for title, text in zip(titles, texts, strict=True)]


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


class KnowledgeBase:
    """An opened knowledge base: memory-mapped, read-only."""

    def __init__(self, directory: Path) -> None:
        """Open a directory.

        Raises:
            IndexBuildError: its parts do not agree.
            WorkspaceError: a part is missing.
        """
        self.manifest = read_manifest(directory)
        self.name = self.manifest.name
        self.table = read_table(directory / CHUNKS)
        self.ids: list[str] = self.table.column("id").to_pylist()
        if len(self.ids) != self.manifest.chunks:
            raise IndexBuildError(
                f"{self.name}: {len(self.ids)} chunks, its manifest has another number"
            )
        self.dense = DenseIndex.load(directory, self.ids)
        has_graph = (directory / ApproximateIndex.FILE).is_file()
        graph = ApproximateIndex.load(directory, self.ids) if has_graph else None
        self.store = FaissStore(self.dense, self.table, graph)
        self.bm25 = BM25Index.load(directory / "bm25")
        self.sparse: SparseIndex | None = None
        if (directory / SPARSE).is_dir():
            self.sparse = SparseIndex.load(directory / SPARSE, self.ids)
        self.concepts: ConceptIndex | None = None
        if (directory / CONCEPTS).is_dir():
            self.concepts = ConceptIndex.load(directory / CONCEPTS, self.ids)
        self.statements: StatementIndex | None = None
        if (directory / STATEMENTS).is_dir():
            self.statements = StatementIndex.load(directory / STATEMENTS)
        if self.dense.dimension != self.manifest.dimension:
            raise IndexBuildError(f"{self.name}: vectors of another dimension than its manifest")
        self._read: LRUCache[str, Chunk] = LRUCache(KEPT)
        self._lock = Lock()
        self._row = {chunk_id: row for row, chunk_id in enumerate(self.ids)}

    @cached_property
    def idf(self) -> dict[str, float]:
        """Inverse document frequency by BM25 token."""
        return self.bm25.idf()

    @cached_property
    def documents(self) -> tuple[PublishedDocument, ...]:
        """The documents, sorted by id."""
        columns = self.table.select(["document_id", "organisation", "document_title"])
        rows = {row["document_id"]: row for row in columns.to_pylist()}
        return tuple(
            PublishedDocument(name, row["organisation"] or "", row["document_title"] or "")
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
