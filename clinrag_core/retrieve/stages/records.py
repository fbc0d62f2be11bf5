"""What the stages pass on and report: candidates with the scores of every stage."""

from __future__ import annotations

from typing import Literal, NamedTuple

from pydantic import Field

from clinrag_core.model.base import Record
from clinrag_core.model.chunk import Chunk
from clinrag_core.retrieve.concept_first import AddedConcept

StageName = Literal["recall", "expansion", "refinement"]
PruneReason = Literal["irrelevant", "redundant", "budget"]


class Candidate(NamedTuple):
    """A passage on its way through the stages."""

    id: str
    score: float
    """Of the last stage, in [0, 1] unless the stage is the seed's."""
    distance: int
    """From the subject of the question; what is nearer comes first."""
    scores: dict[str, float]
    """Of each stage so far."""


class QuestionVariant(Record):
    """Another wording of the question, and what made it."""

    text: str
    made_by: Literal["abbreviations", "keywords", "symptoms", "concepts"]


class StageReport(Record):
    """What one stage did."""

    stage: StageName
    passages: int = Field(description="that go on")
    added: int = Field(default=0, description="that the stage before did not have")
    milliseconds: float
    notes: tuple[str, ...] = Field(default=(), description="what was left out, and why")


class EvidenceQuality(Record):
    """How much a passage weighs as evidence, in [0, 1], by its parts."""

    score: float
    source: float = Field(description="guideline, label or other")
    strength: float = Field(description="of a recommendation in it, as printed")
    certainty: float = Field(description="of the evidence, as printed")
    recency: float
    section: float = Field(description="of a label: boxed warning, dosage, ...")


class PrunedPassage(Record):
    """A passage that is not part of the context, and why."""

    chunk_id: str
    reason: PruneReason
    repeats: str | None = Field(default=None, description="id of the passage it repeats")


class StagedHit(Record):
    """A passage of the final context."""

    rank: int
    doc_id: str = Field(description="`document id:passage id`")
    score: float
    stage_scores: dict[str, float]
    knowledge_base: str
    quality: EvidenceQuality
    chunk: Chunk


class StagedResponse(Record):
    """The context that the stages chose, with what each of them did."""

    results: tuple[StagedHit, ...]
    stages: tuple[StageReport, ...]
    variants: tuple[QuestionVariant, ...] = ()
    added_concepts: tuple[AddedConcept, ...] = ()
    pruned: tuple[PrunedPassage, ...] = ()
    tokens: int = Field(description="of the context, by the encoder's tokeniser")
    component_errors: tuple[str, ...] = ()
    ordered_by: Literal["cross_encoder", "statements", "stage_2", "stage_1"]
    timings_ms: dict[str, float]
    release: str | None = None
