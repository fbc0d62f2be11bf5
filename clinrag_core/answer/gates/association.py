"""Association gate: a dose stays with the drug and the people it stands with in the evidence.

"Isoniazid 300 mg and rifampin 600 mg" holds every number of "isoniazid 600 mg and rifampin 300 mg".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.gates.displacement import Placed, displaced
from clinrag_core.answer.gates.quantities import is_qualifier
from clinrag_core.answer.records import GateDecision
from clinrag_core.lexicon.safety import safety_lexicon

if TYPE_CHECKING:
    from clinrag_core.answer.gates.protocol import ClaimInContext, Statement


class AssociationGate:
    """See the module."""

    name = "association"

    def check(self, claim: ClaimInContext) -> GateDecision:
        """Not passed: `quantity_displaced`, with the quantities that changed places."""
        wrong: set[str] = set()
        for sentence in claim.aligned[:1]:
            own, there = _names(claim.claim), _names(sentence)
            for kind in ("dose", "frequency", "duration"):
                wrong |= displaced(
                    (_figures(claim.claim, kind), own), (_figures(sentence, kind), there)
                )
        return GateDecision(
            gate=self.name,
            passed=not wrong,
            code="quantity_displaced" if wrong else None,
            detail=tuple(sorted(wrong)),
            value=float(len(wrong)),
        )


def _figures(statement: Statement, kind: str) -> list[Placed]:
    figures: list[Placed] = []
    for quantity in statement.quantities:
        if quantity.kind == kind and not is_qualifier(statement.text, quantity):
            values, unit, per = quantity.key
            name = f"{'-'.join(f'{v:f}' for v in values)} {'/'.join((unit, *per))}"
            figures.append(Placed(quantity.start, quantity.end, name))
    return figures


def _names(statement: Statement) -> list[Placed]:
    """Drugs and people, in order."""
    drugs = [Placed(m.start, m.end, "+".join(sorted(m.ingredients))) for m in statement.mentions]
    people = [Placed(*span) for span in safety_lexicon().populations.spans(statement.text)]
    return sorted([*drugs, *people])
