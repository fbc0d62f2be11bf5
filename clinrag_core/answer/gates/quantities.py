"""Quantity gate: every dose, unit, frequency, duration and number of a claim is in its evidence.

Quantities are compared after unit normalisation (1 g is 1000 mg) with what they are divided by and
their comparison ("up to", "at least"): none may be added, changed or dropped. A number without a
unit must be in the evidence without one. A dose keeps the age or weight that it is for.
"""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING

from clinrag_core.answer.gates.amounts import amounts_turned
from clinrag_core.answer.gates.protocol import passed, refused
from clinrag_core.facts.frequencies import counts_doses, speaks_of_a_day
from clinrag_core.facts.negation import bounds_said, denies_bound_of
from clinrag_core.facts.times import numbered_periods, periods_named
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.units import canonical_number

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clinrag_core.answer.gates.protocol import ClaimInContext
    from clinrag_core.answer.records import GateDecision
    from clinrag_core.facts.quantities import Quantity
    from clinrag_core.facts.reader import Facts

_ONCE = ((Decimal(1),), "time", ("day",), "")
_ONE_A_DAY = lazy_re(
    r"\b(?:one|a single) (?:[\w./-]+ ){0,4}(?:tablets?|capsules?|doses?) (?:a|per|each|every) day\b"
)
_PER_THOUSAND = lazy_re(r"\bper 1,?000\b|\bper thousand\b")
Key = tuple[tuple[Decimal, ...], str, tuple[str, ...], str]


class QuantityGate:
    """Rejects claims with a figure that their evidence does not state."""

    name = "quantities"

    def check(self, claim: ClaimInContext) -> GateDecision:
        """Not passed: `quantity_`, `number_not_in_evidence`, `qualifier_`..."""
        own, cited = claim.claim, claim.cited
        wrong = _unsupported(own.quantities, cited.quantities, own.text)
        wrong = [q for q in wrong if not _is_stated_otherwise(q, claim)]
        if said := [*_printed(own, wrong), *_pieces_a_day(own, cited)]:
            return refused(self.name, "quantity_not_in_evidence", said)
        missing = own.numbers - cited.numbers - _numbers_of_times(claim)
        codes = own.codes - cited.codes - claim.context.codes
        if missing or codes:
            return refused(self.name, "number_not_in_evidence", {*missing, *codes})
        if changed := amounts_turned(own.text, cited.text):
            return refused(self.name, "comparison_changed", changed)
        if dropped := _dropped_qualifiers(claim):
            return refused(self.name, "qualifier_dropped", dropped)
        for said, stated in claim.paired:
            if said.text != stated.text and (dropped := _maximum_dropped(said, stated)):
                return refused(self.name, "maximum_dropped", dropped)
        return passed(self.name)


_COMPARED = {"": "", "<": "below", ">": "above", ">=": "least", "<=": "most"}
_SIDE = {"<": "above", "<=": "above", ">": "below", ">=": "below"}


def bare_figures(claim: ClaimInContext) -> set[str]:
    """Return the numbers of times in the evidence as a claim may state them: without their units.

    With what compares them ("aged 18 and over"), and without where the claim says it in words.
    """
    said = bounds_said(fold_chars(claim.claim.text))
    found: set[str] = set()
    for quantity in _times(claim):
        numbers = {canonical_number(f"{value:f}") for value in quantity.values}
        found |= {f"{number}{_COMPARED[quantity.comparator]}" for number in numbers}
        if _SIDE.get(quantity.comparator) in said:
            found |= numbers
    return found


def _times(claim: ClaimInContext) -> list[Quantity]:
    """Return the times of the evidence; none where the claim names a unit of time that it lacks."""
    said, stated = (periods_named(fold_chars(f.text)) for f in (claim.claim, claim.cited))
    return [q for q in claim.cited.quantities if q.kind == "duration"] if said <= stated else []


def _numbers_of_times(claim: ClaimInContext) -> Counter[str]:
    times = _times(claim)
    return Counter(canonical_number(f"{value:f}") for q in times for value in set(q.values))


