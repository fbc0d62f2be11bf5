"""Token overlap gate (seed 000): |key tokens of evidence and claim| / |key tokens of claim|.

Against the snippets the claim cites, never against all evidence. It only keeps off-topic text out:
a tenfold dose passes it, which the other gates are there for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.records import GateDecision

if TYPE_CHECKING:
    from clinrag_core.answer.gates.protocol import ClaimInContext

TAU = 0.25


class OverlapGate:
    """See the module.

    Args:
        tau: least overlap, in [0, 1].
    """

    name = "overlap"

    def __init__(self, tau: float = TAU) -> None:
        self._tau = tau

    def check(self, claim: ClaimInContext) -> GateDecision:
        """Not passed: `empty_claim` (no key token), `low_overlap`."""
        own = set(claim.claim.stems)
        if not own:
            return GateDecision(
                gate=self.name, passed=False, code="empty_claim", threshold=self._tau
            )
        share = len(own & set(claim.cited.stems)) / len(own)
        passed = share >= self._tau
        return GateDecision(
            gate=self.name,
            passed=passed,
            code=None if passed else "low_overlap",
            value=round(share, 4),
            threshold=self._tau,
        )
