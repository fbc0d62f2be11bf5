"""Reads the numeric ranges that say whom a statement is for: age, weight, creatinine clearance.

Ranges are in years, kg and mL/min, open or closed as the text says, whatever unit it prints. The
weeks of a course ("weeks 3 to 24") are read as well. Doses and durations are `quantities`.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from clinrag_core.facts.populations import is_age_or_weight
from clinrag_core.facts.quantities import HAS_NUMBER, quantities
from clinrag_core.facts.spans import CACHED_TEXTS
from clinrag_core.text.expressions import lazy_re, lookback
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.units import NUMBER

if TYPE_CHECKING:
    from clinrag_core.facts.quantities import Quantity

Measured = Literal["age", "weight", "kidney", "course"]

UNITS: dict[Measured, str] = {
    "age": "years",
    "weight": "kg",
    "kidney": "mL/min",
    "course": "weeks",
}
_YEARS = {"day": 1 / 365.25, "week": 7 / 365.25, "month": 1 / 12, "year": 1.0}
_WEEKS = {"day": 1 / 7, "week": 1.0, "month": 4.345, "year": 52.2}


class Interval(NamedTuple):
    """A range of a measure, with its span; an end that the text leaves open is infinite."""

    start: int
    end: int
    of: Measured
    low: float
    high: float
    with_low: bool = True
    with_high: bool = True

    def meets(self, other: Interval) -> bool:
        """Return whether a value is in both."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        return low < high or (low == high and self.has(low) and other.has(low))

    def has(self, value: float) -> bool:
        """Return whether a value is in it."""
        above = self.low < value or (self.with_low and self.low == value)
        return above and (value < self.high or (self.with_high and value == self.high))


