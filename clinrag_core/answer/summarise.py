"""The patient summary: the accepted claims in plain words, or the advice to ask a clinician.

Made by rule from the claims alone, whatever generator wrote them. A claim that cannot be put
plainly, or whose plain version the guard rejects, is shown as the clinician reads it, and says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.plain.guard import reasons_against
from clinrag_core.answer.plain.reading import Reading, grade_of
from clinrag_core.answer.plain.rows import is_row, row_lines
from clinrag_core.answer.plain.split import LINE, is_fragment, lines_of, short_sentences
from clinrag_core.answer.plain.wording import plain_parts, without_references
from clinrag_core.answer.records import PatientPart, PatientSummary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.gates.protocol import Gate
    from clinrag_core.facts.drugs import DrugLexicon

TOO_HARD = 12.0
"""Grade from which a part is not plain: what secondary school does not teach to read. The grade of
one sentence moves by years with one long word ("TB can virtually affect any tissue in the body" has
10.2)."""
EASY = 8.0
"""Grade that half of the adults read, and what the AMA asks of patient materials at most: a claim
that no plain word or line changes is called plain up to here."""
TOO_LONG = 40
"""Words from which a sentence is too long even in lines: twice what guides advise at most."""
ASK = "Ask your clinician to explain this part. It is shown as it was written for clinicians:"


def patient_summary(
    claims: Sequence[str], drugs: DrugLexicon, gates: Sequence[Gate]
) -> PatientSummary:
    """Return the patient summary of accepted claims, a part for each, in their order."""
    made = [_part(claim, drugs, gates) for claim in claims]
    plain = [reading for _, reading in made if reading is not None]
    return PatientSummary(parts=tuple(part for part, _ in made), grade=grade_of(plain))


def _part(
    claim: str, drugs: DrugLexicon, gates: Sequence[Gate]
) -> tuple[PatientPart, Reading | None]:
    """Return a claim in plain words, read; as it is, with advice and reasons, where that fails."""
    lines = plain_lines(claim, drugs)
    if lines is None:
        return _as_written(claim, ("row_without_headings",))
    row = is_row(claim)
    if not row and is_fragment(without_references(claim)):
        return _as_written(claim, ("no_sentence",))
    reading = Reading(lines, drugs)
    # The guard is the dearest check: what is too hard needs none.
    reasons = _hardness(reading, row=row) or reasons_against(lines, claim, drugs, gates)
    reworded = " ".join(line.removeprefix(LINE) for line in lines) != without_references(claim)
    if not (reasons or reworded) and (grade_of([reading]) or 0.0) > EASY:
        reasons = ("unchanged",)
    if reasons:
        return _as_written(claim, reasons)
    return PatientPart(kind="plain" if reworded else "already_plain", sentences=lines), reading


def _as_written(claim: str, reasons: tuple[str, ...]) -> tuple[PatientPart, None]:
    return PatientPart(kind="clinician", sentences=(claim,), advice=ASK, reasons=reasons), None


def plain_lines(claim: str, drugs: DrugLexicon) -> tuple[str, ...] | None:
    """Return a claim in plain words and short lines, before any check.

    None for a row of a table whose cells cannot be bound to headings.
    """
    if "\t" in claim:
        return None
    heading, text = plain_parts(claim, drugs)
    if is_row(f"{heading} {text}"):
        lines = row_lines(f"{heading} {text}".strip())
        return None if lines is None else tuple(lines)
    lines = [line for sentence in short_sentences(text) for line in lines_of(sentence)]
    return (heading, LINE + lines[0], *lines[1:]) if heading and lines else tuple(lines)


def _hardness(reading: Reading, *, row: bool) -> tuple[str, ...]:
    """Return why lines are too hard for a patient; empty where they are plain."""
    reasons: list[str] = []
    if reading.hard_words:
        reasons.append(": ".join(("hard_word", *reading.hard_words)))
    if not row and reading.longest > TOO_LONG:
        reasons.append("long_sentence")
    grade = grade_of([reading])
    if grade is None or grade >= TOO_HARD:
        reasons.append(f"grade: {grade}")
    return tuple(reasons)
