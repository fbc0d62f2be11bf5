"""Kidney function from a serum creatinine, where a text gives no clearance.

Doses go by clearance: a raised creatinine that is not read gets the dose of healthy kidneys.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from clinrag_core.facts.intervals import Interval
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.facts.people import People

_CREATININE = lazy_re(
    r"\b(?:serum |s[ .])?(?:scr|creat(?:inine)?|cr(?= ?[:=]? ?(?:\d\d?\.\d|\d+ ?[µμum]\w+/)))\b"
    r"(?! ?(?:clear|cl\b))(?: (?:is|was|of|now|level))*"
    r"[ :=~]{0,3}(?P<value>\d{1,4}(?:\.\d+)?)(?![\d.])\s*(?P<unit>(?:µ|μ|u|micro)mol(?:/l)?|mg/dl)?"
    r"(?!\s*(?:ml/min|ml per min|%|mg(?!/dl)|mcg|g\b|tab))"
)
_OF_ROW = lazy_re(
    r"(?:serum )?creatinine\b(?! clear)[^:;]{0,30}: ?(?P<sign>[<>≤≥])?=? ?(?P<low>\d+(?:\.\d+)?)"
    r"(?: ?(?:-|–|to) ?(?P<high>\d+(?:\.\d+)?))?"
)
"""The label of a row for a serum creatinine: "Serum Creatinine (mg %): 1.4 - 1.6"."""
_MALE = lazy_re(r"\b(?:\d{1,3} ?(?:y/?o ?)?m|man|male|gentleman|he|his|him|mr)\b")
_FEMALE = lazy_re(r"\b(?:\d{1,3} ?(?:y/?o ?)?f|woman|female|lady|she|her|mrs|ms)\b")
MICROMOLES = 88.4
"""Micromoles per litre in a milligram per decilitre of creatinine."""
MOST_MILLIGRAMS = 20.0
"""Value from which a creatinine without a unit is in micromoles per litre."""
RAISED = 1.4
"""Milligrams per decilitre above which a creatinine is raised in any adult (upper limit of the
usual reference range of men: 1.3)."""
ADULT = 18.0


def serum_creatinine(text: str) -> tuple[int, int, float] | None:
    """Return the span and the value in mg/dL of the serum creatinine of a text; None without."""
    match = _CREATININE.search(fold_chars(text))
    if match is None:
        return None
    value, unit = float(match["value"]), match["unit"] or ""
    in_micromoles = "mol" in unit or (not unit and value > MOST_MILLIGRAMS)
    return *match.span(), value / MICROMOLES if in_micromoles else value


def creatinine_of_row(row: str) -> tuple[float, float] | None:
    """Return the range of serum creatinine in mg/dL that labels a row; None without one."""
    match = _OF_ROW.match(fold_chars(row))
    if match is None:
        return None
    low = float(match["low"])
    if match["sign"]:
        return (0.0, low) if match["sign"] in "<≤" else (low, math.inf)
    return low, float(match["high"] or low)


def estimated_clearance(
    text: str, ages: Sequence[Interval], weights: Sequence[Interval]
) -> Interval | None:
    """Return an adult's creatinine clearance in mL/min by the formula of Cockcroft and Gault.

    (140 - age) x weight / (72 x creatinine in mg/dL), for women times 0.85 (Nephron 1976;16:31-41).
    None unless the text gives one age, weight, sex and serum creatinine.
    """
    found, folded = serum_creatinine(text), fold_chars(text)
    is_male, is_female = (one.search(folded) is not None for one in (_MALE, _FEMALE))
    exact = [one for one in (*ages, *weights) if one.low == one.high]
    if not found or is_male == is_female or [o.of for o in exact] != ["age", "weight"]:
        return None
    (age, weight), (start, end, creatinine) = exact, found
    if age.low < ADULT or not creatinine:
        return None
    clearance = (140 - age.low) * weight.low / (72 * creatinine) * (0.85 if is_female else 1)
    return Interval(start, end, "kidney", round(clearance), round(clearance))


def with_kidneys(text: str, people: People) -> People:
    """Return people with the kidney function that their serum creatinine comes to, or means.

    On dialysis it is the machine's as much as the kidneys', and no dose goes by it.
    """
    if "dialysis" in people.conditions:
        return people
    clearance = estimated_clearance(text, people.ages, people.weights)
    if clearance is None and not is_raised(text):
        return people
    kidney = people.kidney if clearance is None else (clearance,)
    return people._replace(kidney=kidney, conditions=people.conditions | {"renal_impairment"})


def is_raised(text: str) -> bool:
    """Return whether a text gives a serum creatinine above that of healthy adults."""
    found = serum_creatinine(text)
    return found is not None and found[2] > RAISED
