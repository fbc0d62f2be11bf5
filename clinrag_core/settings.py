"""One typed tree of settings; a profile is a TOML file of it under `data/profiles`.

Precedence: environment (`CLINRAG_HOME`, `CLINRAG_CORPUS`), then the profile, then the defaults
here. Nothing falls back from one profile to another.
"""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from clinrag_core.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Mapping

DEFAULT_PROFILE = "sample"
Similarity = Literal["cosine", "dot"]
Unit = Annotated[float, Field(ge=0, le=1)]


class _Settings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class AcquireSettings(_Settings):
    """How bytes are fetched from outside."""

    user_agent: str = Field("clinrag/0.1 (+https://github.com/clinrag/clinrag)", min_length=1)
    timeout_s: float = Field(60, gt=0, description="of one read or connect")
    attempts: int = Field(4, ge=1, description="tries of one request, first one included")
    backoff_s: float = Field(1.0, ge=0, description="wait before the second try; doubles")
    backoff_max_s: float = Field(60, ge=0)
    host_interval_s: float = Field(0.5, ge=0, description="least time between requests to a host")
    max_bytes: int = Field(512 * 2**20, gt=0, description="largest file accepted")
    max_redirects: int = Field(8, ge=0)
    dailymed_url: str = "https://dailymed.nlm.nih.gov/dailymed/services/v2"
    openfda_url: str = "https://api.fda.gov/drug/label.json"


class CorpusSettings(_Settings):
    """Which documents become knowledge."""

    manifest: Path = Field(description="corpus.toml or its folder; relative to the data folder")
    topics: tuple[str, ...] = Field(("tb", "cap"), description="guideline topics admitted")


class ChunkSettings(_Settings):
    """Token windows (seed 000): 240 tokens, 50 of them shared with the window before."""

    max_tokens: int = Field(240, ge=16)
    overlap: int = Field(50, ge=0)
    title_tokens: int = Field(64, ge=0, description="most tokens of the title in embed_text")


class EncoderSettings(_Settings):
    """The dense encoder."""

    name: str = Field("minilm", description="registry name, the knowledge bases' suffix")
    model: str | None = Field(None, description="local folder or hub id; default of the name else")
    max_tokens: int | None = Field(None, ge=16, description="of a passage, specials included")
    similarity: Similarity = "cosine"
    runtime: Literal["onnx", "torch"] = Field("onnx", description="query encoding at run time")
    device: Literal["auto", "cpu", "cuda"] = "auto"
    batch_tokens: int = Field(2048, ge=64, description="padded tokens of one bulk batch")


class SparseSettings(_Settings):
    """The learned sparse encoder (SPLADE); none unless a profile names one."""

    name: str | None = Field(None, description="registry name: splade, opensearch-doc")
    model: str | None = Field(None, description="local folder in place of the registry's")
    inference_free: bool = Field(False, description="questions by the model's token weights")
    max_tokens: int = Field(256, ge=16)
    top_terms: int = Field(256, ge=1, description="terms kept of each text")
    batch_tokens: int = Field(2048, ge=64)


class BM25Settings(_Settings):
    """Okapi BM25 with Lucene's idf."""

    k1: float = Field(1.5, gt=0)
    b: Unit = 0.75


class VectorStoreSettings(_Settings):
    """Where vectors are held beside the knowledge bases' own FAISS indexes."""

    kind: Literal["faiss", "qdrant"] = "faiss"
    url: str | None = Field(None, description="of the server; in this process where null")
    api_key_env: str = Field("QDRANT_API_KEY", description="environment variable with the key")
    timeout_s: float = Field(10, gt=0)
    attempts: int = Field(4, ge=1)
    backoff_s: float = Field(0.5, ge=0, description="wait before the second try; doubles")


