"""What is asked of the engine and what it answers; the search API's models as well.

A request is complete in itself: the same request to the same release gives the same answer.
"""

from __future__ import annotations

from typing import Literal

from pydantic import AliasChoices, Field, field_validator, model_validator

from clinrag_core.index.filters import MetadataFilter, UnmatchedFilter
from clinrag_core.lexicon.intents import INTENTS, Intent
from clinrag_core.model.base import Record
from clinrag_core.model.chunk import Chunk
from clinrag_core.retrieve.analyse import QueryAnalysis
from clinrag_core.retrieve.boost import Boost

Component = Literal["bm25", "splade", "dense", "concepts"]
COMPONENTS: tuple[Component, ...] = ("bm25", "splade", "dense", "concepts")
FusionMethod = Literal["rrf", "weighted"]
ScoreKind = Literal[
    "rrf", "weighted", "bm25", "splade", "concepts", "cosine", "dot", "reranker", "stages"
]

MAX_QUESTION_CHARACTERS = 2_000
"""By judgement: a case history of 300 words; encoders read no more than 512 tokens."""
MAX_TOP_K = 100
"""By judgement: ten pages of ten; the passages of an answer are fewer."""
MAX_RRF_K = 10_000
"""A hundred times the candidates of a list: beyond it all ranks count the same."""


class SearchRequest(Record):
    """A search, with every choice a caller has."""

    query: str = Field(
        min_length=1,
        max_length=MAX_QUESTION_CHARACTERS,
        description="question or keywords",
        validation_alias=AliasChoices("question", "query"),  # one name in the API; the second read
    )
    knowledge_bases: tuple[str, ...] | None = Field(
        default=None, description="names; all of the release where null"
    )
    components: tuple[Component, ...] | None = Field(
        default=None, min_length=1, description="retrievers that run; null: those of the profile"
    )
    fusion_method: FusionMethod = "rrf"
    rrf_k: int | None = Field(
        default=None, ge=0, le=MAX_RRF_K, description="rank constant of rrf; null: the profile's"
    )
    weights: dict[Component, float] | None = Field(
        default=None, description="of weighted fusion; those of the query type where null"
    )
    boost: bool | None = Field(
        default=None, description="boost the sections and tables asked for; the profile's choice"
    )
    subject_first: bool = Field(
        default=True,
        description="rank passages on the subject (drugs and diseases named) before all others",
    )
    by_statements: bool = Field(
        default=True,
        description="where dense is fused with others, a passage is as near as its nearest "
        "statement; false: as near as the whole passage",
    )
    query_intent: Intent | Literal["tabular"] | None = Field(
        default=None,
        description="'tabular' or an intent; boosts its sections or tables instead of those that "
        "the question asks for, unless boost is false",
    )
    rerank: bool | None = Field(
        default=None, description="score the best again; null: where the profile names a reranker"
    )
    top_k: int = Field(default=10, ge=1, le=MAX_TOP_K)
    filter: MetadataFilter = MetadataFilter()
    min_similarity: float | None = Field(
        default=None,
        ge=-1,
        le=1,
        description="least `similarity` of a result; needs the component dense, and without its "
        "answer nothing is returned",
    )
    diversity: float | None = Field(
        default=None, ge=0, le=1, description="1 - lambda of maximal marginal relevance; 0 is off"
    )
    expand: bool = Field(default=False, description="give each hit its whole parent section")

    @field_validator("query")
    @classmethod
    def _says_something(cls, query: str) -> str:
        text = query.strip()
        if not text or "\x00" in text:
            raise ValueError("the question is empty or holds a NUL character")
        return text

    @field_validator("query_intent", mode="before")
    @classmethod
    def _known_intent(cls, intent: object) -> object:
        if not isinstance(intent, str):
            return intent
        if intent.lower() == "tabular":
            return "tabular"
        if intent.upper() not in INTENTS:
            raise ValueError(f"unknown intent {intent!r}; there are: tabular, {', '.join(INTENTS)}")
        return intent.upper()

    @model_validator(mode="after")
    def _similarity_is_known(self) -> SearchRequest:
        if self.min_similarity is not None and "dense" not in (self.components or COMPONENTS):
            raise ValueError("min_similarity needs the component dense")
        return self

    @model_validator(mode="after")
    def _weights_count(self) -> SearchRequest:
        if self.weights is not None and (
            any(w < 0 for w in self.weights.values())
            or sum(self.weights.get(c, 0.0) for c in self.components or COMPONENTS) <= 0
        ):
            raise ValueError(
                "weights are >= 0, and those of the components asked for are not all 0"
            )
        return self


class SearchHit(Record):
    """One passage with every score and boost that ranked it."""

    rank: int
    doc_id: str = Field(description="`document id:passage id`")
    score: float = Field(description="what `score_kind` says")
    similarity: float | None = Field(
        default=None, description="cosine of question and passage; null without component dense"
    )
    source: str | None = Field(default=None, description="publisher, as `filter.sources` takes it")
    knowledge_base: str
    component_scores: dict[str, float] = Field(description="as each component gave them")
    component_ranks: dict[str, int]
    fused_score: float | None = Field(default=None, description="before boosts; null: not fused")
    boosts: tuple[Boost, ...] = ()
    on_subject: bool = Field(
        default=True, description="false: ranked behind every passage on the question's subject"
    )
    chunk: Chunk
    section_text: str | None = Field(default=None, description="of the parent section, on request")


class FusionMetadata(Record):
    """How the lists became one."""

    method: FusionMethod
    k: int | None = Field(default=None, description="of RRF")
    weights: dict[str, float] | None = None
    reranked: bool = False
    reranker_model: str | None = None


class SearchResponse(Record):
    """The answer to a search."""

    results: tuple[SearchHit, ...]
    score_kind: ScoreKind
    knowledge_bases: tuple[str, ...]
    components_used: tuple[Component, ...] = Field(description="those that answered in time")
    component_errors: tuple[str, ...] = Field(
        default=(),
        description="e.g. 'splade_timeout', 'splade_unavailable', 'dense_error: KeyError'",
    )
    fusion_metadata: FusionMetadata
    unmatched_filters: tuple[UnmatchedFilter, ...] = Field(
        default=(), description="values of the filter that no passage searched has"
    )
    reranked: bool = False
    reranker_error: str | None = Field(
        default=None,
        description="'unavailable', 'gpu_unavailable', 'timeout' or e.g. 'error: KeyError'",
    )
    analysis: QueryAnalysis
    timings_ms: dict[str, float] = Field(description="milliseconds per stage")
    release: str | None = None
    cached: bool = False
