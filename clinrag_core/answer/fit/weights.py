"""Whether a statement is for the weight of the people that a question is about."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from clinrag_core.answer.fit.misfit import Misfit
from clinrag_core.answer.fit.ranges import any_has, any_meet, in_words
from clinrag_core.facts.growth import plausible_weight
from clinrag_core.facts.intervals import Interval
from clinrag_core.facts.people import CHILD_WEIGHT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clinrag_core.answer.fit.statement_slots import StatementSlots
    from clinrag_core.answer.question.slots import QuestionSlots

USUAL_WEIGHT = 70.0
"""Kilograms of the adult that pharmacology takes as standard."""
INFANT_WEIGHT = 12.0
"""Kilograms that hardly any child below one year weighs."""
ROUNDING = 0.5
"""Kilograms by which a weight in pounds may differ from its whole number in a table."""
ADULT_WEIGHTS = Interval(0, 0, "weight", 35.0, math.inf, True, False)
"""Kilograms from which the weight bands of guidelines are those of adults."""
GROWN = 12.0
"""Years from which tables give the doses of adults: "children" are not meant by it."""


def weight_misfits(slots: QuestionSlots, own: StatementSlots) -> Iterator[Misfit]:
    """Yield a misfit if a statement is for another weight, or for one that nobody so old has."""
    asked, has = slots.people.weights, own.people.weights
    if not has:
        return
    if asked:
        if not any_meet(asked, has) and not is_rounded(asked, has):
            yield Misfit("people", in_words(asked), in_words(has))
        elif _is_open_band(slots, own):
            yield Misfit("people", in_words(slots.people.ages), in_words(has))
    elif slots.asks_dosing and _is_of_one_weight(own):
        yield Misfit("people", "any weight", in_words(has), is_qualifier=True)
    elif slots.is_for_child and (likely := plausible_weight(slots.people.ages)):
        if not any_meet([likely], has):
            yield Misfit("people", in_words(slots.people.ages), in_words(has))
    elif slots.asks_dosing and not slots.is_for_child and not _is_usual_weight(own):
        yield Misfit("people", "adults", in_words(has), is_qualifier=True)


def is_at_weight(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a statement has a range with both ends for the weight asked about."""
    bands = [one for one in own.people.weights if one.low > 0 and one.high < math.inf]
    return any(mine.meets(one) for mine in slots.people.weights for one in bands)


def forbids_weight(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a statement gives no dose and names the weight asked about.

    Under the heading of adults a label says below which weight its tablets are not used.
    """
    asked, has = slots.people.weights, own.people.weights
    return bool(asked and has) and not own.has_regimen and any_meet(asked, has)


def is_lowest_of_adults(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a child's weight is in a band that has no lower end: the first of adults.

    Of a child whose weight is not given, those that it may have.
    """
    asked, weights = slots.people.weights, own.people.weights
    if own.people.ages and not any(one.low >= ADULT_WEIGHTS.low for one in weights):
        return False
    is_small = all(one.low < GROWN for one in slots.people.ages)
    met = [
        one
        for one in weights
        if (any_meet(asked, [one]) if asked else not is_small or one.low < CHILD_WEIGHT)
    ]
    return bool(met) and all(one.low <= 0 and one.high > CHILD_WEIGHT for one in met)


def _is_open_band(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a dose is for "30 kg or less", of any age, where an infant's is asked.

    The table may begin at one year; what is for infants says so, or has a weight of theirs.
    """
    is_infant = bool(slots.people.ages) and all(one.high < 1 for one in slots.people.ages)
    is_open = all(one.low == 0 and one.high > INFANT_WEIGHT for one in own.people.weights)
    return slots.asks_dosing and is_infant and is_open and not own.people.ages


def is_rounded(asked: Sequence[Interval], has: Sequence[Interval]) -> bool:
    """Return whether two single weights differ by rounding: 154 lb are 69.9 kg, printed as 70."""
    return any(
        a.low == a.high and b.low == b.high and abs(a.low - b.low) < ROUNDING
        for a in asked
        for b in has
    )


def _is_of_one_weight(own: StatementSlots) -> bool:
    """Return whether a row is for one weight of many: "80 kg: 5 tablets" is no dose at 80 years."""
    is_row = own.statement.statement_kind == "row"
    return is_row and all(one.low == one.high for one in own.people.weights)


def _is_usual_weight(own: StatementSlots) -> bool:
    """Return whether a dose is one of adults in general, or a row is one of their weight bands."""
    has = own.people.weights
    if own.statement.statement_kind == "row":
        return any_meet([ADULT_WEIGHTS], has)
    return any_has(has, USUAL_WEIGHT)
