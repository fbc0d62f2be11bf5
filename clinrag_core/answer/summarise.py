"""The patient summary: the accepted claims in plain words, or the advice to ask a clinician.

Made by rule from the claims alone, whatever generator wrote them. A claim that cannot be put
plainly, or whose plain version the guard rejects, is shown as the clinician reads it, and says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.plain.guard import reasons_against
from clinrag_core.answer.plain.reading import grade_of, hard_words, longest
from clinrag_core.answer.plain.rows import is_row, row_lines
from clinrag_core.answer.plain.split import LINE, is_fragment, lines_of, sentences_of, short_sentences
from clinrag_core.answer.plain.wording import plain_parts, without_references
from clinrag_core.answer.records import PatientPart, PatientSummary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.gates.protocol import Gate
    from clinrag_core.facts.drugs import DrugLexicon

TOO_HARD = 12.0
"""Grade from which a part is not plain: what secondary school does not teach to read. Half of the
adults read at the eighth grade; but the grade of one sentence moves by years with one long word
("TB can virtually affect any tissue in the body" has 10.2)."""
TOO_LONG = 40
"""Words from which a sentence is too long even in lines: twice what guides advise at most."""
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
    lines = plain_lines(claim, drugs)
    if lines is None:
        reasons = ("row_without_headings",)
    elif not is_row(claim) and is_fragment(without_references(claim)):
        reasons = ("no_sentence",)
    else:
        # The guard is the dearest check: what is too hard needs none.
        reasons = _hardness(lines, drugs, row=is_row(claim)) or reasons_against(lines, claim, drugs, gates)
    if lines is None or reasons:
        return PatientPart(kind="clinician", sentences=(claim,), advice=ASK, reasons=reasons)
    unchanged = " ".join(line.removeprefix(LINE) for line in lines) == without_references(claim)
    return PatientPart(kind="already_plain" if unchanged else "plain", sentences=lines)


def plain_lines(claim: str, drugs: DrugLexicon) -> tuple[str, ...] | None:
    """Return a claim in plain words and short lines, before any check.

    None for a row of a table whose cells cannot be bound to headings.
    """
    heading, text = plain_parts(claim, drugs)
    if is_row(f"{heading} {text}"):
        lines = row_lines(f"{heading} {text}".strip())
        return None if lines is None else tuple(lines)
    lines = [line for sentence in short_sentences(text) for line in lines_of(sentence)]
    return (heading, LINE + lines[0], *lines[1:]) if heading and lines else tuple(lines)


def _hardness(lines: Sequence[str], drugs: DrugLexicon, *, row: bool) -> tuple[str, ...]:
    """Return why lines are too hard for a patient; empty where they are plain."""
    reasons: list[str] = []
    if hard := hard_words(" ".join(lines), drugs):
        reasons.append(": ".join(("hard_word", *hard)))
    if not row and longest(sentences_of(lines), drugs) > TOO_LONG:
        reasons.append("long_sentence")
    grade = grade_of(lines, drugs)
    if grade is None or grade >= TOO_HARD:
        reasons.append(f"grade: {grade}")
    return tuple(reasons)
