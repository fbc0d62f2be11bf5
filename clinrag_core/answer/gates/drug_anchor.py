"""Claim-level drug anchor: every drug of a claim is a drug of what it cites.

By any of its names, in the snippet or in what the passage is about (title, section path, label).
Where a snippet names several drugs, a drug of the claim may not replace another one, nor may
"A rather than B" become "B rather than A".
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from clinrag_core.answer.gates.protocol import passed, refused
from clinrag_core.answer.gates.sides import states_converse_comparison
from clinrag_core.text.expressions import lazy_re

if TYPE_CHECKING:
    from clinrag_core.answer.gates.protocol import ClaimInContext
    from clinrag_core.answer.records import GateDecision
    from clinrag_core.facts.reader import Facts

_EXAMPLES = lazy_re(r"\((?:e\.g\.|i\.e\.|such as|including|for example|like)[^()]*\)")


class DrugAnchorGate:
    """Rejects claims about a drug that their evidence is not about."""

    name = "drug_anchor"

    def check(self, claim: ClaimInContext) -> GateDecision:
        """Not passed: `drug_not_in_evidence`, `drug_replaced`, `drug_order_changed`."""
        own = claim.claim
        unknown = own.ingredients - claim.cited.ingredients - claim.context_ingredients
        if unknown:
            return refused(self.name, "drug_not_in_evidence", unknown)
        for said, sentence in claim.paired:
            if replaced := _replaced(said, sentence):
                return refused(self.name, "drug_replaced", replaced)
            if _order_changed(said, sentence) and not states_converse_comparison(claim):
                return refused(self.name, "drug_order_changed", said.ingredients)
        return passed(self.name)


def _replaced(claim: Facts, sentence: Facts) -> frozenset[str]:
    """Return drugs of the claim that replace one which it names less often than its sentence.

    A drug may be named from the passage's title in addition to those of its sentence, not instead.
    """
    own = Counter(name for m in claim.drugs for name in m.ingredients)
    there = Counter(name for m in sentence.drugs for name in m.ingredients)
    more, less = own - there, there - own
    listed = _examples(sentence)
    if less and set(less) | set(more) <= listed:
        return frozenset()  # one of the examples of a group is named, perhaps twice
    if not less:
        return frozenset()
    missing = bool(sentence.ingredients - claim.ingredients)
    exchanged = more.total() == less.total()
    # Where all drugs stay, one of the title that comes for none may still be named.
    return frozenset(name for name in more if missing or exchanged or name in there)


def _examples(sentence: Facts) -> set[str]:
    """Return the drugs that a sentence names as examples of a group, in brackets."""
    spans = [match.span() for match in _EXAMPLES.finditer(sentence.text)]
    return {
        name
        for mention in sentence.drugs
        if any(a <= mention.start < b for a, b in spans)
        for name in mention.ingredients
    }


def _order_changed(claim: Facts, sentence: Facts) -> bool:
    """Return whether "A rather than B" became "B rather than A"."""
    own, there = claim.ordered_drugs, sentence.ordered_drugs
    return any((after, before) in there and (before, after) not in there for before, after in own)