_KIDNEY = lazy_re(
    r"glomerular filtration|crcl|clcr|cockcroft|\bcl\.? ?cr(?:eat)?\b|e?gfr|creatinine"
    r"|\bcreat clear|renal|kidney"
    r"|\bclearance of(?= \d)|\b(?:cr\.?|his|her|their|whose|with a) ?clearance\b"
)
_OF_KIDNEY = (
    *("glomer", "crcl", "clcr", "cl.", "cl cr", "cock", "gfr", "creat", "renal", "kidney", "clear"),
)
"""Letters without which it matches nothing."""
_PER_SECOND = lazy_re(r"(?<![\d.,])(?P<value>\d(?:[.,]\d{1,2})?) ?ml ?/ ?s(?:ec(?:ond)?)?\b")
"""A clearance in SI units; in others it is sixty times as much."""
_BOUNDS = (
    rf"(?:(?:[<>≤≥]=?|less than(?: or equal to)?|greater than(?: or equal to)?|below|under|above"
    rf"|over|between)?\s*{NUMBER}(?:\s*(?:-|to|and)\s*(?:less than|[<≤])?\s*{NUMBER})?)"
)
_OF_ELSE = r"[^\d;.]{0,24}\b(?:age[ds]?|weigh(?:t|s|ing)|days?|weeks?|months?)[\s:]+(?:is |of )?\d"
"""What makes the figure after a clearance one of something else: "by Cockcroft, weight 62"."""
_LIMITS = "(?:under|over|below|above|older than|younger than)"
# "CrCl < 30", cells under a heading that has the unit ("Weight (kg): 25-39") or needs none, and
# the patient that a question begins with: "67, on rifampin, ...".
_AGE_WORDS = (
    r"(?:two|three|four|five|six|seven|eight|ten|twelve|fourteen|fifteen|sixteen|eighteen)\b"
)
_BARE = lazy_re(
    rf"^(?P<first>(?:1[89]|[2-9]\d)(?=,\s+[a-z]))"
    rf"|\b(?:(?P<kidney>(?:crcl|clcr|e?gfr|glomerular filtration rate"
    rf"|cr(?:eat(?:inine)?)?\.? clearance"
    rf"|cockcroft(?:[- ]gault)?|(?:renal|kidney) function"
    rf"(?= (?:is |now |of |at )*\d++(?! (?:patients|people|adults|child))))"
    rf"(?!{_OF_ELSE})"
    rf"[^\d;.:]{{0,14}}(?:\([^)]*ml[^)]*\))?[^\d;.<>=≤≥]{{0,12}}?(?:[:=~≈]\s*)?)(?P<k>{_BOUNDS})"
    rf"(?!\s*(?:ml|%|(?:kg|mg|mcg|g|units?|y(?:ea)?rs?|y/?o|months?|weeks?|days?|h(?:ours?)?)\b)|\.?\d)"
    rf"|(?P<weight>weight[^:;\d]{{0,24}}\bkg\b[^:;\d]{{0,16}}:\s*)(?P<w>{_BOUNDS})(?!\s*kg|\.?\d)"
    rf"|(?P<age>(?:age[^:;\d]{{0,24}}\b(?P<unit>years?|months?)\b[^:;\d]{{0,12}}"
    rf"|(?<![^\s;])(?<![^;] )age(?:,? (?:groups?|\(?yrs?\)?))?):\s*)(?P<a>{_BOUNDS})"
    rf"(?!\s*(?:y(?:ea)?rs?|y/?o|months?|mo\b|weeks?|days?|(?:-|to|and)\s*\d|[-/]\s*[a-z])"
    rf"|\.?\d)"
    rf"|(?P<people>(?:dos(?:e|es|age|ing)|child(?:ren)?|infants?|kids?|people|persons?|patients?|pts?|adults?|(?:wo)?m[ae]n"
    rf"|(?:some|any)(?:one|body)|(?:s?he|they|who) (?:is|are|was|were))\s+"
    rf"(?:aged\s+)?(?={_LIMITS}|aged)|\b(?=aged\s))"
    rf"(?P<p>(?:{_LIMITS}|aged)\s+{NUMBER}(?:\s*(?:-|to)\s*{NUMBER})?)"
    rf"(?!\s*(?:-|to|or(?! (?:older|over|above|more|younger|under))|years?|months?|weeks?|days?"
    rf"|h(?:ou)?rs?|h\b|min(?:ute)?s?|f(?:ee)?t|sessions?|lbs?|pounds?|stone|[cm]m|k?g|kilos?|ml|mc?g|units?|%)|[\d/]|[.,]\d))"
    rf"|(?P<of>\b(?:(?:under|below|over|above|(?:young|old)er than|less than|from)\s+(?:the\s+)?age"
    rf"(?:\s+of)?\s+|child(?:ren)?\s+(?:aged\s+)?(?:under|below|younger than)\s+(?=[a-z]))"
    rf"(?:{_AGE_WORDS}|{NUMBER}))(?!\s*(?:-|to|y(?:ea)?rs?|months?|weeks?|days?)|[\d/]|[.,]\d)"
)
_DECADE = lazy_re(
    r"(?:(?<=\bin )|(?<=\bfor )|(?<=\bthe )|(?<=\bamong )|(?<=\bpeople )|(?<=\bpatients )"
    r"|\b(?=\w+-))(?P<side>over|under)[- ](?P<age>\d{1,2})'?s\b"
)
"""A group of people by a limit of their age: "in over-60s"; "pushed over 60s" is a time."""
_OLD = lazy_re(r"(?:\s|-)?(?:olds?\b|of age\b|y/?o\b)")
_PEOPLE_BEFORE = lazy_re(
    r"(?:\bage[sd]?|\bage (?:of|is|was|group|range)|\bchild(?:ren)?|\binfants?|\bneonates?"
    r"|\badults?|\badolescents?|\bcontacts?|\bpatients?|\bpersons?|\bpeople|\bp(?:a)?ediatrics?|\bboys?"
    r"|\bgirls?)(?:\s*\((?:in )?(?:years?|months?)\))?"
    r"(?:\s+(?:(?:older|younger|less|greater|more) than(?: or equal to)?"
    r"|who are|of|over|under|above|below|at least|from))*"
    r"[\s:,(-]*(?:[<>≤≥]=?\s*)?$"
)
_GESTATION = lazy_re(
    r"\b(?:gestation\w*|post-?menstrual|post-?conception\w*|menstrual) age\b[^.;\d]*$"
)
"""What makes a time one since conception: it is no age since birth."""
_PREGNANT = lazy_re(r"\s*(?:of )?gestation|\s+pregnan")
_BIRTH = lazy_re(r"\bbirth (?:to|through|up to|until)(?: less than)? $")
_BRACKETED = lazy_re(r"\([<>≤≥]=? ?\d+ ?years?\)$")
"""Whom a table is for: "doses (>15 years)"."""
_OVER = lazy_re(r"\b(?:younger than|older than|under|over|below|above)\s+(?:the age of\s+)?$")
_SHORT_YEARS = lazy_re(r"\d\s?y(?:rs?)?$")
_LASTING = lazy_re(
    r"\b(?:for|of|over|after|every|each|within|last\w*|next|past|in|since|x"
    r"|tb|ltbi|hiv|dm|t2dm|diabet\w+|htn|hypertension|copd|asthma|ckd|dialysis|epilepsy|smok\w+)"
    r"\s+[<>≤≥~]?$"
)
"""What makes "2 y" a time: without it the short form is somebody's age."""
_PAST = lazy_re(r"\s*(?:ago|earlier|back|previously|before|later|post|into|history)\b")
""""4 yrs ago" is no age."""
_TO = lazy_re(
    r"\s*(?:of age\s+)?(?:to|through|and|but|-|up to)\s*(?:less than|under|below|up to|<=?|≤)?\s*"
)
_LOW_BEFORE = lazy_re(
    rf"(?P<sign>(?:>=?|≥)\s*)?(?P<low>{NUMBER})\s*(?:to|-|and|but)"
    rf"\s*(?:less than|under|below|[<≤])?\s*$"
)
_BETWEEN = lazy_re(rf"\bbetween\s+(?P<low>{NUMBER})\s+and\s+$")
_POUNDS_OR_GRAMS = lazy_re(
    r"(?<![\d.,/])(?P<weight>\d{1,3}(?:,?\d{3})?(?:\.\d+)?)[\s-]?"
    r"(?P<unit>lbs?|pounds?|stone)\b(?! s)"
    r"|\bweigh\w*(?: (?:is|of|was|at|only))* (?P<weight_in_grams>\d,?\d{3}) ?g(?:rams?)?\b"
)
_KILOGRAMS_PER_POUND = 0.45359237
"""The international avoirdupois pound, by definition."""
_COURSE = lazy_re(
    rf"\b(?P<unit>weeks?|wks?|days?|months?)\s+(?P<low>{NUMBER})"
    rf"(?:\s*(?:-|to|through|and)\s*(?:(?:week|day|month)s?\s+)?(?P<high>{NUMBER}))?(?![\d.])"
    rf"(?P<open>\s*\+|\s+(?:onwards?|or later|and later|and beyond|or more))?"
    rf"|(?P<past>\bafter the\s+)?\b(?:first|initial)\s+(?P<count>{NUMBER}|two|three|four|eight)"
    r"\s+(?:consecutive\s+)?(?P<units>weeks|days|months)\b"
)
_CHANGED = lazy_re(
    r"(?<![\w-])(?:gain(?:s|ed|ing)?|los(?:t|es|ing|e)|put(?:ting)? on|shed(?:ding)?|"
    r"dropp(?:ed|ing)|(?:loss|gain|drop|decrease|increase|change)(?: of)?|"
    r"(?:up|down|increased|decreased)(?: by)?)"
    r"(?: (?:only|just|about|around|over|almost|nearly|another|some|a|further|more than|at least))*"
    r" ?[~≥>+-]?\s*$"
)
"""Before kilograms that were gained or lost: "has lost about 6 kg", "is up 2 kg"."""
_CHANGE = lazy_re(
    r"\s*(?:of )?(?:(?:un)?intentional |unplanned )?"
    r"(?:weight[- ])?(?:loss|gain(?:ed)?|lost|lighter|heavier|weight (?:lost|gained))\b"
)
"""After kilograms that were gained or lost: "6 kg weight loss", "2 kg lighter"."""
_WORD_COUNTS = {"two": 2, "three": 3, "four": 4, "eight": 8}


