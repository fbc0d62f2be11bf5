"""Reads lengths and days of treatment as notes shorten them: "2/52", "D14", "for four more"."""

from __future__ import annotations

from clinrag_core.facts.times import DAYS
from clinrag_core.text.expressions import lazy_re

_SHORT = lazy_re(r"\b(\d{1,2}) ?/ ?(7|52|12)\b(?! ?(?:mg|mmhg|\d))")
"""Days, weeks and months as notes write them: 2/52 is two weeks."""
_UNITS = {"7": "days", "52": "weeks", "12": "months"}
_MORE_OF = lazy_re(
    r"(?P<unit>(?:day|week|month)s)\b(?P<said>[^.;]{0,80}?\bfor \w+)(?: more)(?=[,.;]|$| so\b)"
)
"""A length whose unit is the one before: "two months, then two drugs for four more"."""
_ON_DAY = lazy_re(r"\bd(?:ay )?(\d{1,3})\b|\b(?:week|wk) (\d{1,2})\b|\bmonth (\d{1,2})\b")


def lengths_in_full(text: str) -> str:
    """Return a text with lengths in full: "2/52" as "2 weeks", "for two more" with its unit."""
    whole = _SHORT.sub(lambda m: f"{m[1]} {_UNITS[m[2]]}", text)
    return _MORE_OF.sub(lambda m: f"{m['unit']}{m['said']} {m['unit']}", whole)


def day_of_treatment(folded: str) -> float | None:
    """Return the day of treatment that a folded text names: "week 2" is 14; None for none."""
    match = _ON_DAY.search(folded)
    if match is None:
        return None
    named = zip(("day", "week", "month"), match.groups(), strict=True)
    return next(int(number) * DAYS[unit] for unit, number in named if number)
