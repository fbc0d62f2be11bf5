"""What is read from a note and made of it: sections, chunks, items with sources, summary, plan.

Offsets are characters of the note from its start. An item's source is the seed's citation,
`TITLE section, chunk_0:12-40`.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

from pydantic import Field

from clinrag_core.model.base import Record

SummarySection = Literal[
    "patient_snapshot",
    "key_problems",
    "pertinent_history",
    "medicines_allergies",
    "objective_findings",
    "labs_imaging",
    "assessment",
]
SUMMARY_SECTIONS: tuple[SummarySection, ...] = get_args(SummarySection)
AssertionStatus = Literal[
    "present", "absent", "mixed", "family", "past", "planned", "possible", "conditional"
]
RecommendationKind = Literal["treatment", "follow_up", "risk", "safety_net"]
Urgency = Literal["emergency", "prompt", "routine", "other"]
GuidelineVerdict = Literal["supports", "contradicts", "warns", "related", "no guideline evidence"]
OVERVIEW = "Overview"
"""Title of the text before the first heading."""


def section_title(name: SummarySection) -> str:
    """Return the name of a section of the summary for a reader."""
    words = name.capitalize().split("_")
    return (" and " if name in ("medicines_allergies", "labs_imaging") else " ").join(words)


class NoteSection(Record):
    """A heading of a note with the text under it."""

    title: str = Field(description="as printed; 'Overview' before the first heading")
    kind: str = Field(description="of the heading, e.g. 'exam'; '' where no table knows it")
    start: int
    body: int = Field(description="where the text after the heading begins")
    end: int
    inferred: bool = Field(default=False, description="from what the text says, not from a heading")


class NoteChunk(Record):
    """A piece of one section: `note[start:end] == text`."""

    id: str
    section_title: str
    start: int
    end: int
    text: str


class NoteUnit(NamedTuple):
    """A sentence, list item or entry of a medication list: what an item may cite."""

    start: int
    end: int
    section: int
    chunk: int
    """Places of its section and of the first chunk that holds it."""
    kind: str = ""
    """That of its heading; under a plan `plan_lines` says what it is."""


class NoteFinding(Record):
    """A symptom or sign that an item names."""

    name: str
    start: int
    end: int
    status: AssertionStatus


class NoteMedication(Record):
    """A medicine that an item names, with what is printed of it."""

    name: str = Field(description="as printed")
    ingredients: tuple[str, ...] = ()
    dose: str = ""
    frequency: str = ""
    route: str = ""
    status: str = Field(description="e.g. current, started, stopped, allergy, absent")


class NoteVital(Record):
    """A vital sign that an item prints."""

    name: str
    value: str
    unit: str = ""


class SummaryItem(Record):
    """One fact of a summary, with the place it leads back to."""

    text: str
    source: str
    status: AssertionStatus = "present"
    medications: tuple[NoteMedication, ...] = ()
    vitals: tuple[NoteVital, ...] = ()
    findings: tuple[NoteFinding, ...] = ()


class NoteSummary(Record):
    """The seven sections of a summary; a section without items is an empty list."""

    patient_snapshot: tuple[SummaryItem, ...] = ()
    key_problems: tuple[SummaryItem, ...] = ()
    pertinent_history: tuple[SummaryItem, ...] = ()
    medicines_allergies: tuple[SummaryItem, ...] = ()
    objective_findings: tuple[SummaryItem, ...] = ()
    labs_imaging: tuple[SummaryItem, ...] = ()
    assessment: tuple[SummaryItem, ...] = ()

    def section(self, name: SummarySection) -> tuple[SummaryItem, ...]:
        """The items of one section."""
        items: tuple[SummaryItem, ...] = getattr(self, name)
        return items

    def filed(self) -> tuple[tuple[SummarySection, SummaryItem], ...]:
        """Every item with its section, in order."""
        return tuple((name, item) for name in SUMMARY_SECTIONS for item in self.section(name))


class PlanProblem(Record):
    """The problem that a recommendation is about, with its own source."""

    text: str
    source: str


class PlanRecommendation(Record):
    """A recommendation that the note states; the most urgent has number 1."""

    number: int = Field(ge=1)
    recommendation: str
    source: str = Field(description="that of an item of the summary")
    confidence: float = Field(ge=0, le=1)
    hallucination_guard_note: str | None = None
    urgency: Urgency = "other"
    kinds: tuple[RecommendationKind, ...] = ()
    problem: PlanProblem | None = None

    def cited(self) -> tuple[tuple[str, str], ...]:
        """Every text with its source."""
        own = (self.recommendation, self.source)
        return (own, (self.problem.text, self.problem.source)) if self.problem else (own,)


class NotePlan(Record):
    """The recommendations of a note, most urgent first."""

    recommendations: tuple[PlanRecommendation, ...] = ()


class DroppedItem(Record):
    """What a generator wrote and a check refused."""

    place: str = Field(description="section of the summary, or part of the plan")
    code: str
    text: str
    source: str


class CitationFigures(Record):
    """How the citations of a generator's items fared; `coverage` is of what it wrote."""

    items: int
    valid: int
    coverage: float
    section_mismatches: int
    out_of_bounds: int
    orphan_claims: int


class CitedEvidence(Record):
    """A statement of a knowledge base, with its place."""

    text: str
    document: str
    section: str


class GuidelineFinding(Record):
    """What the released knowledge bases say about one thing of a note."""

    about: str
    source: str
    kind: Literal["recommendation", "medicine", "interaction", "contraindication"]
    question: str
    verdict: GuidelineVerdict
    evidence: tuple[CitedEvidence, ...] = ()


class NoteResult(Record):
    """A note read, summarised and, where asked for, planned and checked."""

    sections: tuple[NoteSection, ...]
    chunks: tuple[NoteChunk, ...]
    summary: NoteSummary
    plan: NotePlan | None = None
    guideline_check: tuple[GuidelineFinding, ...] | None = None
    not_summarised: tuple[SummaryItem, ...] = Field(
        default=(), description="what no section has a place for: descriptions of operations"
    )
    dropped: tuple[DroppedItem, ...] = ()
    figures: CitationFigures
    generator: str
    milliseconds: float
    notice: str = (
        "A summary by machine. Check it against the note before acting on it. Not a medical device."
    )
