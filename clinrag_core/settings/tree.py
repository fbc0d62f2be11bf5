"""The typed tree of settings: names, defaults, units, limits and descriptions.

Descriptions are what `clinrag config init` and docs/configuration.md print. Sections forbid unknown
keys, so that a misspelt setting is an error.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from clinrag_core.model.source import Topic
from clinrag_core.settings.multistage import ConceptSettings, MultistageSettings
from clinrag_core.settings.paths import data_folder
from clinrag_core.settings.section import SettingsSection, Share, section
from clinrag_core.settings.service import (
    OF_A_CORPUS,
    AuditSettings,
    EnvironmentName,
    ParseLimits,
    ServiceSettings,
    UserDocumentSettings,
)

Similarity = Literal["cosine", "dot"]
Pooling = Literal["cls", "mean"]


class FolderOrName(NamedTuple):
    """Marks a string that names either a local folder or a model of a registry or hub."""


Model = Annotated[str, FolderOrName()]


class AcquireSettings(SettingsSection):
    """Downloads of source documents."""

    user_agent: str = Field(
        "clinrag/0.1 (+https://github.com/clinrag/clinrag)",
        min_length=1,
        description="User-Agent header of every request",
    )
    timeout_s: float = Field(60, gt=0, description="seconds one read or connect may take")
    attempts: int = Field(4, ge=1, description="tries of one request, including the first")
    backoff_s: float = Field(1.0, ge=0, description="seconds before the second try; doubles")
    backoff_max_s: float = Field(60, ge=0, description="seconds, most between two tries")
    host_interval_s: float = Field(0.5, ge=0, description="seconds between requests to a host")
    max_bytes: int = Field(512 * 2**20, gt=0, description="bytes, largest file accepted")
    max_redirects: int = Field(8, ge=0, description="redirects followed for one request")
    dailymed_url: str = Field(
        "https://dailymed.nlm.nih.gov/dailymed/services/v2", description="DailyMed web services"
    )
    openfda_url: str = Field(
        "https://api.fda.gov/drug/label.json", description="openFDA drug label endpoint"
    )


class CorpusSettings(SettingsSection):
    """Which documents become knowledge."""

    manifest: Path = Field(description="corpus.toml, or the folder that holds one")
    topics: tuple[Topic, ...] = Field(
        (), description="guideline topics that are indexed; none: all but 'other'"
    )


class ChunkSettings(SettingsSection):
    """Token windows (seed 000): 240 tokens, 50 of them shared with the window before."""

    max_tokens: int = Field(240, ge=16, description="tokens of one chunk")
    overlap: int = Field(50, ge=0, description="tokens shared with the chunk before")
    title_tokens: int = Field(64, ge=0, description="tokens of the title in embed_text, at most")


class EncoderSettings(SettingsSection):
    """The dense encoder."""

    name: str = Field("minilm", description="registry name; suffix of the knowledge bases' names")
    model: Model | None = Field(None, description="local folder or hub id; unset: by its name")
    pooling: Pooling | None = Field(
        None, description="'mean' or 'cls', only for a model that does not say it itself"
    )
    query_prompt: str | None = Field(None, description="before a query; unset: the model's own")
    passage_prompt: str | None = Field(None, description="before a passage; unset: its own")
    max_tokens: int | None = Field(
        None, ge=16, description="tokens of a passage with specials; unset: the model's own limit"
    )
    similarity: Similarity = Field("cosine", description="'cosine' or 'dot' (own calibration)")
    device: Literal["auto", "cpu", "cuda"] = Field(
        "auto", description="where passages are encoded; queries always run on ONNX, CPU"
    )
    precision: Literal["auto", "fp32", "bf16", "fp16"] = Field(
        "fp32",
        description="of passages; 'auto' is fp16 on a GPU, bf16 on a processor that has it",
    )
    batch_tokens: int | None = Field(
        None, ge=64, description="padded tokens of one batch; unset: by device"
    )


class SparseSettings(SettingsSection):
    """The learned sparse encoder (SPLADE); none unless a profile names one."""

    name: str | None = Field(None, description="registry name: splade, opensearch-doc")
    model: Model | None = Field(None, description="local folder or hub id; unset: by its name")
    inference_free: bool = Field(False, description="encode queries by token weights, idf.json")
    max_tokens: int = Field(256, ge=16, description="tokens of one text, the rest is cut")
    top_terms: int = Field(256, ge=1, description="heaviest terms kept of each text")
    batch_tokens: int = Field(2048, ge=64, description="padded tokens of one batch")


class BM25Settings(SettingsSection):
    """Okapi BM25 with Lucene's idf."""

    k1: float = Field(1.5, gt=0, description="term frequency saturation")
    b: Share = Field(0.75, description="length normalisation, 0 to 1")


