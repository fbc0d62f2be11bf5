"""Direction gate: what the evidence says increases does not decrease, what is before is not after.

"Exposure was 40% lower" contains every other word and figure of "exposure was 40% higher".
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from clinrag_core.answer.gates.protocol import passed, refused
from clinrag_core.answer.gates.sides import keeps_order, states_converse_comparison
from clinrag_core.lexicon.safety import OPPOSITES

if TYPE_CHECKING:
    from clinrag_core.answer.gates.protocol import ClaimInContext
    from clinrag_core.answer.records import GateDecision

_ORDER = frozenset({"before", "after"})


class DirectionGate:
    """Rejects claims in which a direction of their evidence became the opposite one."""

    name = "direction"

    def check(self, claim: ClaimInContext) -> GateDecision:
        """Not passed: `direction_changed`, with the directions that the evidence does not say."""
        for sentence in claim.aligned[:1]:
            own = Counter(span.name for span in claim.claim.directions)
            there = Counter(span.name for span in sentence.directions)
            lost = there - own
            turned = [name for name in own - there if OPPOSITES[name] in lost]
            if turned and any(keeps_order(pair) for pair in claim.reworded.compared):
                turned = [name for name in turned if name not in _ORDER]
            if turned and states_converse_comparison(claim):
                turned = [name for name in turned if name in _ORDER]
            if turned:
                return refused(self.name, "direction_changed", turned)
        return passed(self.name)
