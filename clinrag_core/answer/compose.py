"""The answer record, from what was read, found and checked on the way to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clinrag_core.answer.abstain import abstain_message
from clinrag_core.answer.align import align, evidence_sentences
from clinrag_core.answer.citations import date_of
from clinrag_core.answer.evidence import NEAREST
from clinrag_core.answer.records import Answer, EvidenceItem
from clinrag_core.answer.select.part_selection import QuotedPassage
from clinrag_core.answer.summarise import patient_summary
from clinrag_core.workspace import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.check import CheckedDraft
    from clinrag_core.answer.evidence import Evidence
    from clinrag_core.answer.gates.protocol import Gate
    from clinrag_core.answer.question.reader import AskedQuestion
    from clinrag_core.answer.records import Reason
    from clinrag_core.answer.select.selection import Selection
    from clinrag_core.facts.drugs import DrugLexicon


@dataclass(slots=True)
class Progress:
    """What is known of an answer so far; all of it goes into the record, also of an abstention."""

    question: AskedQuestion | None = None
    evidence: Evidence | None = None
    selection: Selection | None = None
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


def compose_answer(progress: Progress, drugs: DrugLexicon, gates: Sequence[Gate]) -> Answer:
    """Return the record of an answer: accepted claims with alignment, and the patient summary."""
    assert progress.checked is not None  # noqa: S101 - only checked claims are shown
    assert progress.selection is not None  # noqa: S101 - and are made from statements
    sentences = evidence_sentences([p.chunk for p in progress.selection.passages])
    claims = tuple(
        claim.model_copy(update={"support": align(claim.text, sentences)})
        for claim in progress.checked.accepted
    )
    texts = [claim.text for claim in claims]
    return _record(progress).model_copy(
        update={
            "status": "answered",
            "premises": tuple(
                dict.fromkeys(p for part in progress.selection.parts for p in part.premises)
            ),
            "unmet": progress.selection.unmet,
            "claims": claims,
            "patient_summary": patient_summary(texts, drugs, gates),
        }
    )


def _record(progress: Progress) -> Answer:
    """Return the part of the record that answers and abstentions share."""
    answer = Answer(status="abstained")
    update: dict[str, object] = {}
    if progress.question is not None:
        update |= {"route": progress.question.route, "corrections": progress.question.corrections}
    if (evidence := progress.evidence) is not None:
        update |= {
            "confidence": evidence.confidence,
            "evidence": evidence_items(_shown(progress, evidence)),
            "rejected_evidence": evidence.rejected,
            "component_errors": evidence.component_errors,
        }
    if progress.checked is not None:
        update |= {
            "rejected_claims": progress.checked.rejected,
            "contradictions": progress.checked.contradictions,
        }
    return answer.model_copy(update=update)


def _shown(progress: Progress, evidence: Evidence) -> list[QuotedPassage]:
    """Return the passages that the claims cite, or those nearest to the question."""
    if progress.selection is not None and progress.checked is not None:
        claims = (*progress.checked.accepted, *progress.checked.rejected)
        cited = {citation.chunk_id for claim in claims for citation in claim.citations}
        return [p for p in progress.selection.passages if p.chunk.id in cited]
    return [
        QuotedPassage(hit.chunk, hit.knowledge_base, hit.component_scores)
        for hit in evidence.candidates[:NEAREST]
    ]


def evidence_items(passages: Sequence[QuotedPassage]) -> tuple[EvidenceItem, ...]:
    """Passages as the record lists them: places and scores, never their text."""
    return tuple(
        EvidenceItem(
            chunk_id=chunk.id,
            text_sha256=sha256_hex(chunk.text.encode()),
            knowledge_base=base,
            document_id=chunk.document_id,
            document_title=chunk.document_title,
            section_path=chunk.section_path,
            page=chunk.page,
            page_label=chunk.page_label,
            loinc=chunk.loinc,
            label_version=chunk.label_version,
            date=date_of(chunk),
            rank=rank,
            scores={name: round(score, 6) for name, score in scores.items()},
        )
        for rank, (chunk, base, scores) in enumerate(passages, start=1)
    )
