"""High-risk term block (seed 000): what could harm if it were invented must be in the evidence.

Terms are matched as words, with synonyms. A class is a separate term: a passage on one carbapenem
does not support "a carbapenem", nor does a passage on the class support one carbapenem.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.gates.protocol import passed, refused
from clinrag_core.facts.spans import names_of

if TYPE_CHECKING:
    from clinrag_core.answer.gates.protocol import ClaimInContext
    from clinrag_core.answer.records import GateDecision


class HighRiskGate:
    """Rejects claims with a high-risk term that is in neither the snippets nor their titles."""

    name = "high_risk"

    def check(self, claim: ClaimInContext) -> GateDecision:
        """Not passed: `high_risk_term`, with the concepts that the evidence does not name."""
        there = names_of(claim.cited.high_risk + claim.context.high_risk)
        extra = names_of(claim.claim.high_risk) - there
        return refused(self.name, "high_risk_term", extra) if extra else passed(self.name)
