"""Association gate: a dose stays with the drug and the people it stands with in the evidence.

"Isoniazid 300 mg and rifampin 600 mg" holds every number of "isoniazid 600 mg and rifampin 300 mg".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.gates.displacement import Anchor, displaced
from clinrag_core.answer.records import GateDecision

if TYPE_CHECKING:
    from clinrag_core.answer.gates.protocol import ClaimInContext, Statement


class AssociationGate:
    """See the module."""

    name = "association"

    def check(self, claim: ClaimInContext) -> GateDecision:
        """Not passed: `quantity_displaced`, with the quantities that changed places."""
        wrong: set[str] = set()
        for sentence in claim.aligned[:1]:
            for kind in ("dose", "frequency", "duration"):
                wrong |= displaced(_anchors(claim.claim, kind), _anchors(sentence, kind))
        return GateDecision(
            gate=self.name,
            passed=not wrong,
            code="quantity_displaced" if wrong else None,
            detail=tuple(sorted(wrong)),
            value=float(len(wrong)),
        )


def _anchors(statement: Statement, kind: str) -> tuple[str, list[Anchor]]:
    anchors: list[Anchor] = []
    for quantity in statement.quantities:
        if quantity.kind == kind:
            values, unit, per = quantity.key
            name = f"{'-'.join(str(v.normalize()) for v in values)} {'/'.join((unit, *per))}"
            anchors.append(Anchor(quantity.start, quantity.end, name))
    return statement.text, anchors