@lru_cache(maxsize=CACHED_TEXTS)
def intervals(text: str) -> tuple[Interval, ...]:
    """Return every range of age, weight, kidney function or course in a text, in order.

    A point ("CrCl 25 mL/min") is a range of one value. "3 kg to less than 6 kg" is one range.
    """
    folded = fold_chars(text)
    if not HAS_NUMBER.search(folded):
        return ()
    if ("over" in folded or "under" in folded) and (decade := _DECADE.search(folded)) is not None:
        low, high = float(decade["age"]), math.inf
        if decade["side"] == "under":
            low, high = 0.0, low
        rest = folded[: decade.start()] + " " * len(decade.group()) + folded[decade.end() :]
        one = Interval(*decade.span(), "age", low, high, decade["side"] == "under", False)
        return tuple(sorted([one, *intervals(rest)]))
    found: list[Interval] = []
    inserted: list[tuple[int, int]] = []

    def with_unit(match: re.Match[str]) -> str:
        unit = _implied_unit(match)
        inserted.append((match.end(), len(unit)))
        return match.group() + unit

    spelt = _BARE.sub(with_unit, folded)
    has_kidney = any(one in spelt for one in _OF_KIDNEY) and _KIDNEY.search(spelt) is not None
    read = quantities(spelt if inserted else text)
    every = [q for q in read if q.unit in _YEARS or q.unit in {"kg", "ml"}]
    known: list[tuple[Quantity, Measured]] = [
        (q, of) for q in every if (of := _measured(spelt, q, has_kidney))
    ]
    for quantity, of in _with_other_ends(spelt, known, every):
        one = _interval(spelt, quantity, of)
        last = found[-1] if found else None
        if (
            last is not None
            and last.of == of
            and _TO.fullmatch(spelt[last.end : _sign(spelt, one)])
        ):
            found[-1] = _joined(last, one)
        else:
            found.append(one)
    placed = [
        one._replace(start=_original(one.start, inserted), end=_original(one.end, inserted))
        for one in found
    ]
    placed = _within_heads(folded, placed)
    if not any(one.of == "weight" for one in placed):
        placed += _in_pounds_or_grams(folded)
    if has_kidney and not any(one.of == "kidney" for one in placed):
        placed += [
            Interval(*match.span(), "kidney", minute, minute)
            for match in _PER_SECOND.finditer(folded)
            for minute in [round(float(match["value"].replace(",", ".")) * 60, 1)]
        ]
    has_course = any(one in folded for one in ("day", "week", "wk", "month"))
    return (*placed, *(_courses(folded) if has_course else ()))