class RetrievalSettings(_Settings):
    """How hits are found and fused."""

    candidates: int = Field(100, ge=1, description="hits each component contributes")
    rrf_k: int = Field(60, ge=0)
    top_k: int = Field(10, ge=1)
    boost: bool = Field(False, description="boost the sections and tables a question asks for")
    section_alpha: Unit = Field(0.12, description="added to the cosine of a section asked for")
    weights: dict[str, dict[str, float]] = Field(
        default_factory=lambda: {
            "keyword": {"bm25": 0.5, "splade": 0.3, "dense": 0.2},
            "question": {"bm25": 0.3, "splade": 0.4, "dense": 0.3},
            "paraphrase": {"bm25": 0.2, "splade": 0.3, "dense": 0.5},
            "tabular": {"bm25": 0.4, "splade": 0.3, "dense": 0.3},
        },
        description="of weighted fusion, by query type",
    )
    timeouts_ms: dict[str, float] = Field(
        default_factory=lambda: {"bm25": 300.0, "splade": 300.0, "dense": 300.0, "reranker": 200.0},
        description="of each component when the service runs them side by side",
    )
    workers: int = Field(4, ge=1, description="threads of each component")
    reranker: str | None = Field(None, description="cross-encoder by registry name")
    reranker_requires_gpu: bool = False
    rerank_candidates: int = Field(100, ge=1)
    cache_mb: float = Field(64, ge=0, description="of whole results and of query vectors, each")
    cache_ttl_s: float = Field(3600, gt=0)


class GeneratorSettings(_Settings):
    """What drafts an answer; every draft goes through the same gates."""

    kind: Literal["extractive", "openai", "transformers"] = "extractive"
    url: str | None = Field(None, description="of an OpenAI-compatible server, with /v1")
    model: str | None = Field(None, description="its name there, or a local folder")
    api_key_env: str = Field("CLINRAG_GENERATOR_KEY", description="environment variable")
    timeout_s: float = Field(60, gt=0)
    attempts: int = Field(3, ge=1)
    max_tokens: int = Field(1024, ge=16)


class AnswerSettings(_Settings):
    """How an answer is made, and when there is none."""

    sentences: int = Field(3, ge=1, description="most claims of an answer")
    search_depth: int = Field(40, ge=1, le=100, description="passages constraints choose from")
    evidence: int = Field(5, ge=1, description="passages an answer is made from")
    section_alpha: Unit = Field(
        0.12, description="added to the fit of a passage whose section is asked for"
    )
    abstain_below: Unit = Field(
        0.65, description="least confidence where a configuration has no calibrated threshold"
    )
    alpha: float = Field(
        0.025, gt=0, lt=1, description="expected share of questions to refuse that are answered"
    )
    overlap: Unit = Field(0.25, description="least token overlap of a claim and what it cites")
    entailment_model: str | None = Field(None, description="folder or hub id; no such gate if null")
    entailment_threshold: Unit = 0.5
    generator: GeneratorSettings = GeneratorSettings()  # pyright: ignore[reportCallIssue]


class UserDocumentSettings(_Settings):
    """Limits of the documents a user may give."""

    max_bytes: int = Field(20 * 2**20, gt=0, description="of one document")
    max_documents: int = Field(200, ge=1, description="of one tenant")
    max_chunks: int = Field(20_000, ge=1, description="of one tenant")


class ServiceSettings(_Settings):
    """Limits of the search service."""

    max_body_bytes: int = Field(64 * 2**10, gt=0)
    requests_per_minute: int = Field(600, ge=0, description="of one tenant or address; 0: no limit")
    reload_s: float = Field(5.0, gt=0, description="how often a newer release is looked for")
    shutdown_s: int = Field(20, ge=0, description="what running requests get at the end")


class AcceptanceSettings(_Settings):
    """What an evaluation needs before a candidate may be compared with the accepted baseline."""

    minimum_questions: int = Field(
        25, ge=2, description="paired questions of a metric; one decides 4 % at most"
    )
    lost_share: Unit = Field(
        0.03, description="share of the baseline's questions that may become unjudgeable"
    )


class ReleaseSettings(_Settings):
    """What the engine serves."""

    keep: int = Field(5, ge=2, description="releases kept, the current one included")


