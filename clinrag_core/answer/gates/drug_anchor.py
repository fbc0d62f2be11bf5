"""Claim-level drug anchor: every drug of a claim is a drug of what it cites.

By any of its names, in the snippet or in what the passage is about (title, section path, label).
Where a snippet names several drugs, a drug of the claim may not take another one's place, nor may
"A rather than B" become "B rather than A".
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from clinrag_core.answer.records import GateDecision

if TYPE_CHECKING:
    from clinrag_core.answer.gates.protocol import ClaimInContext, Statement

_DIRECTED = re.compile(
    r"\b(?:over|than|instead of|rather than|in place of|replac\w+|substitut\w+|switch\w*"
    r"|followed by|before|after)\b"
)


class DrugAnchorGate:
    """See the module."""

    name = "drug_anchor"

    def check(self, claim: ClaimInContext) -> GateDecision:
        """Not passed: `drug_not_in_evidence`, `drug_replaced`, `drug_order_changed`."""
        there = claim.cited.ingredients | claim.context_ingredients
        unknown = claim.claim.ingredients - there
        if unknown:
            return self._refuse("drug_not_in_evidence", sorted(unknown))
        for sentence in claim.aligned[:1]:
            if replaced := _replaced(claim.claim, sentence):
                return self._refuse("drug_replaced", sorted(replaced))
            if _order_changed(claim.claim, sentence):
                return self._refuse("drug_order_changed", sorted(claim.claim.ingredients))
        return GateDecision(gate=self.name, passed=True, value=0.0)

    def _refuse(self, code: str, detail: list[str]) -> GateDecision:
        return GateDecision(
            gate=self.name, passed=False, code=code, detail=tuple(detail), value=float(len(detail))
        )


def _replaced(claim: Statement, sentence: Statement) -> frozenset[str]:
    """Drugs of the claim that stand for one which the claim names less often than its sentence.

    A drug may be named from the passage's title, beside those of its sentence, not in their place.
    """
    own = Counter(name for m in claim.mentions for name in m.ingredients)
    there = Counter(name for m in sentence.mentions for name in m.ingredients)
    more, less = own - there, there - own
    if not less:
        return frozenset()
    missing = bool(sentence.ingredients - claim.ingredients)
    # Of drugs that all stay, only one of the same sentence can have taken another's place.
    return frozenset(name for name in more if missing or name in there)


def _order_changed(claim: Statement, sentence: Statement) -> bool:
    """Whether "A rather than B" became "B rather than A"."""
    own, there = _directed_pairs(claim), _directed_pairs(sentence)
    return any((after, before) in there and (before, after) not in there for before, after in own)


def _directed_pairs(statement: Statement) -> set[tuple[frozenset[str], frozenset[str]]]:
    """Neighbouring drugs with a word between them that makes their order count."""
    text = statement.text.lower()
    return {
        (one.ingredients, other.ingredients)
        for one, other in pairwise(statement.mentions)
        if _DIRECTED.search(text, one.end, other.start)
    }
