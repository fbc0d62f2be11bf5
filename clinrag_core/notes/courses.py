"""Reads how long texts give regimens, in words and in short notation, such as 2RHZE/4RH.

A course has its drugs, its days and its phase. Lengths after "at" or "after" say when something is
done, and are no course.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from clinrag_core.facts.frequencies import HOW_OFTEN
from clinrag_core.facts.quantities import quantities
from clinrag_core.facts.regimens import letter_drugs, lettered_regimens
from clinrag_core.facts.short_lengths import lengths_in_full
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clinrag_core.answer.engine import AnswerEngine
    from clinrag_core.facts.quantities import Quantity

Phase = Literal["initial", "continuation", ""]
_FIRST_LINE = frozenset({"isoniazid", "rifampin", "pyrazinamide"})
_NOTED = re.compile(
    r"(?<!\d[.,])\b(?P<months>\d{1,2}) ?\(?(?P<drugs>[HRZES]{1,5}|HP)\)?(?![A-Za-z])"
)
_MORE = re.compile(r"\s?(?:/|,? ?(?:then|followed by))\s?\d")
_PART = re.compile(r"\b(?:then|followed by|thereafter|after (?:which|that))\b|[;\n]|\.\s")
_GOES_ON = ("then", "followed by", "thereafter", "after which", "after that")
_GIVEN_FOR = re.compile(
    r"(?:\b(?:for|further|another|additional|lasts?|lasting|takes?|over|throughout|duration|total"
    r"|x|be)|[:(,\u00d7])"
    r"(?: (?:a|an|the|at least|about|only|just|total|further|minimum|period|of|another))*\s*$"
)
_OF_COURSE = re.compile(
    rf"^[ -]?(?:of (?:{HOW_OFTEN}|isoniazid|rifamp\w+|treatment)|courses?\b|regimens?\b"
    r"|continuation\b|phase\b)"
)
_LATER = re.compile(
    r"\b(?:continuation|step(?:ping)? down|thereafter|then|further|followed by|second phase)\b"
)
_CONTINUATION = re.compile(r"\bcontinuation (?:phase|treatment)\b")
_OF_CONTINUATION = frozenset({"isoniazid", "rifampin"})
_EARLIER = re.compile(r"\b(?:initial|intensive|first (?:phase|two|2))\b")
_CONDITION = re.compile(r"\b(?:[Ii]f|[Uu]nless|[Ss]hould|[Ii]n case)\b[^.;:,]{0,80}[:,]")
_DAYS = {"minute": 1 / 1440, "month": 30.4}
_DOSES = re.compile(r"\b(?:for |x ?|total of )?(\d{1,2}) (?:weekly )?doses\b")
_WEEK = 7.0


class Course(NamedTuple):
    """A regimen with the days that it is given, from and to, and its phase."""

    drugs: frozenset[str]
    low: float
    high: float
    phase: Phase


def courses(text: str, engine: AnswerEngine) -> list[Course]:
    """Return the courses that a text gives, those of the short notation first."""
    return [*_noted(text), *_in_words(lengths_in_full(text), engine)]


def phase_without_drugs(text: str) -> list[Course]:
    """Return the course of rifampicin and isoniazid of a text that only names its phase."""
    folded = fold_chars(lengths_in_full(text))
    spans = [*_lengths(folded)] if _CONTINUATION.search(folded) else []
    return [Course(_OF_CONTINUATION, *spans[0], "continuation")] if spans else []


def _noted(text: str) -> Iterator[Course]:
    is_later = False
    for match in _NOTED.finditer(text):
        drugs = letter_drugs(match["drugs"])
        days = int(match["months"]) * _DAYS["month"]
        goes_on = _MORE.match(text, match.end()) is not None
        phase: Phase = "continuation" if is_later else "initial" if goes_on else ""
        is_later = goes_on
        alone = "pyrazinamide" not in drugs and {"isoniazid", "rifampin"} <= drugs
        is_row = re.search(r"continuation phase\W*$", fold_chars(text[: match.start()])) is not None
        yield Course(drugs, days, days, "continuation" if alone and is_row else phase)


def _in_words(text: str, engine: AnswerEngine) -> Iterator[Course]:
    """Yield the courses of the parts of a text that name drugs and a length.

    A drug of a condition is not given: "if A is not tolerated: B for 4 months".
    """
    text = _CONDITION.sub(lambda m: " " * len(m.group()), text)
    folded = fold_chars(text)
    is_aligned = len(folded) == len(text)
    start = 0
    later = False
    for end in [*(m.start() for m in _PART.finditer(folded)), len(folded)]:
        part = folded[start:end]
        drugs = set(engine.drugs.ingredients(part))
        if is_aligned:
            for _, _, own in lettered_regimens(text[start:end]):
                drugs |= own
        spans = [*_lengths(part)]
        if drugs and spans:
            yield Course(frozenset(drugs), *spans[0], _phase(part, drugs, later=later))
        later = folded[end : end + 12].lstrip("; .").startswith(_GOES_ON)
        start = end


def _phase(part: str, drugs: set[str], *, later: bool) -> Phase:
    if drugs >= _FIRST_LINE or _EARLIER.search(part):
        return "initial"
    return "continuation" if later or _LATER.search(part) else ""


def _lengths(part: str) -> Iterator[tuple[float, float]]:
    """Yield the lengths of a course in a part of a text, in days."""
    for one in quantities(part):
        if one.kind == "duration" and _is_course(part, one):
            values, unit, _ = one.key
            if unit in _DAYS:
                yield float(min(values)) * _DAYS[unit], float(max(values)) * _DAYS[unit]
    weekly = any(q.kind == "frequency" and q.key[2] == ("week",) for q in quantities(part))
    match = _DOSES.search(part)
    if match and weekly:
        yield int(match[1]) * _WEEK, int(match[1]) * _WEEK


def _is_course(part: str, one: Quantity) -> bool:
    before, after = part[: one.start], part[one.end :]
    return _GIVEN_FOR.search(before) is not None or _OF_COURSE.search(after) is not None
