"""What a model must write about a note: the seed's schemas, with limits of size.

Nothing else is accepted: unknown keys, other names and texts beyond the limits are errors.
"""

from __future__ import annotations

from pydantic import Field

from clinrag_core.model.base import Record
from clinrag_core.notes.records import SummarySection

_MAX_ITEMS = 200
_MAX_TEXT = 2_000
_MAX_SOURCE = 300


class WrittenItem(Record):
    """An item as the seed's schema has it."""

    text: str = Field(min_length=1, max_length=_MAX_TEXT)
    source: str = Field(max_length=_MAX_SOURCE)


class WrittenSummary(Record):
    """A summary in the seed's schema."""

    patient_snapshot: list[WrittenItem] = Field(max_length=_MAX_ITEMS)
    key_problems: list[WrittenItem] = Field(max_length=_MAX_ITEMS)
    pertinent_history: list[WrittenItem] = Field(max_length=_MAX_ITEMS)
    medicines_allergies: list[WrittenItem] = Field(max_length=_MAX_ITEMS)
    objective_findings: list[WrittenItem] = Field(max_length=_MAX_ITEMS)
    labs_imaging: list[WrittenItem] = Field(max_length=_MAX_ITEMS)
    assessment: list[WrittenItem] = Field(max_length=_MAX_ITEMS)


class WrittenRecommendation(Record):
    """A recommendation in the seed's schema."""

    number: int = Field(ge=1)
    recommendation: str = Field(min_length=1, max_length=_MAX_TEXT)
    source: str = Field(max_length=_MAX_SOURCE)
    confidence: float = Field(ge=0, le=1)
    hallucination_guard_note: str | None = Field(max_length=_MAX_TEXT)


class WrittenPlan(Record):
    """A plan in the seed's schema."""

    recommendations: list[WrittenRecommendation] = Field(max_length=_MAX_ITEMS)


class WrittenSection(Record):
    """Where a section of a note without headings begins."""

    first_unit: int = Field(ge=0)
    section: SummarySection


class WrittenSections(Record):
    """The sections of a note without headings."""

    sections: list[WrittenSection] = Field(max_length=_MAX_ITEMS)