def _is_stated_otherwise(quantity: Quantity, claim: ClaimInContext) -> bool:
    """Return whether the evidence states a figure in another form: in a list, bounded, a share."""
    cited = claim.cited
    return (
        _in_list(quantity, cited)
        or _bounded(quantity, claim)
        or _is_share(quantity, cited)
        or _is_of_ends(quantity, claim)
        or _is_denied_bound(quantity, claim)
        or _is_by_day(quantity, claim)
        or _is_each(quantity, cited)
        or _is_counted(quantity, cited)
    )


def _is_counted(quantity: Quantity, cited: Facts) -> bool:
    """Return whether the evidence numbers the days, weeks or months that a claim counts.

    "On days 2 to 5" is for four days.
    """
    if quantity.kind != "duration" or quantity.comparator or len(quantity.values) != 1:
        return False
    counted = numbered_periods(fold_chars(cited.text))
    return (quantity.values[0], quantity.unit) in counted


def _is_each(quantity: Quantity, cited: Facts) -> bool:
    """Return whether the evidence states both of two frequencies: "once- or twice-weekly"."""
    stated = {q.key for q in cited.quantities if q.kind == "frequency"}
    each = [((value,), *quantity.key[1:]) for value in quantity.key[0]]
    return quantity.kind == "frequency" and len(each) > 1 and stated.issuperset(each)


def _pieces_a_day(own: Facts, cited: Facts) -> list[str]:
    """Return the "one tablet a day" of a claim whose evidence only has it several times a day."""
    found = _ONE_A_DAY.search(fold_chars(own.text))
    often = [q.values for q in cited.quantities if q.unit == "time" and q.per == ("day",)]
    once = any(value == 1 for values in often for value in values)
    return [found.group()] if found and often and not once else []


def _is_by_day(quantity: Quantity, claim: ClaimInContext) -> bool:
    """Return whether a plain "daily" of a claim is the day of a dose per day."""
    if (quantity.unit, quantity.per, quantity.values) != ("time", ("day",), (Decimal(1),)):
        return False
    plain = claim.claim.text[quantity.start : quantity.end].lower() == "daily"
    return plain and any("day" in q.per and q.unit != "time" for q in claim.cited.quantities)


def _is_of_ends(quantity: Quantity, claim: ClaimInContext) -> bool:
    """Return whether the evidence states the ends of a range one by one, in the same order."""
    ends = [
        canonical_number(f"{q.values[0]:f}")
        for q in claim.cited.quantities
        if q.key[1:] == quantity.key[1:] and len(q.values) == 1
    ]
    said = claim.claim.text[quantity.start : quantity.end]
    numbers = [canonical_number(one) for one in _NUMBER.findall(said)]
    stated = _FROM_TO.search(fold_chars(claim.cited.text)) is not None
    return stated and len(ends) == len(quantity.values) and numbers == ends


_NUMBER = lazy_re(r"\d+(?:\.\d+)?")
_FROM_TO = lazy_re(r"\bfrom \d.*\bto \d")


_COMPLEMENT = {"<=": ">", ">": "<=", ">=": "<", "<": ">="}


def denies_bound(claim: ClaimInContext) -> bool:
    """Return whether a claim says a bound of which its evidence denies the other side."""
    return any(_is_denied_bound(quantity, claim) for quantity in claim.claim.quantities)


def _is_denied_bound(quantity: Quantity, claim: ClaimInContext) -> bool:
    """Return whether the evidence denies the other side of a bound: "avoid levels above 2"."""
    other = _COMPLEMENT.get(quantity.comparator)
    stated = [q for q in claim.cited.quantities if (q.key, q.comparator) == (quantity.key, other)]
    denied = [denies_bound_of(fold_chars(facts.text)) for facts in (claim.claim, claim.cited)]
    return len(stated) == 1 and denied == [other in {"<=", ">="}, other in {"<", ">"}]


def _is_share(quantity: Quantity, cited: Facts) -> bool:
    """Return whether the evidence states a percentage as a fraction of one or of a thousand."""
    if quantity.kind != "percent" or quantity.comparator:
        return False
    factors = [Decimal("0.01")]
    if _PER_THOUSAND.search(cited.text):
        factors.append(Decimal(10))
    return any(
        {canonical_number(f"{value * factor:f}") for value in quantity.values} <= set(cited.numbers)
        for factor in factors
    )


