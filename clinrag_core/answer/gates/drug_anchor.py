"""Claim-level drug anchor: every drug of a claim is a drug of what it cites.

By any of its names, in the snippet or in what the passage is about (title, section path, label).
Where a snippet names several drugs, a drug of the claim may not take another one's place, nor may
"A rather than B" become "B rather than A".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.answer.gates.displacement import Anchor, displaced
from clinrag_core.answer.records import GateDecision

if TYPE_CHECKING:
    from clinrag_core.answer.gates.protocol import ClaimInContext, Statement

_DIRECTED = re.compile(
    r"\b(?:over|than|instead of|rather than|in place of|replac\w+|substitut\w+|switch\w*|followed by|"
    r"before|after|compared (?:with|to)|versus|vs|increas\w+|decreas\w+|reduc\w+|lower\w*|raise\w*)\b"
)
_PAIR = 2


class DrugAnchorGate:
    """See the module."""

    name = "drug_anchor"

    def check(self, claim: ClaimInContext) -> GateDecision:
        """Not passed: `drug_not_in_evidence`, `drug_displaced`, `drug_order_changed`."""
        there = claim.cited.ingredients | claim.context_ingredients
        unknown = claim.claim.ingredients - there
        if unknown:
            return self._refuse("drug_not_in_evidence", sorted(unknown))
        for sentence in claim.aligned[:1]:
            wrong = displaced(_anchors(claim.claim), _anchors(sentence))
            if wrong:
                return self._refuse("drug_displaced", sorted(wrong))
            if _order_changed(claim.claim, sentence):
                return self._refuse("drug_order_changed", sorted(claim.claim.ingredients))
        return GateDecision(gate=self.name, passed=True, value=0.0)

    def _refuse(self, code: str, detail: list[str]) -> GateDecision:
        return GateDecision(
            gate=self.name, passed=False, code=code, detail=tuple(detail), value=float(len(detail))
        )


def _anchors(statement: Statement) -> tuple[str, list[Anchor]]:
    return statement.text, [
        Anchor(m.start, m.end, "+".join(sorted(m.ingredients))) for m in statement.mentions
    ]


def _order_changed(claim: Statement, sentence: Statement) -> bool:
    if not _DIRECTED.search(claim.text.lower()) or not _DIRECTED.search(sentence.text.lower()):
        return False
    own = list(dict.fromkeys(m.ingredients for m in claim.mentions))
    there = list(dict.fromkeys(m.ingredients for m in sentence.mentions))
    common = [m for m in there if m in own]
    return len(own) >= _PAIR and [m for m in own if m in there] != common
