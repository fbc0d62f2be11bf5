"""Citation gate: a claim cites something, and every citation exists, in range and verbatim."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.citations import citation_problem
from clinrag_core.answer.records import GateDecision

if TYPE_CHECKING:
    from clinrag_core.answer.gates.protocol import ClaimInContext


class CitationGate:
    """Rejects claims without a citation, or with one that is not in its passage."""

    name = "citation"

    def check(self, claim: ClaimInContext) -> GateDecision:
        """Not passed: `no_citation`, `missing`, `out_of_range` or `not_verbatim`."""
        if not claim.citations:
            return GateDecision(gate=self.name, passed=False, code="no_citation", value=0.0)
        for number, citation in enumerate(claim.citations, start=1):
            problem = citation_problem(citation, claim.evidence.get(citation.chunk_id))
            if problem is not None:
                return GateDecision(
                    gate=self.name,
                    passed=False,
                    code=problem,
                    detail=(f"citation {number}",),
                    value=float(number),
                )
        return GateDecision(gate=self.name, passed=True, value=float(len(claim.citations)))
