"""The answer as a typed record: what is claimed, on what evidence, and every decision."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from clinrag_core.facts.drugs import Correction
from clinrag_core.index.release_record import LabelChange
from clinrag_core.model.base import Record
from clinrag_core.model.citation import Citation
from clinrag_core.model.statement import RowCell, StatementKind
from clinrag_core.retrieve.constrain import Rejection
from clinrag_core.retrieve.route import RouteDecision

Status = Literal["answered", "abstained", "out_of_domain"]
Reason = Literal[
    "out_of_domain",  # not about TB, pneumonia or a drug of the release
    "self_harm",  # asks how a drug may kill or harm a person
    "other_language",  # not in English
    "unknown_term",  # names something that the documents never name
    "out_of_scope",  # of the field, but on something that the sources do not cover
    "retrieval_failed",  # no retriever answered
    "no_evidence",  # nothing was found
    "drug_not_in_evidence",  # what was found does not name a drug asked for
    "no_diagnostic_evidence",  # a diagnosis is asked for, no passage found mentions one
    "low_confidence",  # below the calibrated threshold
    "calibration_missing",
    "calibration_stale",  # made for another release or other settings
    "generation_failed",
    "nothing_fits",  # statements were found, but none for what the question says
    "no_claims",  # the generator had nothing to say
    "all_claims_rejected",  # no claim passed the gates
    "gate_error",  # a gate failed, so no claim passed it
    "contradiction",  # sources give different numbers for the same thing
    "lexicon_error",  # a table that decides over safety cannot be read
    "internal_error",  # a defect; the log has its traceback
]


class GateDecision(Record):
    """What one gate decided on one claim."""

    gate: str
    passed: bool
    code: str | None = Field(default=None, description="why not, machine-readable")
    detail: tuple[str, ...] = Field(default=(), description="the words it is about")
    value: float | None = None
    threshold: float | None = None


class Support(Record):
    """The evidence sentence that says what a claim says, as an aid to reading (seed 000)."""

    citation: Citation
    jaccard: float = Field(ge=0, le=1)
    containment: float = Field(ge=0, le=1, description="share of the claim's key tokens in it")
    negated: bool = Field(description="one of the two denies something the other does not")


class Claim(Record):
    """One sentence of an answer, with its citations and what the gates found."""

    text: str
    citations: tuple[Citation, ...]
    context: str = Field(default="", description="document, heading and caption it is under")
    sources: tuple[str, ...] = Field(default=(), description="what the cited statements say")
    kind: StatementKind | None = Field(
        default=None, description="of the statement it repeats; none for a generated wording"
    )
    cells: tuple[RowCell, ...] = Field(
        default=(), description="of a table row whose headings are known, in their order"
    )
    decisions: tuple[GateDecision, ...] = ()
    support: Support | None = None

    @property
    def accepted(self) -> bool:
        """Whether every gate that ran let it pass, and at least one ran."""
        return bool(self.decisions) and all(d.passed for d in self.decisions)


class EvidenceItem(Record):
    """A passage that an answer was, or could have been, made from."""

    chunk_id: str
    text_sha256: str
    knowledge_base: str
    document_id: str
    document_title: str
    section_path: tuple[str, ...]
    page: int | None = None
    page_label: str | None = None
    loinc: str | None = None
    label_version: int | None = None
    date: str | None = Field(default=None, description="effective date, else year of publication")
    rank: int
    scores: dict[str, float]


class Confidence(Record):
    """The confidence signal of one knowledge base and the threshold it was compared with."""

    knowledge_base: str
    configuration: str = Field(description="components that answered, e.g. 'bm25+dense'")
    signal: float
    threshold: float
    source: Literal["calibrated", "fallback"]
    passed: bool


class Contradiction(Record):
    """Statements of different documents with other numbers, or the opposite, for one thing."""

    about: tuple[str, ...]
    citations: tuple[Citation, ...]
    dates: tuple[str | None, ...]
    organisations: tuple[str | None, ...] = ()
    """Who published each; None for a user's document and where the source names nobody."""


class PatientPart(Record):
    """One claim as the patient reads it."""

    kind: Literal["plain", "already_plain", "clinician"] = Field(
        description="in plain words; unchanged, being plain; unchanged, as it cannot be plain"
    )
    sentences: tuple[str, ...]
    advice: str = Field(default="", description="to ask the clinician, where it cannot be plain")
    reasons: tuple[str, ...] = Field(default=(), description="why it cannot be plain")


class PatientSummary(Record):
    """The answer in plain words, a part for each claim."""

    parts: tuple[PatientPart, ...] = ()
    grade: float | None = Field(
        default=None, description="Flesch-Kincaid grade of the parts in plain words"
    )

    @property
    def suppressed(self) -> bool:
        """True if no part is in plain words."""
        return bool(self.parts) and all(p.kind == "clinician" for p in self.parts)


class OwnDocuments(Record):
    """What the documents of the user who asks say: unreviewed, shown after the released sources."""

    claims: tuple[Claim, ...] = ()
    evidence: tuple[EvidenceItem, ...] = ()
    conflicts: tuple[Contradiction, ...] = Field(
        default=(), description="with a released source, which is cited first, or among themselves"
    )


class Answer(Record):
    """An answer, or the reason for there being none."""

    status: Status
    reason: Reason | None = None
    message: str = ""
    route: RouteDecision | None = None
    could_ask: tuple[str, ...] = Field(
        default=(), description="of an abstention: what these sources can be asked instead"
    )
    corrections: tuple[Correction, ...] = Field(
        default=(), description="misspelt words, each with the word it was read as"
    )
    premises: tuple[str, ...] = Field(
        default=(), description="what the sources contradict of the question, to be read first"
    )
    unmet: tuple[str, ...] = Field(
        default=(), description="parts of the question that the sources do not answer, in words"
    )
    claims: tuple[Claim, ...] = Field(default=(), description="the clinician summary")
    patient_summary: PatientSummary = PatientSummary()
    own_documents: OwnDocuments | None = Field(
        default=None, description="what the asking user's documents say; None: not read"
    )
    only_own_documents: bool = Field(
        default=False, description="asked of the user's own documents alone"
    )
    confidence: tuple[Confidence, ...] = ()
    evidence: tuple[EvidenceItem, ...] = Field(
        default=(), description="passages considered for the answer"
    )
    rejected_evidence: tuple[Rejection, ...] = ()
    rejected_claims: tuple[Claim, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    component_errors: tuple[str, ...] = ()
    generator: str | None = None
    generator_notice: str = Field(
        default="", description="why another than the profile's generator wrote the claims"
    )
    release: str | None = None
    unreviewed: bool = Field(
        default=False, description="nobody has promoted an evaluation of this corpus yet"
    )
    damaged_release: str | None = Field(
        default=None, description="a newer release that is damaged, so that `release` answered"
    )
    label_changes: tuple[LabelChange, ...] = Field(
        default=(), description="HIGH changes of cited labels that nobody has acknowledged"
    )
    timings_ms: dict[str, float] = Field(default_factory=dict[str, float])
    audit_id: str | None = None

    @property
    def citations(self) -> tuple[Citation, ...]:
        """All citations of the answer, in order."""
        return tuple(c for claim in self.claims for c in claim.citations)