class Settings(_Settings):
    """A profile."""

    profile: str
    home: Path = Field(description="$CLINRAG_HOME")
    corpus: CorpusSettings
    benchmark: Path = Field(Path("benchmark"), description="relative to the data folder")
    external_benchmarks: Path | None = Field(None, description="$CLINRAG_BENCH: BEIR folders")
    acquire: AcquireSettings = AcquireSettings()  # pyright: ignore[reportCallIssue]
    chunk: ChunkSettings = ChunkSettings()  # pyright: ignore[reportCallIssue]
    encoder: EncoderSettings = EncoderSettings()  # pyright: ignore[reportCallIssue]
    sparse: SparseSettings = SparseSettings()  # pyright: ignore[reportCallIssue]
    bm25: BM25Settings = BM25Settings()  # pyright: ignore[reportCallIssue]
    retrieval: RetrievalSettings = RetrievalSettings()  # pyright: ignore[reportCallIssue]
    answer: AnswerSettings = AnswerSettings()  # pyright: ignore[reportCallIssue]
    vector_store: VectorStoreSettings = VectorStoreSettings()  # pyright: ignore[reportCallIssue]
    user_documents: UserDocumentSettings = UserDocumentSettings()  # pyright: ignore[reportCallIssue]
    service: ServiceSettings = ServiceSettings()  # pyright: ignore[reportCallIssue]
    acceptance: AcceptanceSettings = AcceptanceSettings()  # pyright: ignore[reportCallIssue]
    release: ReleaseSettings = ReleaseSettings()  # pyright: ignore[reportCallIssue]


def data_folder() -> Path:
    """The data the project ships: beside the packages in a checkout, inside them in a wheel.

    Raises:
        ConfigurationError: neither is there.
    """
    here = Path(__file__).resolve().parent
    for folder in (here.parent / "data", here / "_data"):
        if (folder / "profiles").is_dir():
            return folder
    raise ConfigurationError(f"no data folder beside or inside {here}: reinstall clinrag")


def profile_names() -> tuple[str, ...]:
    """Names of the shipped profiles."""
    return tuple(sorted(p.stem for p in (data_folder() / "profiles").glob("*.toml")))


def load_settings(profile: str | None = None, environ: Mapping[str, str] | None = None) -> Settings:
    """Read a profile.

    Args:
        profile: its name; `$CLINRAG_PROFILE`, else `sample`, where None.
        environ: the process environment where None.

    Raises:
        ConfigurationError: unknown profile, malformed file, unknown or wrong setting.
    """
    environ = os.environ if environ is None else environ
    name = profile or environ.get("CLINRAG_PROFILE") or DEFAULT_PROFILE
    if name not in profile_names():
        raise ConfigurationError(
            f"unknown profile {name!r}; there are: {', '.join(profile_names())}"
        )
    path = data_folder() / "profiles" / f"{name}.toml"
    try:
        tree = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{path}: {error}") from error
    corpus = dict(tree.get("corpus") or {})
    if chosen := environ.get("CLINRAG_CORPUS"):
        corpus["manifest"] = Path(chosen).absolute()
    elif "manifest" not in corpus:
        raise ConfigurationError(
            f"profile {name!r} reads any folder with a corpus.toml: name it, e.g. "
            "`make run CORPUS=path/to/folder` or CLINRAG_CORPUS=path/to/folder"
        )
    else:
        corpus["manifest"] = data_folder() / str(corpus["manifest"])
    home = Path(environ.get("CLINRAG_HOME") or ".clinrag").absolute()
    tree |= {"profile": name, "home": home, "corpus": corpus}
    if bench := environ.get("CLINRAG_BENCH"):
        tree["external_benchmarks"] = Path(bench).absolute()
    tree.setdefault("benchmark", "benchmark")
    tree["benchmark"] = data_folder() / str(tree["benchmark"])
    try:
        return Settings.model_validate(tree)
    except ValidationError as error:
        raise ConfigurationError(f"{path}: {error}") from error
