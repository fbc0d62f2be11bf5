"""Ranges of ages, weights and kidney function: whether they meet, and how they are said."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from clinrag_core.facts.intervals import UNITS
from clinrag_core.facts.people import AGE_GROUPS, GROWING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clinrag_core.facts.intervals import Interval

_IN_MONTHS = 2.0
"""Years below which an age is said in months."""


def any_meet(some: Iterable[Interval], others: Sequence[Interval]) -> bool:
    """Return whether one of some ranges meets one of others."""
    return any(one.meets(other) for one in some for other in others)


def any_has(ranges: Iterable[Interval], value: float) -> bool:
    """Return whether a value is in one of some ranges."""
    return any(one.has(value) for one in ranges)


def in_words(ranges: Iterable[Interval]) -> str:
    """Return ranges in words: "30 to 50 mL/min", "children", "12 years and more"."""
    return " or ".join(dict.fromkeys(_range_in_words(one) for one in ranges))


def _range_in_words(one: Interval) -> str:
    """Return a range by the name of its age group, or by its bounds with their unit."""
    for name, (low, high) in AGE_GROUPS.items():
        if one.of == "age" and (one.low, one.high) == (low, high):
            return "older adults" if name == "elderly" else name
    unit, factor = UNITS[one.of], 1.0
    end = one.low if math.isinf(one.high) and one.low else one.high
    if one.of == "age" and end < _IN_MONTHS:
        unit, factor = "months", 12.0
    low, high = (f"{round(value * factor, 1):g}" for value in (one.low, one.high))
    if one.low == one.high:
        return f"{low} {unit}"
    if math.isinf(one.high) or one.high == GROWING:
        return f"{low} {unit} and more" if one.with_low else f"more than {low} {unit}"
    if one.low == 0:
        return f"up to {high} {unit}" if one.with_high else f"less than {high} {unit}"
    return f"{low} to {'' if one.with_high else 'less than '}{high} {unit}"
