"""Settings of concept recognition and of the three stages of multi-stage retrieval.

Defaults are the form that was measured best on dev (ADR 0027); `SEED` is seed 004's own.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from clinrag_core.settings.section import SettingsSection, Share, section


class RelationSettings(SettingsSection):
    """How far a relation of the thesaurus leads."""

    weight: Share = Field(
        description="of a concept it leads to, next to 1 of the one named; 0: off"
    )
    levels: int = Field(1, ge=1, description="steps; each multiplies the weight once more")
    limit: int = Field(20, ge=0, description="concepts added for one that is named, at most")


class IsA(RelationSettings):
    """To broader concepts."""

    weight: Share = Field(0.0, description="of a broader concept; 0: off")


class Narrower(RelationSettings):
    """To narrower concepts."""

    weight: Share = Field(0.0, description="of a narrower concept; 0: off")


class Related(RelationSettings):
    """To related concepts."""

    weight: Share = Field(0.0, description="of a related concept; 0: off")


class ConceptSettings(SettingsSection):
    """Concepts of a thesaurus in questions and passages; off unless enabled (ADR 0027)."""

    enabled: bool = Field(False, description="annotate passages and search by concepts too")
    thesauri: tuple[Path, ...] = Field(
        (), description="next to the shipped one: RRF folders, MeSH XML or OBO files"
    )
    lexical_weight: float = Field(
        0.0, ge=0, description="of the concept score inside BM25's, next to 1 of the words"
    )
    common_from: Share = Field(
        0.1, description="share of passages from which a concept is too common to search by"
    )
    word_factor: float = Field(
        1.0, ge=1, description="of recognised words in BM25: the control of the concepts"
    )
    is_a: IsA = section(IsA)
    narrower: Narrower = section(Narrower)
    related: Related = section(Related)
    timeout_ms: float = Field(300, gt=0, description="milliseconds the component may take")


class RecallSettings(SettingsSection):
    """Stage 1: broad recall."""

    depth: int = Field(150, ge=1, description="passages that go on")
    fusion: Literal["weighted", "rrf", "highest_raw"] = Field(
        "rrf", description="'weighted', 'rrf', or 'highest_raw' of scores that are not normalised"
    )
    bm25: float = Field(0.5, ge=0, description="weight of BM25's normalised scores")
    dense: float = Field(0.5, ge=0, description="weight of the dense component's")
    splade: float = Field(0.5, ge=0, description="weight of SPLADE's, where there is one")
    concepts: float = Field(0.0, ge=0, description="weight of the concept component's; 0: not run")
    appended: bool = Field(False, description="dense search with names of concepts appended, too")
    subject_first: bool = Field(True, description="passages on the question's subject come first")


class ExpansionSettings(SettingsSection):
    """Stage 2: variants of the question, source of the passage."""

    enabled: bool = Field(False, description="false leaves the stage out")
    depth: int = Field(100, ge=1, description="passages that go on")
    variants: int = Field(3, ge=0, description="variants of the question, at most")
    variant_depth: int = Field(20, ge=1, description="passages of each variant")
    reorder: bool = Field(
        False, description="order stage 1 by its best dense score of any variant, add none"
    )
    guideline_factor: float = Field(1.0, ge=1, description="multiplies scores of guidelines")


class RefinementSettings(SettingsSection):
    """Stage 3: precision."""

    enabled: bool = Field(True, description="false leaves the stage out")
    depth: int = Field(30, ge=1, description="passages that are ordered again and go on")
    precise_weight: Share = Field(
        0.3, description="of the cross-encoder, or of the statements; stage 2 has the rest"
    )
    quality_weight: Share = Field(0.0, description="of the evidence quality, added; 0: shown only")
    statements: bool = Field(
        True, description="without a cross-encoder, order by the statements' scores"
    )
    least_relevance: float | None = Field(
        None, ge=-1, le=1, description="least cosine of question and passage; unset: no cut"
    )
    redundant_from: Share = Field(0.9, description="cosine from which a passage repeats another")
    token_budget: int = Field(4_000, ge=1, description="tokens of the passages of one context")
    adaptive_k: bool = Field(
        True, description="as many passages as fit the budget; false: 30, whatever they hold"
    )


class MultistageSettings(SettingsSection):
    """The three stages of multi-stage retrieval."""

    recall: RecallSettings = section(RecallSettings)
    expansion: ExpansionSettings = section(ExpansionSettings)
    refinement: RefinementSettings = section(RefinementSettings)
    timeout_ms: float = Field(
        1_500, gt=0, description="milliseconds; a later search is one without stages"
    )


SEED = MultistageSettings.model_validate(
    {
        "recall": {"fusion": "highest_raw", "appended": True, "subject_first": False},
        "expansion": {
            "enabled": True,
            "reorder": True,
            "variant_depth": 50,
            "guideline_factor": 1.2,
        },
        "refinement": {
            "precise_weight": 0.7,
            "least_relevance": 0.3,
            "adaptive_k": False,
            "statements": False,
        },
    }
)
"""Seed 004 word by word; without its cross-encoder stage 3 keeps the order of stage 2."""