def _within_heads(folded: str, found: list[Interval]) -> list[Interval]:
    """Return ranges, those of ages without an end with that of one in brackets before them.

    "Children (2 to less than 13 years): from 2 years on, ..." is for nobody of 14.
    """
    heads = [o for o in found if o.high < math.inf and folded[: o.start].endswith("(")]
    ends = {(one.of, one.low): one for one in heads}
    return [
        one._replace(high=end.high, with_high=end.with_high)
        if one.of == "age" and one.high == math.inf and end and end.start < one.start
        else one
        for one in found
        for end in [ends.get((one.of, one.low))]
    ]


def _kilograms(match: re.Match[str]) -> float:
    """Return a weight in pounds, stone, which has 14 of them, or grams in kilograms."""
    number = float((match["weight"] or match["weight_in_grams"]).replace(",", ""))
    if match["weight"] is None:
        return number / 1000
    return round(number * (14 if match["unit"] == "stone" else 1) * _KILOGRAMS_PER_POUND, 1)


def _in_pounds_or_grams(folded: str) -> list[Interval]:
    """Return the weights that a text has in pounds, stone or grams, in kg."""
    return [
        Interval(*match.span(), "weight", kilograms, kilograms)
        for match in _POUNDS_OR_GRAMS.finditer(folded)
        if not _is_change(folded, *match.span())
        for kilograms in [_kilograms(match)]
    ]


def _implied_unit(match: re.Match[str]) -> str:
    """Return the unit that the heading of bare bounds has, or that their measure implies."""
    if match["first"]:
        return " years old"
    if match["p"] or match["of"]:
        return " years"
    return " ml/min" if match["k"] else " kg" if match["w"] else f" {match['unit'] or 'years'}"


def _original(at: int, inserted: list[tuple[int, int]]) -> int:
    """Return a position in the text before units were inserted."""
    moved = at
    for place, length in reversed(inserted):
        before = sum(n for p, n in inserted if p < place)
        if at > place + before:
            moved -= min(length, at - place - before)
    return moved


def _measured(text: str, quantity: Quantity, has_kidney: bool) -> Measured | None:
    """Return what a quantity measures of a person; None for what is given or done."""
    if quantity.unit == "kg" and not quantity.per and quantity.kind == "measure":
        return None if _is_change(text, quantity.start, quantity.end) else "weight"
    if quantity.unit == "ml" and quantity.per[:1] == ("minute",):
        return "kidney" if has_kidney else None
    return "age" if quantity.unit in _YEARS and _is_age(text, quantity) else None


def _is_change(text: str, start: int, end: int) -> bool:
    """Return whether a span of a text is what somebody gained or lost: no weight to dose by."""
    is_named = _CHANGED.search(text, lookback(start), start) is not None
    return is_named or _CHANGE.match(text, end) is not None