class VectorStoreSettings(SettingsSection):
    """The vector database: FAISS files in the release, or a server."""

    kind: Literal["faiss", "qdrant", "pgvector", "weaviate", "pinecone"] = Field(
        "faiss", description="'faiss', 'qdrant', 'pgvector', 'weaviate' or 'pinecone'"
    )
    url: str | None = Field(
        None, description="address of the server; unset: Qdrant in this process, in memory"
    )
    namespace: str = Field(
        "Clinrag",
        pattern=r"^[A-Z][A-Za-z0-9]{0,19}$",
        description="begins the names of its collections: one for each home that shares a server",
    )
    api_key_env: EnvironmentName = Field(
        "QDRANT_API_KEY", description="name of the environment variable that holds the key"
    )
    timeout_s: float = Field(10, gt=0, description="seconds one request may take")
    attempts: int = Field(4, ge=1, description="tries of one request, including the first")
    backoff_s: float = Field(0.5, ge=0, description="seconds before the second try; doubles")


class FusionWeights(SettingsSection):
    """Weight of each retriever in weighted fusion (seed 002)."""

    bm25: float = Field(ge=0, description="weight of BM25")
    splade: float = Field(ge=0, description="weight of SPLADE")
    dense: float = Field(ge=0, description="weight of the dense retriever")


class QueryTypeWeights(SettingsSection):
    """Fusion weights of each query type (seed 002)."""

    keyword: FusionWeights = FusionWeights(bm25=0.5, splade=0.3, dense=0.2)
    question: FusionWeights = FusionWeights(bm25=0.3, splade=0.4, dense=0.3)
    paraphrase: FusionWeights = FusionWeights(bm25=0.2, splade=0.3, dense=0.5)
    tabular: FusionWeights = FusionWeights(bm25=0.4, splade=0.3, dense=0.3)


class Timeouts(SettingsSection):
    """Time limits when the service runs retrievers concurrently (seed 002)."""

    bm25: float = Field(300, gt=0, description="milliseconds")
    splade: float = Field(300, gt=0, description="milliseconds")
    dense: float = Field(300, gt=0, description="milliseconds")
    reranker: float = Field(200, gt=0, description="milliseconds")


class RetrievalSettings(SettingsSection):
    """How passages are retrieved, fused and reranked."""

    candidates: int = Field(100, ge=1, description="hits each retriever contributes")
    rrf_k: int = Field(60, ge=0, description="rank constant of reciprocal rank fusion")
    boost: bool = Field(False, description="boost the sections and tables a query asks for")
    section_alpha: Share = Field(0.12, description="added to the cosine of a section asked for")
    weights: QueryTypeWeights = section(QueryTypeWeights)
    timeouts_ms: Timeouts = section(Timeouts)
    workers: int = Field(4, ge=1, description="threads of each retriever")
    reranker: Model | None = Field(
        None, description="cross-encoder: registry name, local folder or hub id; unset: none"
    )
    reranker_requires_gpu: bool = Field(False, description="refuse to rerank on a CPU")
    rerank_candidates: int = Field(100, ge=1, description="best hits that are scored again")
    cache_mb: float = Field(64, ge=0, description="MiB of cached results, and of query vectors")
    cache_ttl_s: float = Field(3600, gt=0, description="seconds a result stays cached")


class GeneratorSettings(SettingsSection):
    """What drafts an answer; every draft goes through the same gates."""

    kind: Literal["extractive", "openai", "transformers"] = Field(
        "extractive", description="'extractive', 'openai' (compatible server) or 'transformers'"
    )
    url: str | None = Field(None, description="address of the server, with /v1")
    model: Model | None = Field(
        None, description="model name on the server, or a local folder or hub id"
    )
    api_key_env: EnvironmentName = Field(
        "CLINRAG_GENERATOR_KEY", description="name of the environment variable that holds the key"
    )
    timeout_s: float = Field(60, gt=0, description="seconds one draft may take")
    attempts: int = Field(3, ge=1, description="tries of one request, including the first")
    max_tokens: int = Field(1024, ge=16, description="tokens of one draft")


