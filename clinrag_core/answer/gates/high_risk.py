"""High-risk term block (seed 000): what could harm if it were invented must be in the evidence.

Terms are matched as words, with synonyms. A class is its own term: "a carbapenem" is not borne out
by a passage on one carbapenem, nor one carbapenem by a passage on the class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.records import GateDecision
from clinrag_core.lexicon.safety import safety_lexicon

if TYPE_CHECKING:
    from clinrag_core.answer.gates.protocol import ClaimInContext


class HighRiskGate:
    """See the module."""

    name = "high_risk"

    def check(self, claim: ClaimInContext) -> GateDecision:
        """Not passed: `high_risk_term`, with the concepts that the evidence does not say."""
        lexicon = safety_lexicon()
        said = lexicon.high_risk.find(claim.claim.text)
        supported = lexicon.high_risk.find(f"{claim.cited.text}\n{claim.context}")
        unsupported = tuple(sorted(said - supported))
        return GateDecision(
            gate=self.name,
            passed=not unsupported,
            code="high_risk_term" if unsupported else None,
            detail=unsupported,
            value=float(len(unsupported)),
        )
