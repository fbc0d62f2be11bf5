"""Association gate: a dose stays with the drug and the people it stands with in the evidence.

"Isoniazid 300 mg and rifampin 600 mg" holds every number of "isoniazid 600 mg and rifampin 300 mg".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.answer.gates.displacement import Placed, Reading, displaced
from clinrag_core.answer.gates.quantities import is_qualifier
from clinrag_core.answer.records import GateDecision
from clinrag_core.lexicon.safety import safety_lexicon
from clinrag_core.text.stems import key_stems

if TYPE_CHECKING:
    from clinrag_core.answer.gates.protocol import ClaimInContext, Statement


_NEXT_WORD = re.compile(
    r"[ -]((?:toxicity|levels?|concentrations?|exposure|auc|doses?|dosage|resistance|resistant|"
    r"hypersensitivity|allergy|clearance|absorption|metabolism|metabolites?|monotherapy|therapy|"
    r"treatment|prophylaxis|tablets?|capsules?|injections?|overdose|poisoning)(?![^\W_]))",
    re.IGNORECASE,
)


class AssociationGate:
    """See the module."""

    name = "association"

    def check(self, claim: ClaimInContext) -> GateDecision:
        """Not passed: `quantity_displaced` or `drug_displaced`, with what changed places."""
        code, wrong = "quantity_displaced", set[str]()
        for sentence in claim.aligned[:1]:
            for kind in ("dose", "frequency", "duration"):
                wrong |= displaced(_reading(claim.claim, kind), _reading(sentence, kind))
            if not wrong and (taken := _taken_over(claim.claim, sentence)):
                code, wrong = "drug_displaced", taken
        return GateDecision(
            gate=self.name,
            passed=not wrong,
            code=code if wrong else None,
            detail=tuple(sorted(wrong)),
            value=float(len(wrong)),
        )


def _reading(statement: Statement, kind: str) -> Reading:
    return Reading(statement.text, _figures(statement, kind), _names(statement))


def _taken_over(claim: Statement, sentence: Statement) -> set[str]:
    """Drugs with a noun right behind them that the sentence has behind another drug only.

    "Carbamazepine toxicity" where the sentence says "phenytoin toxicity".
    """
    there = _followed(sentence)
    wrong: set[str] = set()
    for name, words in _followed(claim).items():
        others = set[str]().union(*(own for other, own in there.items() if other != name))
        wrong |= {name} if (words - there.get(name, set())) & others else set()
    return wrong


def _followed(statement: Statement) -> dict[str, set[str]]:
    """Drugs with the noun that stands right behind each mention and belongs to it."""
    found: dict[str, set[str]] = {}
    for mention in statement.mentions:
        own = found.setdefault("+".join(sorted(mention.ingredients)), set())
        if match := _NEXT_WORD.match(statement.text, mention.end):
            own.update(key_stems(match.group(1)))
    return found


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
