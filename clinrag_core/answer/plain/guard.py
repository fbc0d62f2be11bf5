"""The medical entity safety guard (seed 000): a patient reads what the claim says, and all of it.

Every sentence passes the gates of the answer with the claim as its source. No word may be in it
that is not the claim's, of the plain words for a wording of the claim, or of grammar: so no list of
diseases is needed. And no fact of the claim may be missing.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from clinrag_core.answer.gates.citation import CitationGate
from clinrag_core.answer.gates.protocol import ClaimOfText
from clinrag_core.answer.gates.registry import COMPARING
from clinrag_core.answer.gates.runner import run_gates
from clinrag_core.answer.plain.rows import is_row
from clinrag_core.answer.plain.split import LINE
from clinrag_core.answer.plain.trace import departure
from clinrag_core.answer.plain.wording import plain_parts, without_references
from clinrag_core.facts.reader import read_facts
from clinrag_core.facts.spans import names_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.gates.protocol import Gate
    from clinrag_core.facts.drugs import DrugLexicon


def reasons_against(
    lines: Sequence[str], claim: str, drugs: DrugLexicon, gates: Sequence[Gate]
) -> tuple[str, ...]:
    """Return why lines may not be shown for a claim; empty where they may.

    A gate that fails is a reason. Facts of the claim that no line has are `lost`; a word that the
    claim in plain words does not have in this place is `departs`.
    """
    # Plain words cite nothing.
    checks = [gate for gate in gates if gate.name not in {CitationGate.name, *COMPARING}]
    compared = [gate for gate in gates if gate.name in COMPARING]
    # Cells of a row are parts of one sentence, as in the claim.
    parts = [line.removeprefix(LINE) for line in lines]
    row = is_row(claim)
    said = "; ".join(part.rstrip(".") for part in parts) if row else " ".join(parts)
    reasons: dict[str, None] = {}
    plain = " ".join(plain_parts(claim, drugs)).strip()
    if word := departure(lines, plain):
        reasons[f"departs: {word}"] = None
    decisions = (
        *run_gates(checks, ClaimOfText(said, claim, drugs), every=True),
        # The words of the table of plain words are the claim's.
        *run_gates(compared, ClaimOfText(said, plain, drugs), every=True),
    )
    for decision in decisions:
        if not decision.passed:
            reasons[": ".join((decision.code or decision.gate, *decision.detail))] = None
    if lost := _lost(said, without_references(claim), drugs):
        reasons[": ".join(("lost", *lost))] = None
    return tuple(reasons)


def _lost(said: str, claim: str, drugs: DrugLexicon) -> list[str]:
    """Return the kinds of facts of a claim that a text lacks, or states less often."""
    return sorted({kind for kind, _ in _facts(claim, drugs) - _facts(said, drugs)})


def _facts(text: str, drugs: DrugLexicon) -> Counter[tuple[str, object]]:
    """Return how often a text states each of its facts."""
    facts = read_facts(text, drugs)
    polarities = [sentence.polarity for sentence in facts.sentences]
    stated: list[tuple[str, object]] = [
        *(("figure", (q.key, q.comparator)) for q in facts.quantities),
        *(("figure", number) for number in facts.numbers.elements()),
        *(("figure", code) for code in facts.codes),
        *(("drug", mention.ingredients) for mention in facts.drugs),
        *(("population", name) for name in names_of(facts.populations)),
        *(("route", name) for name in names_of(facts.routes)),
        *(("risk", name) for name in names_of(facts.high_risk)),
        *(("direction", name) for name in names_of(facts.directions)),
        *(("denial", "") for p in polarities for _ in p.cues),
        *(("strength", word) for p in polarities for word in p.modality),
    ]
    return Counter(stated)
