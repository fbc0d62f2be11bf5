"""What every stage is given: the settings, the manifest, the models and the stored outputs.

Holds no stage and computes no output. Models, tokenizer and manifest are loaded on first use.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from clinrag_core.acquire.acquire import Acquirer
from clinrag_core.acquire.http import HttpClient
from clinrag_core.acquire.manifest import Manifest, load_manifest, manifest_file
from clinrag_core.acquire.records import Acquired, AcquireFailure
from clinrag_core.acquire.sources import as_acquired
from clinrag_core.acquire.store import FileStore
from clinrag_core.answer.thresholds import Calibration
from clinrag_core.encode.chunk_encoder import ChunkEncoder
from clinrag_core.encode.vector_cache import VectorCache
from clinrag_core.errors import ClinragError
from clinrag_core.evaluate.benchmark import Benchmark
from clinrag_core.evaluate.evaluation import BenchmarkAnswers, RetrievalRuns
from clinrag_core.evaluate.parse_audit.report import ParseAudit
from clinrag_core.evaluate.report import EvaluationReport
from clinrag_core.index.knowledge_base import KnowledgeBaseManifest, knowledge_base_name
from clinrag_core.index.scope_record import ReleaseScope
from clinrag_core.pipeline.corpus import Corpus
from clinrag_core.pipeline.embeddings import Embeddings
from clinrag_core.pipeline.executor import open_executor
from clinrag_core.pipeline.ledger import FOLDER, PartitionLedger
from clinrag_core.pipeline.outputs import Output
from clinrag_core.pipeline.partition import Partition, files_digest
from clinrag_core.workspace import Workspace, fingerprint

if TYPE_CHECKING:
    from pathlib import Path
    from typing import TypeVar

    from clinrag_core.model.source import DocumentKind
    from clinrag_core.pipeline.executor import Executor
    from clinrag_core.settings import Settings

    T = TypeVar("T")


class Pipeline:
    """The settings of a profile, with its manifest, models and stored outputs."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.workspace = Workspace(settings.home)
        self.models = ChunkEncoder(settings)
        self.benchmark = self._output("benchmark", Benchmark)
        self.retrieval_runs = self._output("retrieval_runs", RetrievalRuns)
        self.thresholds = self._output("thresholds", Calibration)
        self.benchmark_answers = self._output("benchmark_answers", BenchmarkAnswers)
        self.parse_audit = self._output("parse_audit", ParseAudit)
        self.scope = self._output("scope", ReleaseScope)
        self._ledgers: dict[DocumentKind, PartitionLedger] = {}

    def _output(self, stage: str, schema: type[T]) -> Output[T]:
        return Output(self.workspace.home, stage, schema)

    def corpus(self, kind: DocumentKind) -> Output[Corpus]:
        """Stored by `make_corpus`."""
        return self._output(f"{self.knowledge_base_name(kind)}_corpus", Corpus)

    def corpus_folder(self, kind: DocumentKind) -> Path:
        """Folder with the entries of each shard of a corpus."""
        return self.corpus(kind).path.with_suffix("")

    def ledger(self, kind: DocumentKind) -> PartitionLedger:
        """What is known of the partitions of a kind; read once for each pipeline."""
        if kind not in self._ledgers:
            self._ledgers[kind] = PartitionLedger(self, kind)
        return self._ledgers[kind]

    def embeddings(self, kind: DocumentKind) -> Output[Embeddings]:
        """Stored by `make_embeddings`."""
        return self._output(f"{self.knowledge_base_name(kind)}_embeddings", Embeddings)

    def candidate(self, kind: DocumentKind) -> Output[KnowledgeBaseManifest]:
        """Stored by `make_candidate`."""
        return self._output(f"{self.knowledge_base_name(kind)}_candidate", KnowledgeBaseManifest)

    def report(self, name: str) -> Output[EvaluationReport]:
        """A report, stored by the stage of that name."""
        return self._output(name, EvaluationReport)

    @cached_property
    def executor(self) -> Executor:
        """Where documents are parsed, chunked and encoded."""
        return open_executor(self)

    @cached_property
    def vectors(self) -> VectorCache:
        """The vector cache of the encoder."""
        folder = self.workspace.vectors / self.models.encoder_fingerprint
        return VectorCache(folder, self.models.dimension)

    @cached_property
    def manifest(self) -> Manifest:
        """The corpus manifest of the profile."""
        path = self.settings.corpus.manifest
        name = f"manifest-{fingerprint(str(manifest_file(path).absolute()))}.bin"
        return load_manifest(path, self.workspace.cache / FOLDER / name)

    def keys(self, kind: DocumentKind) -> list[str]:
        """Partition keys of the manifest, sorted."""
        return list(self.ledger(kind).keys)

    def knowledge_base_name(self, kind: DocumentKind) -> str:
        """Name of the knowledge base of a kind of document."""
        return knowledge_base_name(kind, self.settings.encoder.name)

    def partition(self, kind: DocumentKind, key: str) -> Partition:
        """One partition."""
        return Partition(self.workspace, kind, key, self._corpus_name(kind), self.settings.parse)

    def _corpus_name(self, kind: DocumentKind) -> str:
        """Name of the corpus, without its manifest where that is unchanged."""
        return self.ledger(kind).corpus_name or self.manifest.name

    @cached_property
    def _acquirer(self) -> Acquirer:
        """Acquires entries that may need the network."""
        settings = self.settings.acquire
        http = HttpClient(settings, self.workspace.cache / "http")
        return Acquirer(self.manifest, self.workspace, settings, http)

    @cached_property
    def _folder_acquirer(self) -> Acquirer:
        """Acquires files of the corpus folder, for which nothing else of the manifest is needed."""
        root = manifest_file(self.settings.corpus.manifest).absolute().parent
        manifest = Manifest(name=root.name or "corpus", root=root)
        return Acquirer(manifest, self.workspace, self.settings.acquire)

    def acquire(self, kind: DocumentKind, key: str) -> Acquired:
        """The files of a partition; what cannot be acquired is among its failures."""
        entries = self.ledger(kind).entries(key)
        live = any(entry.path is None for entry in entries)
        acquirer = self._acquirer if live else self._folder_acquirer
        if kind == "label":
            return acquirer.files(entries)
        (entry,) = entries
        try:
            return Acquired((acquirer.acquire(entry),), ())
        except ClinragError as error:
            return Acquired(
                (), (AcquireFailure(f"guideline {key} ({entry.path or entry.url})", error),)
            )

    def stale(self, kind: DocumentKind) -> list[str]:
        """Partitions some stage of which must run.

        Files in the corpus folder are compared by content. Files behind an address are requested by
        the stage itself, so their partitions are always among these.
        """
        return self.ledger(kind).stale()

    def is_fresh(self, kind: DocumentKind, key: str) -> bool:
        """True if no stage of a partition has anything to do."""
        entries = self.ledger(kind).entries(key)
        if any(entry.path is None for entry in entries):
            return False
        partition = self.partition(kind, key)
        acquired = partition.acquired()
        if acquired is None:
            return False
        store = FileStore(self.workspace.files)
        chunker = self.models.chunker_fingerprint
        root = manifest_file(self.settings.corpus.manifest).absolute().parent
        if as_acquired(root, entries, acquired.sources, store):
            return partition.is_fresh(None, chunker)
        digest = files_digest(file.source for file in self.acquire(kind, key).files)
        return partition.is_fresh(digest, chunker)
