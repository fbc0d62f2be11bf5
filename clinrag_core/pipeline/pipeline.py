"""The stages of a profile in one place: what Dagster assets, the CLI and tests all call."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from clinrag_core.acquire.acquire import Acquirer
from clinrag_core.acquire.http import HttpClient
from clinrag_core.acquire.manifest import load_manifest
from clinrag_core.acquire.records import Acquired, AcquireFailure
from clinrag_core.acquire.sources import as_acquired
from clinrag_core.acquire.store import FileStore
from clinrag_core.chunk.chunker import Chunker, chunker_fingerprint
from clinrag_core.chunk.verify import chunk_problems
from clinrag_core.encode.embed import Embedded, embed_passages
from clinrag_core.encode.onnx_query import export_query_encoder
from clinrag_core.encode.protocol import Passage
from clinrag_core.encode.registry import encoder_spec, model_folder
from clinrag_core.encode.splade import SpladeEncoder
from clinrag_core.encode.tokenizer import TokenCounter, load_tokenizer, tokenizer_sha256
from clinrag_core.encode.torch_encoder import load_encoder
from clinrag_core.encode.vector_cache import VectorCache, passage_key
from clinrag_core.encode.weights import encoder_fingerprint, model_dimension
from clinrag_core.errors import ClinragError, IndexBuildError
from clinrag_core.index.chunk_table import to_chunk
from clinrag_core.index.dense import check_vectors
from clinrag_core.index.knowledge_base import (
    KnowledgeBase,
    Recipe,
    build_knowledge_base,
    knowledge_base_name,
)
from clinrag_core.index.sparse import SparseIndex
from clinrag_core.pipeline.corpus import Corpus, corpus_shares, corpus_table, gather_corpus
from clinrag_core.pipeline.partition import Partition, files_digest
from clinrag_core.pipeline.term_counts import corpus_counts
from clinrag_core.workspace import Workspace, write_atomic

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pyarrow as pa

    from clinrag_core.acquire.manifest import Manifest
    from clinrag_core.encode.registry import EncoderSpec
    from clinrag_core.encode.torch_encoder import TorchEncoder
    from clinrag_core.model.source import DocumentKind
    from clinrag_core.settings import Settings

KINDS: tuple[DocumentKind, ...] = ("guideline", "label")


class Pipeline:
    """A profile, ready to be built stage by stage.

    Nothing heavy happens at construction; the manifest, the tokenizer and the model are loaded on
    first use, each once.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.workspace = Workspace(settings.home)

    @cached_property
    def manifest(self) -> Manifest:
        """The corpus manifest of the profile."""
        return load_manifest(self.settings.corpus.manifest)

    def keys(self, kind: DocumentKind) -> list[str]:
        """Partition keys of the manifest, sorted."""
        if kind == "guideline":
            return sorted(entry.id for entry in self.manifest.guidelines)
        return list(self.manifest.drugs)

    def partition(self, kind: DocumentKind, key: str) -> Partition:
        """One partition."""
        return Partition(self.workspace, kind, key)

    @cached_property
    def chunker(self) -> Chunker:
        """The chunker, counting with the encoder's own tokenizer."""
        return Chunker(self.settings.chunk, self._counter, self._capacity)

    @cached_property
    def chunker_fingerprint(self) -> str:
        """Fingerprint of everything that decides where chunks are cut."""
        tokenizer = tokenizer_sha256(self._passage_folder)
        return chunker_fingerprint(self.settings.chunk, self._capacity, tokenizer)

    @cached_property
    def encoder_fingerprint(self) -> str:
        """Fingerprint of the encoder, without loading it."""
        return encoder_fingerprint(self._spec, self.settings.encoder.similarity)

    @cached_property
    def encoder(self) -> TorchEncoder:
        """The dense encoder, loaded."""
        return load_encoder(self.settings.encoder)

    @cached_property
    def sparse_encoder(self) -> SpladeEncoder:
        """The learned sparse encoder of the profile, loaded."""
        return SpladeEncoder(self.settings.sparse)

    def _sparse_index(self, table: pa.Table) -> SparseIndex:
        encoder = self.sparse_encoder
        vectors = encoder.encode_documents(_passages(table))
        ids = table.column("id").to_pylist()
        return SparseIndex.build(vectors, ids, encoder.vocabulary_size, encoder.fingerprint)

    @cached_property
    def _acquirer(self) -> Acquirer:
        entries = (*self.manifest.guidelines, *self.manifest.labels)
        settings = self.settings.acquire
        live = any(entry.path is None for entry in entries)
        http = HttpClient(settings, self.workspace.cache / "http") if live else None
        return Acquirer(self.manifest, self.workspace, settings, http)

    def acquire(self, kind: DocumentKind, key: str) -> Acquired:
        """The files of a partition; what cannot be had is among its failures."""
        if kind == "label":
            return self._acquirer.drug(key)
        entry = self.manifest.guideline(key)
        try:
            return Acquired((self._acquirer.guideline(entry),), ())
        except ClinragError as error:
            return Acquired(
                (), (AcquireFailure(f"guideline {key} ({entry.path or entry.url})", error),)
            )

    def stale(self, kind: DocumentKind) -> list[str]:
        """Partitions some stage of which must run.

        Files in the corpus folder are looked at; files behind an address are asked for by the
        stage itself, so their partitions are always among these.
        """
        return [key for key in self.keys(kind) if not self._is_fresh(kind, key)]

    def _is_fresh(self, kind: DocumentKind, key: str) -> bool:
        entries = (
            (self.manifest.guideline(key),) if kind == "guideline" else self.manifest.drugs[key]
        )
        if any(entry.path is None for entry in entries):
            return False
        partition = self.partition(kind, key)
        acquired = partition.acquired()
        if acquired is None:
            return False
        store = FileStore(self.workspace.files)
        if as_acquired(self.manifest.root, entries, acquired.sources, store):
            return partition.is_fresh(None, self.chunker_fingerprint)
        digest = files_digest(file.source for file in self.acquire(kind, key).files)
        return partition.is_fresh(digest, self.chunker_fingerprint)

    def chunk_problems(self, partition: Partition) -> list[str]:
        """What is wrong with a partition's chunks; empty where all invariants hold."""
        parsed = partition.parsed()
        chunks = [to_chunk(row) for row in partition.chunks().to_pylist()]
        return chunk_problems(parsed.documents if parsed else (), chunks, self._capacity)

    def knowledge_base_name(self, kind: DocumentKind) -> str:
        """Name of the knowledge base of a kind of document."""
        return knowledge_base_name(kind, self.settings.encoder.name)

    def corpus(self, kind: DocumentKind) -> Corpus:
        """The partitions of a knowledge base as they are now."""
        keys = self.keys(kind)
        return gather_corpus(self.workspace, kind, keys, self.settings.corpus.topics)

    def embed(
        self, kind: DocumentKind, on_progress: Callable[[int, int], None] | None = None
    ) -> Embedded:
        """Put the vectors of a corpus into the cache; only what is missing is encoded."""
        corpus = self.corpus(kind)
        if self._built(kind, corpus) is not None:
            embedded = Embedded(0, corpus.chunks, 0)
        else:
            table = corpus_table(corpus_shares(self.workspace, kind, corpus))
            embedded = embed_passages(
                _passages(table), self._cache, lambda: self.encoder, on_progress
            )
        if not (self.workspace.models / self.encoder_fingerprint).is_dir():
            export_query_encoder(self.encoder, self.workspace.models)
        return embedded

    def vector_problem(self, kind: DocumentKind) -> str | None:
        """What is wrong with the vectors of a corpus; None where they are sound.

        Looked at in the candidate if it is built, else in the cache.
        """
        corpus = self.corpus(kind)
        normalised = self.settings.encoder.similarity == "cosine"
        built = self._built(kind, corpus)
        try:
            if built is not None:
                base = KnowledgeBase(built)
                check_vectors(base.dense.vectors(), base.manifest.chunks, normalised=normalised)
            else:
                table = corpus_table(corpus_shares(self.workspace, kind, corpus))
                vectors = self._cache.get([passage_key(p) for p in _passages(table)])
                check_vectors(vectors, table.num_rows, normalised=normalised)
        except KeyError:
            return "a passage has no vector"
        except IndexBuildError as error:
            return str(error)
        return None

    def _built(self, kind: DocumentKind, corpus: Corpus) -> Path | None:
        """Directory of the knowledge base of a corpus as it is now; None before it was built."""
        recipe = self.recipe(kind, corpus)
        directory = self.workspace.knowledge_bases / recipe.name / recipe.fingerprint
        return directory if directory.is_dir() else None

    def recipe(self, kind: DocumentKind, corpus: Corpus) -> Recipe:
        """What the knowledge base of a corpus would be built from now."""
        return Recipe(
            kind=kind,
            encoder_name=self.settings.encoder.name,
            encoder=self.encoder_fingerprint,
            similarity=self.settings.encoder.similarity,
            chunker=self.chunker_fingerprint,
            corpus_digest=corpus.digest,
            bm25=self.settings.bm25,
            sparse=self.sparse_encoder.fingerprint if self.settings.sparse.name else None,
        )

    def candidate(self, kind: DocumentKind) -> Path:
        """Build the candidate knowledge base unless it exists; its vectors must be cached.

        The record `knowledge_bases/<name>/candidate` names the newest one.
        """
        corpus = self.corpus(kind)
        recipe = self.recipe(kind, corpus)
        folder = self.workspace.knowledge_bases / recipe.name
        directory = folder / recipe.fingerprint
        if not directory.is_dir():
            shares = corpus_shares(self.workspace, kind, corpus)
            table = corpus_table(shares)
            keys = [passage_key(p) for p in _passages(table)]
            vectors = self._cache.get(keys)
            sparse = (lambda: self._sparse_index(table)) if recipe.sparse is not None else None
            counts = corpus_counts(shares, keys)
            build_knowledge_base(recipe, table, vectors, folder, sparse, counts=counts)
        write_atomic(folder / "candidate", recipe.fingerprint.encode())
        return directory

    def current_candidate(self, kind: DocumentKind) -> Path | None:
        """Directory of the newest candidate; None before one was built."""
        folder = self.workspace.knowledge_bases / self.knowledge_base_name(kind)
        pointer = folder / "candidate"
        return folder / pointer.read_text() if pointer.is_file() else None

    @cached_property
    def _spec(self) -> EncoderSpec:
        return encoder_spec(self.settings.encoder)

    @property
    def _passage_folder(self) -> Path:
        return model_folder(self._spec.passage_model, self._spec.package)

    @cached_property
    def _counter(self) -> TokenCounter:
        return TokenCounter(load_tokenizer(self._passage_folder))

    @property
    def _capacity(self) -> int:
        prompt = self._counter.count([self._spec.passage_prompt])[0]
        return self._spec.max_tokens - prompt - self._counter.special_tokens(pair=self._spec.pair)

    @cached_property
    def _cache(self) -> VectorCache:
        folder = self.workspace.vectors / self.encoder_fingerprint
        return VectorCache(folder, model_dimension(self._passage_folder))


def _passages(table: pa.Table) -> list[Passage]:
    titles, texts = table.column("embed_title").to_pylist(), table.column("embed_text").to_pylist()
    return [Passage(title, text) for title, text in zip(titles, texts, strict=True)]
