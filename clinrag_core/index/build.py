"""Builds knowledge bases from shards, and copies them.

A shard that exists already under its name is taken as it is: what it is named by decides every
byte of it.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clinrag_core.index.approximate import EXACT_BELOW, ApproximateIndex
from clinrag_core.index.dense import DenseIndex, check_vectors
from clinrag_core.index.knowledge_base import (
    FORMAT,
    MANIFEST,
    KnowledgeBaseManifest,
    chunk_table,
    ids_of,
    knowledge_base_name,
    read_manifest,
)
from clinrag_core.index.shard_files import (
    SHARD_FORMAT,
    SHARDS,
    ShardParts,
    ShardRecord,
    read_shard,
    shard_problems,
    write_shard,
)
from clinrag_core.text.tokens import TOKENIZER
from clinrag_core.workspace import file_digest, fingerprint, new_directory, write_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    import pyarrow as pa

    from clinrag_core.encode.protocol import Vectors
    from clinrag_core.index.statements import StatementParts
    from clinrag_core.lexicon.concepts.recognise import ConceptRecogniser
    from clinrag_core.model.source import DocumentKind
    from clinrag_core.settings import BM25Settings, Similarity


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

    def shard_name(self, content: object) -> str:
        """Return the name of a shard: of what is in it, and of everything else that decides it."""
        concepts = self.concepts.thesaurus.record.fingerprint if self.concepts else None
        parts = (self.encoder, self.similarity, self.chunker, TOKENIZER, self.sparse, concepts)
        return fingerprint(SHARD_FORMAT, *parts, content)

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
    background: Mapping[str, float] | None = None,
    statements: StatementParts | None = None,
) -> Path:
    """Build a knowledge base of one shard unless it exists; returns its directory.

    Args:
        recipe: everything that decides its content.
        chunks: the chunk table.
        vectors: float32 of shape `(len(chunks), dimension)`, in the table's order.
        folder: parent of the knowledge base's directories.
        background: idf of a larger collection, see `BM25Index.from_counts`.
        statements: what the answers are made of; without it the base can be searched only.

    Raises:
        IndexBuildError: chunk ids repeat, or the vectors do not fit the chunks.
    """
    directory = folder / recipe.fingerprint
    if not directory.is_dir():
        parts = ShardParts(chunks, vectors, statements=statements, background=background)
        with new_directory(directory) as tmp:
            (tmp / SHARDS).mkdir()
            _write(tmp, recipe, {recipe.shard_name([recipe.corpus_digest]): lambda: parts})
    return directory


def join_shards(
    recipe: Recipe, shards: Mapping[str, Callable[[], ShardParts]], folder: Path
) -> Path:
    """Build a knowledge base unless it exists; returns its directory, `folder/<fingerprint>`.

    Args:
        recipe: everything that decides its content.
        shards: by name, in order; what one is made from is asked for only where it is not there.
        folder: parent of the knowledge base's directories, and of the shards.

    Raises:
        IndexBuildError: chunk ids repeat, or vectors do not fit their passages.
    """
    directory = folder / recipe.fingerprint
    if not directory.is_dir():
        (folder / SHARDS).mkdir(parents=True, exist_ok=True)
        with new_directory(directory) as tmp:
            (tmp / SHARDS).symlink_to(f"../{SHARDS}", target_is_directory=True)
            _write(tmp, recipe, shards)
    return directory


def _write(tmp: Path, recipe: Recipe, shards: Mapping[str, Callable[[], ShardParts]]) -> None:
    """Write the shards that are not there, and the manifest."""
    folders = [tmp / SHARDS / name for name in shards]
    records = [_shard(*one, recipe) for one in zip(folders, shards.values(), strict=True)]
    chunks = sum(record.chunks for record in records)
    if chunks >= EXACT_BELOW:
        ids = ids_of(chunk_table(folders))
        ApproximateIndex.build(DenseIndex.load(*folders, ids=ids).vectors(), ids).save(tmp)
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
        dimension=records[0].dimension,
        bm25=recipe.bm25_fingerprint,
        bm25_settings=recipe.bm25,
        chunks=chunks,
        statements=sum(record.statements for record in records),
        documents=sum(record.documents for record in records),
        shards=dict(zip(shards, (record.digest for record in records), strict=True)),
        files={path.name: file_digest(path) for path in sorted(tmp.iterdir()) if path.is_file()},
    )
    write_json(tmp / MANIFEST, manifest.model_dump(mode="json"))


def _shard(folder: Path, make: Callable[[], ShardParts], recipe: Recipe) -> ShardRecord:
    """Return the record of a shard, written now unless it is there."""
    if (record := read_shard(folder)) is not None:
        return record
    parts = make()
    check_vectors(parts.vectors, parts.chunks.num_rows, normalised=recipe.similarity == "cosine")
    return write_shard(folder, parts, recipe.bm25, recipe.concepts)


def copy_knowledge_base(source: Path, target: Path) -> list[str]:
    """Copy a knowledge base with its shards; returns what of the copy is not as it was built."""
    manifest = read_manifest(source)
    (target / SHARDS).mkdir(parents=True)
    for name in (MANIFEST, *manifest.files):
        shutil.copy2(source / name, target / name)
    for name in manifest.shards:
        shutil.copytree(source / SHARDS / name, target / SHARDS / name)
    problems = [
        f"{name} is changed"
        for name, digest in manifest.files.items()
        if file_digest(target / name) != digest
    ]
    for name, digest in manifest.shards.items():
        problems += [f"{name}/{one}" for one in shard_problems(target / SHARDS / name, digest)]
    return problems