def _in_list(quantity: Quantity, cited: Facts) -> bool:
    """Return whether the evidence states a figure without its unit, next to others that have it.

    "At 2, 12, and 24 weeks" is at 2 weeks.
    """
    units = {q.unit for q in cited.quantities if q.per == quantity.per}
    plain = {canonical_number(f"{value:f}") for value in quantity.values}
    listed = quantity.kind == "duration" and not quantity.comparator and quantity.unit in units
    return listed and plain <= set(cited.numbers)


def _bounded(quantity: Quantity, claim: ClaimInContext) -> bool:
    """Return whether the evidence states a figure with a bound that either says in words.

    "Keep it to 30 g at most" is "no more than 30 g": the words of a bound may be anywhere in a
    sentence of the claim or, where the claim has the sign, in the sentence of the evidence.
    """
    for said in claim.claim.sentences:
        if quantity.key not in {q.key for q in said.quantities}:
            continue
        for stated in claim.source_sentences:
            for other in stated.quantities:
                if (other.key, bool(other.comparator)) == (quantity.key, not quantity.comparator):
                    side = _SIDE[quantity.comparator or other.comparator]
                    worded = said if other.comparator else stated
                    signs = {_SIDE.get(q.comparator) for q in worded.quantities}
                    if side not in signs and bounds_said(fold_chars(worded.text)) == {side}:
                        return True
    return False


def _key(quantity: Quantity) -> Key:
    values, unit, per = quantity.key
    return values, unit, per, quantity.comparator


def _unsupported(own: Iterable[Quantity], cited: Iterable[Quantity], claim: str) -> list[Quantity]:
    """Return quantities that the evidence does not state, or not as often as the claim does.

    A figure that the claim states more often may have replaced another one.
    """
    left = Counter(_key(quantity) for quantity in cited)
    wrong: list[Quantity] = []
    own = tuple(own)
    often = {_key(q) for q in own if q.unit == "time" and q.per == ("day",)}
    daily = speaks_of_a_day(claim) and (not counts_doses(claim) or often == {_ONCE})
    for quantity in own:
        key = next((k for k in _aliases(_key(quantity), left, daily=daily) if left[k] > 0), None)
        if key is None:
            wrong.append(quantity)
        else:
            left[key] -= 1
    return wrong


def _aliases(key: Key, stated: Counter[Key], *, daily: bool) -> list[Key]:
    """Return equal keys: "5 mg/kg/day" is "5 mg/kg" where "once daily" is stated.

    Where the claim speaks of a day its "5 mg" may be the "5 mg/day" that is stated.
    """
    values, unit, per, comparator = key
    same = [key]
    if _ONCE in stated and per and per[-1] == "day":
        same.append((values, unit, per[:-1], comparator))
    if daily and "day" not in per:
        same.append((values, unit, (*per, "day"), comparator))
    return same


def _printed(facts: Facts, figures: Iterable[Quantity]) -> list[str]:
    return [facts.text[q.start : q.end] for q in figures]


def _dropped_qualifiers(claim: ClaimInContext) -> list[str]:
    """Return ages and weights of the evidence's dose that a claim with that dose does not keep."""
    own = {_key(q) for q in claim.claim.quantities}
    doses = {_key(q) for q in claim.claim.quantities if q.kind in {"dose", "concentration"}}
    if not doses:
        return []
    for sentence in claim.aligned:
        if doses & {_key(q) for q in sentence.quantities}:
            people = sentence.ages_and_weights
            if not any(_key(q) in own for q in people):
                return _printed(sentence, people)
    return []


def _maximum_dropped(said: Facts, stated: Facts) -> list[str]:
    """Return the maximum of a dose per kilogram that a claim states without it."""
    doses = {q.key for q in stated.quantities if q.kind == "dose" and "kg" in q.per}
    if not doses & {q.key for q in said.quantities}:
        return []
    own = {q.key[0] for q in said.quantities}
    most = [
        q
        for q in stated.quantities
        if q.kind == "dose" and q.comparator == "<=" and "kg" not in q.per
    ]
    return _printed(stated, [q for q in most if q.key[0] not in own])