def _is_age(text: str, quantity: Quantity) -> bool:
    """Return whether a time is somebody's age."""
    if quantity.kind != "duration" or is_since_conception(text, quantity):
        return False
    start = quantity.start
    before = lookback(start)
    is_bracketed = quantity.unit == "year" and _BRACKETED.search(text, before, quantity.end + 1)
    if _BIRTH.search(text, before, start) or is_bracketed:
        return True
    lower = _LOW_BEFORE.search(text, before, start)  # "children (2 to less than 13 years)"
    begins = lower.start("low") if lower else start
    if _OLD.match(text, quantity.end) or _PEOPLE_BEFORE.search(text, before, begins):
        return True
    said = text[quantity.start : quantity.end]
    lasts = _LASTING.search(text, before, start) or _PAST.match(text, quantity.end)
    if said.endswith("yo") or (_SHORT_YEARS.search(said) and not lasts):
        return True
    if quantity.unit != "year":  # "infused over 2 hours" and "under 4 weeks" are no ages
        return bool(re.match(r"\s*(?:or|and) (?:older|younger)", text[quantity.end :]))
    return is_age_or_weight(text, quantity) or bool(_OVER.search(text, before, start))


def is_since_conception(text: str, quantity: Quantity) -> bool:
    """Return whether a time in a text is that of a pregnancy: "34 weeks gestational age"."""
    start = quantity.start
    is_before = _GESTATION.search(text, lookback(start), start)
    return is_before is not None or _PREGNANT.match(text, quantity.end) is not None


def _with_other_ends(
    text: str, known: list[tuple[Quantity, Measured]], every: list[Quantity]
) -> list[tuple[Quantity, Measured]]:
    """Return the measures with the other end of age ranges: "2 months to 17 years of age"."""
    ages = [q for q, of in known if of == "age"]
    taken = {q.start for q, _ in known}
    others: list[tuple[Quantity, Measured]] = []
    for one in every:
        if not ages or one.start in taken or one.kind != "duration":
            continue
        for age in ages:
            first, last = (one, age) if one.start < age.start else (age, one)
            if first.end <= last.start and _TO.fullmatch(text[first.end : last.start]):
                others.append((one, "age"))
                break
    return sorted([*known, *others], key=lambda pair: pair[0].start)


def _interval(text: str, quantity: Quantity, of: Measured) -> Interval:
    """Return the range that a quantity and the words before it say."""
    factor = _YEARS[quantity.unit] if of == "age" else 1.0
    low, high = (float(quantity.values[n]) * factor for n in (0, -1))
    start = quantity.start
    sign = quantity.comparator
    before = lookback(start)
    if of == "age" and (birth := _BIRTH.search(text, before, start)):
        return Interval(birth.start(), quantity.end, of, 0.0, high, True, sign != "<")
    if low == high:
        both = _LOW_BEFORE if sign in {"<", "<="} else _BETWEEN
        if first := both.search(text, before, start):
            least = float(first["low"]) * factor
            return Interval(first.start("low"), quantity.end, of, least, high, True, sign != "<")
        if sign in {"<", "<="}:
            return Interval(start, quantity.end, of, 0.0, high, True, sign == "<=")
        if sign in {">", ">="}:
            return Interval(start, quantity.end, of, low, math.inf, sign == ">=", False)
    return Interval(start, quantity.end, of, low, high, sign != ">", sign != "<")


def _sign(text: str, one: Interval) -> int:
    """Return where the figure of a range begins, behind its sign."""
    return one.start + (len(text[one.start :]) - len(text[one.start :].lstrip("<>=≤≥ ")))


def _joined(first: Interval, last: Interval) -> Interval:
    """Return the one range of "3 kg to less than 6 kg" or "more than 30 and up to 50 mL/min"."""
    return Interval(
        first.start, last.end, first.of, first.low, last.high, first.with_low, last.with_high
    )


def _courses(folded: str) -> tuple[Interval, ...]:
    """Return the parts of a course: "weeks 3 to 24", "first two weeks", "after the first two"."""
    found: list[Interval] = []
    for match in _COURSE.finditer(folded):
        unit = (match["unit"] or match["units"]).rstrip("s").replace("wk", "week")
        if match["count"]:
            low, high = 1.0, float(_WORD_COUNTS.get(match["count"]) or match["count"])
            if match["past"]:
                low, high = high + 1, math.inf
        else:
            first = match["low"].replace(",", "")
            low, high = float(first), float((match["high"] or first).replace(",", ""))
            high = math.inf if match["open"] else high
        # The first unit of a range counts whole: weeks 1 to 2 are 0 to 2 weeks.
        factor = _WEEKS[unit]
        found.append(
            Interval(*match.span(), "course", (low - 1) * factor, high * factor, False, True)
        )
    return tuple(found)
