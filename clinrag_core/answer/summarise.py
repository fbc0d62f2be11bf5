"""The patient summary: the accepted claims in plain words, or the advice to ask a clinician.

Made by rule from the claims alone, whatever generator wrote them. A claim that cannot be put
plainly, or whose plain version the guard rejects, is shown as the clinician reads it, and says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.plain.guard import reasons_against
from clinrag_core.answer.plain.reading import grade_of, hard_words
from clinrag_core.answer.plain.split import is_fragment, is_row, row_sentences, short_sentences
from clinrag_core.answer.plain.wording import plain_wording, without_references
from clinrag_core.answer.records import PatientPart, PatientSummary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.gates.protocol import Gate
    from clinrag_core.facts.drugs import DrugLexicon

TOO_HARD = 12.0
"""Grade from which a part is not plain: what secondary school does not teach to read. Half of the
adults read at the eighth grade; but the grade of one sentence moves by years with one long word
("TB can virtually affect any tissue in the body" has 10.2)."""
ASK = "Ask your clinician to explain this part. It is shown as it was written for clinicians:"


def patient_summary(
    claims: Sequence[str], drugs: DrugLexicon, gates: Sequence[Gate]
) -> PatientSummary:
    """Return the patient summary of accepted claims, a part for each, in their order."""
    parts = tuple(_part(claim, drugs, gates) for claim in claims)
    plain = [s for part in parts if part.kind != "clinician" for s in part.sentences]
    return PatientSummary(parts=parts, grade=grade_of(plain, drugs))


def _part(claim: str, drugs: DrugLexicon, gates: Sequence[Gate]) -> PatientPart:
    """Return a claim in plain words; as it is, with advice and reasons, where that fails."""
    sentences = plain_sentences(claim, drugs)
    if sentences is None:
        reasons = ("row_without_headings",)
    elif not is_row(claim) and is_fragment(without_references(claim)):
        reasons = ("no_sentence",)
    else:
        reasons = reasons_against(sentences, claim, drugs, gates) + _hardness(sentences, drugs)
    if sentences is None or reasons:
        return PatientPart(kind="clinician", sentences=(claim,), advice=ASK, reasons=reasons)
    unchanged = " ".join(sentences) == without_references(claim)
    return PatientPart(kind="already_plain" if unchanged else "plain", sentences=sentences)


def plain_sentences(claim: str, drugs: DrugLexicon) -> tuple[str, ...] | None:
    """Return a claim in plain words and short sentences, before any check.

    None for a row of a table whose cells cannot be bound to headings.
    """
    text = without_references(claim)
    sentences = row_sentences(text) if is_row(claim) else short_sentences(text)
    if sentences is None:
        return None
    return tuple(plain_wording(sentence, drugs) for sentence in sentences)


def _hardness(sentences: Sequence[str], drugs: DrugLexicon) -> tuple[str, ...]:
    """Return why sentences are too hard for a patient; empty where they are plain."""
    reasons: list[str] = []
    if hard := hard_words(" ".join(sentences), drugs):
        reasons.append(": ".join(("hard_word", *hard)))
    grade = grade_of(sentences, drugs)
    if grade is None or grade >= TOO_HARD:
        reasons.append(f"grade: {grade}")
    return tuple(reasons)
