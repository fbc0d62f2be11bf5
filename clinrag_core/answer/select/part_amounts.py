"""Amounts that are no dose by themselves: of one tablet of several, of a step, below a limit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.facts.times import is_rate
from clinrag_core.text.expressions import lazy_re

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clinrag_core.facts.quantities import Quantity

REACH = 30
"""Characters before an amount that say what it is of."""
_COUNTED = lazy_re(r"\d m?c?g \(?(?:\d+|one|two|three|four|six)(?: of the| x)? $", re.I)
_TABLETS = lazy_re(r" ?(?:tablet|capsule|caplet|pill|vial)s?\b", re.I)
"""What is around the amount of one tablet of several that make a dose."""
_HOW_MANY = lazy_re(r"\b(?:\d+|two|three|four|five|six)(?: of the| x)? $", re.I)
_OF_EACH = lazy_re(r"[- ]?(?:[\w-]+ ){0,3}(?:tab|tablet|cap|capsule|pill)s?\b", re.I)
_STEP = lazy_re(
    r"\b(?:(?:(?:in|de)crements?|steps) of|(?:(?:in|de)creas|rais|reduc)\w+ by)"
    r" (?:up to |at most )?$",
    re.I,
)
"""What is before an amount by which a dose is changed."""
_SIGNS = "<>≤≥"
_LIMITS = frozenset({"<", "<="})


def is_of_tablet(said: str, figure: Quantity) -> bool:
    """Return whether an amount is that of one tablet of several: "200 mg (2 of the 100 mg X)"."""
    is_counted = _COUNTED.search(said, max(0, figure.start - REACH), figure.start)
    return is_counted is not None and _TABLETS.match(said, figure.end) is not None


def is_strength(text: str, figure: Quantity) -> bool:
    """Return whether an amount is that of each of several tablets: "three 10 mg film tabs"."""
    is_counted = _HOW_MANY.search(text, max(0, figure.start - REACH), figure.start)
    return is_counted is not None and _OF_EACH.match(text, figure.end) is not None


def is_step(said: str, figure: Quantity) -> bool:
    """Return whether a dose is changed by an amount: "in increments of 5 mg", "raised by 5 mg"."""
    return _STEP.search(said, max(0, figure.start - REACH), figure.start) is not None


def is_no_dose(said: str, figure: Quantity) -> bool:
    """Return whether an amount is of a tablet, a step or a group: "≤600 mg/day" in a cohort."""
    is_of_group = said[figure.start] in _SIGNS
    return is_of_group or is_of_tablet(said, figure) or is_step(said, figure)


def is_allowed_rate(asked: Quantity, stated: Iterable[Quantity]) -> bool:
    """Return whether a rate asked, of an infusion, is within every limit that is stated."""
    if not is_rate(asked):
        return False
    limits = [q for q in stated if q.comparator in _LIMITS and q.key[1:] == asked.key[1:]]
    return bool(limits) and all(asked.key[0][-1] <= q.key[0][-1] for q in limits)
