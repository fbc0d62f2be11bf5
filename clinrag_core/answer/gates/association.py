"""Association gate: a dose keeps the drug and the people that it has in the evidence.

"Isoniazid 300 mg and rifampin 600 mg" has every number of "isoniazid 600 mg and rifampin 300 mg".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.gates.displacement import Layout, displaced
from clinrag_core.answer.gates.protocol import passed, refused
from clinrag_core.facts.spans import NamedSpan

if TYPE_CHECKING:
    from clinrag_core.answer.gates.protocol import ClaimInContext
    from clinrag_core.answer.records import GateDecision
    from clinrag_core.facts.reader import Facts


class AssociationGate:
    """Rejects claims in which figures or nouns of two drugs or groups of people are exchanged."""

    name = "association"

    def check(self, claim: ClaimInContext) -> GateDecision:
        """Not passed: `quantity_displaced` or `drug_displaced`, with what was exchanged."""
        for said, sentence in claim.paired:
            wrong = set[str]()
            for kind in ("dose", "frequency", "duration"):
                wrong |= displaced(_layout(said, kind), _layout(sentence, kind))
            if wrong:
                return refused(self.name, "quantity_displaced", wrong)
            if taken := _taken_over(said, sentence):
                return refused(self.name, "drug_displaced", taken)
        return passed(self.name)


def _taken_over(claim: Facts, sentence: Facts) -> set[str]:
    """Return drugs followed by a noun that the sentence has behind another drug only.

    "Carbamazepine toxicity" where the sentence says "phenytoin toxicity".
    """
    there = sentence.nouns_of_drugs
    wrong: set[str] = set()
    for name, nouns in claim.nouns_of_drugs.items():
        others = set[str]().union(*(own for other, own in there.items() if other != name))
        wrong |= {name} if (nouns - there.get(name, set())) & others else set()
    return wrong


def _layout(facts: Facts, kind: str) -> Layout:
    """Return the figures of a kind, and the drugs and people, with their places."""
    figures: list[NamedSpan] = []
    for quantity in facts.quantities:
        if quantity.kind == kind and quantity not in facts.ages_and_weights:
            values, unit, per = quantity.key
            name = f"{'-'.join(f'{v:f}' for v in values)} {'/'.join((unit, *per))}"
            figures.append(NamedSpan(quantity.start, quantity.end, name))
    drugs = [NamedSpan(m.start, m.end, m.name) for m in facts.drugs]
    return Layout(facts.text, figures, sorted([*drugs, *facts.populations]))
