"""Token overlap gate (seed 000): |key tokens of evidence and claim| / |key tokens of claim|.

Against the snippets the claim cites, never against all evidence. It only rejects off-topic text:
a tenfold dose passes it, which is why the other gates exist.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.gates.protocol import at_least
from clinrag_core.answer.records import GateDecision
from clinrag_core.facts.concepts import JOINING, read_concepts
from clinrag_core.text.similarity import containment

if TYPE_CHECKING:
    from clinrag_core.answer.gates.protocol import ClaimInContext

TAU = 0.25
"""Seed 000."""


class OverlapGate:
    """Rejects claims whose overlap with what they cite is below `tau`, in [0, 1]."""

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
        share = containment(own, set(claim.cited.stems))
        if share < self._tau:  # the same in other words: "kidney function", "renal function"
            said, stated = (
                {
                    ".".join(c.key)
                    for c in read_concepts(facts.text, claim.drugs)
                    if c.family != JOINING
                }
                for facts in (claim.claim, claim.cited)
            )
            share = max(share, containment(said, stated))
        return at_least(self.name, share, self._tau, "low_overlap")