class AnswerSettings(SettingsSection):
    """How an answer is made, and when there is none."""

    sentences: int = Field(4, ge=1, description="claims of an answer, at most")
    search_depth: int = Field(40, ge=1, le=100, description="passages that constraints filter")
    evidence: int = Field(10, ge=1, description="best passages that the confidence is read from")
    abstain_below: Share = Field(
        0.65, description="least confidence where a configuration has no calibrated threshold"
    )
    alpha: float = Field(
        0.025, gt=0, lt=1, description="expected share of questions to refuse that are answered"
    )
    overlap: Share = Field(0.25, description="least token overlap of a claim and what it cites")
    entailment_model: Model | None = Field(None, description="folder or hub id; unset: no gate")
    entailment_threshold: Share = Field(0.5, description="least probability of entailment")
    generator: GeneratorSettings = section(GeneratorSettings)


class NoteSettings(SettingsSection):
    """Clinical notes: what summarises them, and where they may be sent."""

    generator: GeneratorSettings = section(GeneratorSettings)
    allow_external: bool = Field(
        False, description="send notes, without names, dates and places, off this machine"
    )
    name_model: str | None = Field(
        None, description="spaCy model that finds names before a note is sent; unset: rules only"
    )
    infer_sections: bool = Field(
        False, description="ask the openai generator for the sections of a note without headings"
    )
    max_characters: int = Field(100_000, ge=1, description="characters of one note")
    folder: Path | None = Field(None, description="folder of notes to evaluate; unset: none")


class AcceptanceSettings(SettingsSection):
    """What an evaluation needs to be compared with the accepted baseline, and limits of answers."""

    minimum_questions: int = Field(
        25, ge=2, description="paired questions of a metric; one decides 4 % at most"
    )
    lost_share: Share = Field(
        0.03, description="share of the baseline's questions that may become unjudgeable"
    )
    traps_said: int = Field(
        0, ge=0, description="most traps that answers to the test questions may say"
    )
    absent_refused: Share = Field(
        0.85, description="least share refused of test questions that the corpus cannot answer"
    )


class ReleaseSettings(SettingsSection):
    """What the engine serves."""

    keep: int = Field(5, ge=2, description="releases kept, including the current one")


class ExecutorSettings(SettingsSection):
    """Where documents are parsed, chunked and encoded, and where Dagster runs a step."""

    kind: Literal["local", "ray"] = Field(
        "local", description="'local': cores of this machine; 'ray': tasks of Ray (clinrag[ray])"
    )
    address: str = Field(
        "local", description="of the Ray cluster; 'local' starts workers on this machine"
    )
    workers: int | None = Field(
        None,
        ge=1,
        description="workers of Ray that 'local' starts, or the most children without Ray; unset: "
        "one worker for each processor, one child for each physical core",
    )
    steps: Literal["in_process", "docker", "k8s", "ray"] = Field(
        "in_process", description="where each step of a Dagster run runs; not of `make run`"
    )
    steps_file: Path | None = Field(
        None, description="TOML with the configuration of that executor (deploy/executors)"
    )


class Settings(SettingsSection):
    """A profile: everything a person may choose. `load_settings` reads files and environment."""

    profile: str = Field(description="name in reports; unset: the file's name")
    home: Path = Field(description="folder of everything that is built; unset: .clinrag")
    benchmark: Path = Field(
        default_factory=lambda: data_folder() / "benchmark",
        description="folder of the questions; unset: the shipped one",
    )
    external_benchmarks: Path | None = Field(None, description="folder of BEIR folders")
    corpus: CorpusSettings
    executor: ExecutorSettings = section(ExecutorSettings)
    acquire: AcquireSettings = section(AcquireSettings)
    parse: ParseLimits = OF_A_CORPUS
    chunk: ChunkSettings = section(ChunkSettings)
    encoder: EncoderSettings = section(EncoderSettings)
    sparse: SparseSettings = section(SparseSettings)
    bm25: BM25Settings = section(BM25Settings)
    retrieval: RetrievalSettings = section(RetrievalSettings)
    concepts: ConceptSettings = section(ConceptSettings)
    multistage: MultistageSettings = section(MultistageSettings)
    answer: AnswerSettings = section(AnswerSettings)
    vector_store: VectorStoreSettings = section(VectorStoreSettings)
    user_documents: UserDocumentSettings = section(UserDocumentSettings)
    notes: NoteSettings = section(NoteSettings)
    service: ServiceSettings = section(ServiceSettings)
    audit: AuditSettings = section(AuditSettings)
    acceptance: AcceptanceSettings = section(AcceptanceSettings)
    release: ReleaseSettings = section(ReleaseSettings)
