"""The answer record, from what was read, found and checked on the way to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clinrag_core.answer.abstain import abstain_message
from clinrag_core.answer.align import align, evidence_sentences
from clinrag_core.answer.citations import date_of
from clinrag_core.answer.evidence import NEAREST
from clinrag_core.answer.records import Answer, EvidenceItem
from clinrag_core.answer.summarise import guard_patient_summary, plain_words
from clinrag_core.workspace import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.check import CheckedDraft
    from clinrag_core.answer.evidence import Evidence
    from clinrag_core.answer.gates.protocol import Gate
    from clinrag_core.answer.question import AskedQuestion
    from clinrag_core.answer.records import Reason
    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.retrieve.request import SearchHit


@dataclass(slots=True)
class Progress:
    """What is known of an answer so far; all of it goes into the record, also of an abstention."""

    question: AskedQuestion | None = None
    evidence: Evidence | None = None
    checked: CheckedDraft | None = None


def compose_abstention(
    progress: Progress, reason: Reason, detail: str = "", could_ask: Sequence[str] = ()
) -> Answer:
    """Return the record of an abstention, with everything known when the answer ended.

    `could_ask` are phrases for what the sources can be asked instead.
    """
    status = "out_of_domain" if reason == "out_of_domain" else "abstained"
    update = {"status": status, "reason": reason, "message": abstain_message(reason, detail)}
    update |= {"could_ask": tuple(could_ask)}
    return _record(progress).model_copy(update=update)


def compose_answer(
    progress: Progress, patient_sentences: Sequence[str], drugs: DrugLexicon, gates: Sequence[Gate]
) -> Answer:
    """Return the record of an answer: accepted claims with alignment, and the patient summary.

    The summary is made by rule where the generator wrote no `patient_sentences`. The gates check
    it against the claims.
    """
    assert progress.evidence is not None  # noqa: S101 - claims cite evidence
    assert progress.checked is not None  # noqa: S101 - only checked claims are shown
    sentences = evidence_sentences([hit.chunk for hit in progress.evidence.hits])
    claims = tuple(
        claim.model_copy(update={"support": align(claim.text, sentences)})
        for claim in progress.checked.accepted
    )
    texts = [claim.text for claim in claims]
    patient = tuple(patient_sentences) or plain_words(texts)
    return _record(progress).model_copy(
        update={
            "status": "answered",
            "claims": claims,
            "patient_summary": guard_patient_summary(patient, texts, drugs, gates),
        }
    )


def _record(progress: Progress) -> Answer:
    """The part of the record that answers and abstentions share."""
    answer = Answer(status="abstained")
    update: dict[str, object] = {}
    if progress.question is not None:
        update |= {"route": progress.question.route, "corrections": progress.question.corrections}
    if (evidence := progress.evidence) is not None:
        shown = evidence.hits if progress.checked is not None else evidence.candidates[:NEAREST]
        update |= {
            "confidence": evidence.confidence,
            "evidence": _items(shown),
            "rejected_evidence": evidence.rejected,
            "component_errors": evidence.component_errors,
        }
    if progress.checked is not None:
        update |= {
            "rejected_claims": progress.checked.rejected,
            "contradictions": progress.checked.contradictions,
        }
    return answer.model_copy(update=update)


def _items(hits: Sequence[SearchHit]) -> tuple[EvidenceItem, ...]:
    """Passages as the record lists them: places and scores, never their text."""
    return tuple(
        EvidenceItem(
            chunk_id=hit.chunk.id,
            text_sha256=sha256_hex(hit.chunk.text.encode()),
            knowledge_base=hit.knowledge_base,
            document_id=hit.chunk.document_id,
            document_title=hit.chunk.document_title,
            section_path=hit.chunk.section_path,
            page=hit.chunk.page,
            page_label=hit.chunk.page_label,
            loinc=hit.chunk.loinc,
            label_version=hit.chunk.label_version,
            date=date_of(hit.chunk),
            rank=rank,
            scores={name: round(score, 6) for name, score in hit.component_scores.items()},
        )
        for rank, hit in enumerate(hits, start=1)
    )
