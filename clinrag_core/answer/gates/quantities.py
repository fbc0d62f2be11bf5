"""Quantity gate: every dose, unit, frequency, duration and number stands in the cited evidence.

Quantities are compared after unit normalisation (1 g is 1000 mg) with what they are divided by and
their comparison ("up to", "at least"): none may be added, changed or dropped. Numbers without a
unit must stand there without one. A dose keeps the age or weight it holds for.
"""

from __future__ import annotations

import re
from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING

from clinrag_core.answer.records import GateDecision
from clinrag_core.facts.frequencies import NUMBER_WORDS
from clinrag_core.facts.quantities import quantities
from clinrag_core.text.normalise import fold
from clinrag_core.text.units import NUMBER, canonical_number

if TYPE_CHECKING:
    from clinrag_core.answer.gates.protocol import ClaimInContext, Statement
    from clinrag_core.facts.quantities import Quantity

Key = tuple[tuple[Decimal, ...], str, tuple[str, ...], str]

_NUMBER = re.compile(
    rf"[<>]?=?\s?(?<![^\W_])(?<!\d[.,])({NUMBER})(?![^\W\d_])|(?<![^\W\d_])({NUMBER})"
)
_MIXED = re.compile(r"(?<![^\W_])(?=[^\W_-]*\d)(?=[^\W_-]*[^\W\d_])[^\W_]+(?:-[^\W_]+)*")
_WORDS = {word: str(n) for word, n in NUMBER_WORDS.items() if n > 1}
_NUMBER_WORD = re.compile(
    r"(?<![^\W_])(" + "|".join(sorted(_WORDS, key=lambda w: -len(w))) + r")(?![^\W_])"
)
_AGE = re.compile(
    r"\s*(?:of age|old\b|or older|and older|or younger|and younger|and above|or above)"
)
_AGED = re.compile(
    r"(?:aged?|older than|younger than|under|over|below|above)\s*(?:of\s*)?[<>]?=?\s*$"
)


class QuantityGate:
    """See the module."""

    name = "quantities"

    def check(self, claim: ClaimInContext) -> GateDecision:
        """Not passed: `quantity_not_in_evidence`, `number_not_in_evidence`, `qualifier_dropped`."""
        wrong = _unsupported(claim.claim.quantities, claim.cited.quantities)
        if wrong:
            return self._refuse("quantity_not_in_evidence", [_shown(claim.claim, q) for q in wrong])
        missing = _bare_numbers(claim.claim) - _bare_numbers(claim.cited)
        mixed = _mixed(claim.claim) - _mixed(claim.cited) - _mixed_of(claim.context)
        if missing or mixed:
            return self._refuse("number_not_in_evidence", sorted({*missing, *mixed}))
        if dropped := _dropped_qualifiers(claim):
            return self._refuse("qualifier_dropped", dropped)
        return GateDecision(gate=self.name, passed=True, value=0.0)

    def _refuse(self, code: str, detail: list[str]) -> GateDecision:
        return GateDecision(
            gate=self.name, passed=False, code=code, detail=tuple(detail), value=float(len(detail))
        )


def _key(quantity: Quantity) -> Key:
    values, unit, per = quantity.key
    return values, unit, per, quantity.comparator


def _keys(found: list[Quantity]) -> set[Key]:
    return {_key(quantity) for quantity in found}


def _unsupported(own: list[Quantity], cited: list[Quantity]) -> list[Quantity]:
    """Quantities that the evidence does not state, or not as often as the claim does.

    Where one figure stands twice, another may have been put in its place.
    """
    left = Counter(_key(quantity) for quantity in cited)
    wrong: list[Quantity] = []
    for quantity in own:
        key = next((k for k in _same(_key(quantity), left) if left[k] > 0), None)
        if key is None:
            wrong.append(quantity)
        else:
            left[key] -= 1
    return wrong


def _same(key: Key, stated: Counter[Key]) -> list[Key]:
    """Keys that say what a key says: "5 mg/kg/day" is "5 mg/kg" where "once daily" is stated."""
    values, unit, per, comparator = key
    same = [key]
    if ((Decimal(1),), "time", ("day",), "") in stated and per and per[-1] == "day":
        same.append((values, unit, per[:-1], comparator))
    return same


def _shown(statement: Statement, quantity: Quantity) -> str:
    return statement.text[quantity.start : quantity.end]


def _without_quantities(text: str) -> str:
    """The text with every quantity blanked out."""
    characters = list(text)
    for quantity in quantities(text):
        characters[quantity.start : quantity.end] = " " * (quantity.end - quantity.start)
    return "".join(characters)


def _bare_numbers(statement: Statement) -> Counter[str]:
    """Numbers without a unit, each as often as it stands."""
    rest = fold(_without_quantities(statement.text))
    rest = _NUMBER_WORD.sub(lambda m: _WORDS[m.group()], rest)
    return Counter(canonical_number(m.group(1) or m.group(2)) for m in _NUMBER.finditer(rest))


def _mixed(statement: Statement) -> set[str]:
    return _mixed_of(_without_quantities(statement.text))


def _mixed_of(text: str) -> set[str]:
    """Words of letters and digits: "3HP", "B6", "CYP3A4"."""
    return {m.group().replace("-", "") for m in _MIXED.finditer(fold(text))}


def _dropped_qualifiers(claim: ClaimInContext) -> list[str]:
    """Ages and weights of the evidence's dose that a claim with that dose does not keep."""
    doses = {_key(q) for q in claim.claim.quantities if q.kind in {"dose", "concentration"}}
    if not doses:
        return []
    own = _keys(claim.claim.quantities)
    for sentence in claim.aligned:
        if doses & _keys(sentence.quantities):
            found = [q for q in sentence.quantities if is_qualifier(sentence.text, q)]
            if not any(_key(q) in own for q in found):
                return [_shown(sentence, q) for q in found]
    return []


def is_qualifier(text: str, quantity: Quantity) -> bool:
    """Whether a quantity is an age or a weight somebody has, not one that is given."""
    if quantity.kind == "measure" and quantity.unit == "kg" and not quantity.per:
        return True
    if quantity.kind != "duration":
        return False
    before = text[max(0, quantity.start - 20) : quantity.start].lower()
    return bool(_AGE.match(text.lower(), quantity.end) or _AGED.search(before))
