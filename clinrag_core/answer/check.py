"""From a draft to checked claims: every gate on every claim, then contradictions between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.answer.contradiction import find_contradictions
from clinrag_core.answer.gates.protocol import ClaimInContext
from clinrag_core.answer.gates.runner import GATE_ERROR, run_gates
from clinrag_core.answer.records import Claim
from clinrag_core.chunk.row_cells import row_cells

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.gates.protocol import Gate
    from clinrag_core.answer.generate.protocol import Draft, DraftClaim
    from clinrag_core.answer.records import Contradiction, Reason
    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.model.chunk import Chunk
    from clinrag_core.model.statement import RowCell


class CheckedDraft(NamedTuple):
    """A draft after the gates."""

    accepted: tuple[Claim, ...]
    rejected: tuple[Claim, ...]
    contradictions: tuple[Contradiction, ...]
    reason: Reason | None
    """Why nothing of it may be shown; None where the accepted claims may."""


def check_draft(
    draft: Draft, chunks: Sequence[Chunk], gates: Sequence[Gate], drugs: DrugLexicon
) -> CheckedDraft:
    """Run the gates on every claim of a draft, all must accept it, and compare what they accept."""
    by_id = {chunk.id: chunk for chunk in chunks}
    claims = [
        Claim(
            text=drafted.text,
            citations=drafted.citations,
            context=drafted.context,
            sources=drafted.sources,
            kind=drafted.kind,
            cells=_cells(drafted),
            decisions=run_gates(
                gates,
                ClaimInContext(drafted.text, drafted.citations, by_id, drugs, drafted.sources),
            ),
        )
        for drafted in draft.claims
    ]
    accepted = tuple(claim for claim in claims if claim.accepted)
    rejected = tuple(claim for claim in claims if not claim.accepted)
    if not accepted:
        return CheckedDraft((), rejected, (), _why_none(claims))
    contradictions = find_contradictions(accepted, by_id, drugs)
    reason: Reason | None = "contradiction" if contradictions else None
    return CheckedDraft(accepted, rejected, contradictions, reason)


def _cells(drafted: DraftClaim) -> tuple[RowCell, ...]:
    if drafted.kind != "row":
        return ()
    return row_cells(drafted.text, [citation.snippet for citation in drafted.citations])


def _why_none(claims: Sequence[Claim]) -> Reason:
    if not claims:
        return "no_claims"
    failed = [any(d.code == GATE_ERROR for d in c.decisions) or not c.decisions for c in claims]
    return "gate_error" if all(failed) else "all_claims_rejected"
