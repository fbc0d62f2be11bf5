"""Reads how often an amount is given and which times have passed, and compares lengths of time.

"Five months into treatment" is no course that is asked for; 26 weeks are 6 months.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

from clinrag_core.text.expressions import lazy_re

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clinrag_core.facts.quantities import Quantity

_SCHEDULES = (("week",), ("month",))
DAYS = {"day": 1.0, "week": 7.0, "month": 30.4, "year": 365.25}
"""Days in each unit of a course; those of a month and a year are means of the calendar."""
TOLERANCE = 0.1
"""Share by which the same course differs in weeks and in months: 4 weeks, a month, are 8 % less."""
_REACH = 60
"""Characters between an amount and how often it is given (ablation: ADR 0061)."""
_PASSED = lazy_re(r"\s*(?:into|ago|after|later|before|post|since|old|late|pregnant)\b", re.I)
_LAPSED = lazy_re(
    r"\b(?:held|paused|interrupted|off it|went without)(?: for| about| some)* $", re.I
)
"""What is right before the length of a gap."""


def has_passed(text: str, quantity: Quantity) -> bool:
    """Return whether a time in a text has passed: "five months into treatment", "held 9 days"."""
    has = _PASSED.match(text, quantity.end) or _LAPSED.search(text[: quantity.start])
    return quantity.kind == "duration" and has is not None


def is_same_time(one: Quantity, other: Quantity) -> bool:
    """Return whether a time is in the range of another of another unit, to a tenth."""
    (low, high), (least, most) = (
        (float(q.values[0]) * DAYS[q.unit], float(q.values[-1]) * DAYS[q.unit])
        for q in (one, other)
    )
    return least * (1 - TOLERANCE) <= low and high <= most * (1 + TOLERANCE)


def frequency_of(
    text: str, amount: Quantity, quantities: Iterable[Quantity], following: int, *, in_row: bool
) -> Quantity | None:
    """Return how often an amount is given: said right after it, or in the heading of its cell.

    Args:
        text: what is read; a row of a table has its cells between semicolons.
        amount: whose frequency is wanted.
        quantities: all of the text.
        following: where the next amount begins; what is said from there on is that of the next.
        in_row: whether the text is a row of a table.
    """
    times = [q for q in quantities if q.kind == "frequency"]
    limit = min(amount.end + _REACH, following)
    if in_row:
        cell_end = text.find(";", amount.end)
        limit = min(limit, cell_end) if cell_end >= 0 else limit
    after = next((q for q in times if amount.end <= q.start < limit), None)
    if after is not None:
        return after
    cell = text.rfind(";", 0, amount.start) + 1
    return next((q for q in reversed(times) if cell <= q.start and q.end <= amount.start), None)


_PERIOD = lazy_re(r"\b(minute|hour|day|week|month|year)s?\b")
_APART = lazy_re(r"\b(?:h|hrs?|hours?|min(?:utes)?|days?) apart\b")
_VAGUE = lazy_re(r"\b(?:several|some|many|a few) (hour|day|week|month|year)s\b")
_OF_TREATMENT = lazy_re(r"\b(?:week|day|month)s? \d+")
_NUMBERED = lazy_re(r"\b(day|week|month)s? (\d+) ?(?:to|through|until|-|\u2013) ?(\d+)\b")


def are_apart(folded: str) -> bool:
    """Return whether a folded text says how far two things are apart: "12 hours apart"."""
    return _APART.search(folded) is not None


def vague_period(folded: str) -> str:
    """Return the unit of a length of time without its figure: "several months"; else nothing."""
    found = _VAGUE.search(folded)
    return found[1] if found else ""


def periods_named(folded: str) -> set[str]:
    """Return the units of time that a case-folded text names."""
    return set(_PERIOD.findall(folded))


def times_of_treatment(folded: str) -> frozenset[str]:
    """Return the days, weeks and months of a treatment that a text numbers: "day 1", "week 3"."""
    return frozenset(match.group() for match in _OF_TREATMENT.finditer(folded))


def numbered_periods(folded: str) -> set[tuple[Decimal, str]]:
    """Return how many days, weeks or months a case-folded text numbers: "days 2 to 5" are four."""
    return {
        (Decimal(int(last) - int(first) + 1), unit)
        for unit, first, last in _NUMBERED.findall(folded)
    }


def has_other_schedule(asked: Iterable[Quantity], stated: Iterable[Quantity]) -> bool:
    """Return whether both name how many times a week or month, and none of these is the same."""
    mine, others = (
        {one.key for one in some if one.kind == "frequency" and one.per[-1:] in _SCHEDULES}
        for some in (asked, stated)
    )
    return bool(mine and others) and mine.isdisjoint(others)


def lasts_days(quantity: Quantity) -> bool:
    """Return whether a figure is a time of days or more: hours and minutes are those of a dose."""
    return quantity.kind == "duration" and quantity.unit in DAYS


def is_rate(quantity: Quantity) -> bool:
    """Return whether a figure is per minute or hour, as the rate of an infusion is."""
    return not {"minute", "hour"}.isdisjoint(quantity.per)
