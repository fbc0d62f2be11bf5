"""How often: "twice daily", "q8h", "every other day", "5 times a week".

Finds spans in text folded by `normalise.fold_chars`; `quantities` turns them into records.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

from clinrag_core.text.expressions import as_tree, lazy_re

_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen twenty"
)
NUMBER_WORDS: dict[str, int] = {word: i for i, word in enumerate(_WORDS.split())} | {
    "twenty-four": 24,
    "thirty": 30,
    "thirty-six": 36,
    "forty-eight": 48,
    "sixty": 60,
    "ninety": 90,
}
NUMBER_WORD = "(?:" + "|".join(sorted(NUMBER_WORDS, key=lambda word: -len(word))) + ")"

HOW_OFTEN = r"(?:once|twice|thrice|(?:three|four) times|daily|nightly|weekly|a day|every)"
"""What begins to say how often, for expressions of what comes before it."""
_COUNT = rf"(?:\d{{1,3}}(?:\.\d)?|{NUMBER_WORD})"
_GAP = r"[\s-]{0,3}"
_PERIODS = {
    "day": "day daily",
    "week": "week weekly",
    "month": "month monthly",
    "year": "year yearly annually",
    "hour": "hour hourly",
}
_PERIOD = {word: period for period, words in _PERIODS.items() for word in words.split()}
_PERIOD_WORD = "(?:" + "|".join(sorted(_PERIOD, key=lambda word: -len(word))) + ")"
_UNIT = "(?:hours?|hrs?|h|days?|d|weeks?|wks?|w|months?|mo|years?)"
_UNIT_INITIAL = {"h": "hour", "d": "day", "w": "week", "m": "month", "y": "year"}
GOES_ON = lazy_re(
    r"(?:daily|nightly|once|twice|thrice|every|per|each|an?|i[vm]|po|od|bd|bid|tds|tid|qds|q\d\w*|prn"
    r"|and|or|with|then|for|in|at|on|by|to|of|over|orally|total|[a-z]+(?:ed|en))\b"
)
"""What goes on with a regimen after a unit with a point: "300 mg. daily"."""
_A_DAY = {"1": "od qd qhs", "2": "bd bid", "3": "tds tid", "4": "qds qid", "0.5": "qod"}
_ABBREVIATIONS = {word: times for times, words in _A_DAY.items() for word in words.split()}
_ABBREVIATED = [rf"{word[0]}\.?{word[1]}" for word in _ABBREVIATIONS]
_DOTTED = "|".join(r"\.?".join(word) + r"\.?" for word in sorted(_ABBREVIATIONS, key=len)[::-1])

_BEFORE, _AFTER = r"(?<![^\W_])(?<!\d[.,])", r"(?![^\W_])"
_FREQUENCY = lazy_re(
    rf"""{_BEFORE}(?:
      (?:(?P<adverb>once|twice|thrice)(?:-?\s(?:or|to)\s(?P<more>twice|thrice|{_COUNT}(?=\stimes))(?:\stimes)?)?
        |(?P<low>{_COUNT})(?:\s?(?:-|to|or)\s?(?P<high>{_COUNT}))?(?:{_GAP}times|\s?x(?=[\s/]|{_PERIOD_WORD})))
        (?:{_GAP}(?:a|an|per|each|every|in\ a)\s+|\s?/\s?|{_GAP})(?P<period>{_PERIOD_WORD})
    | (?:every|each|q\.?)\s?-?(?P<other>other|alternate|second|2nd)\s(?P<other_unit>day|week|month)
    | (?:on\s)?alternate{_GAP}(?P<alternate>day|week)s?
    | (?:once\s)?(?:every|each|q\.?)[\s-]?
        (?P<from>{_COUNT})(?:\s?(?:-|to)\s?(?P<to>{_COUNT}))?{_GAP}(?P<unit>{_UNIT})
    | (?:once\s)?(?:every|each)\s(?P<single>hour|day|night|week|month|year)
    | (?P<hours>{_COUNT})(?:\s?(?:-|to)\s?(?P<most_hours>{_COUNT}))?{_GAP}hourly
    | (?P<apart>{_COUNT})-(?P<apart_unit>weekly|monthly|yearly)(?!\sdoses)  # "2 monthly" are two
    | (?P<bare>daily|weekly|monthly|nightly|hourly|yearly|annually)
    | (?P<abbreviation>{_DOTTED})
    ){_AFTER}""",
    re.VERBOSE,
)
_BEGINS = ("once", "twice", "thrice", "every", "each", "q", "alternate", r"on\s")
_BARE = ("daily", "weekly", "monthly", "nightly", "hourly", "yearly", "annually")
_BEGINNING = as_tree([*_BEGINS, *_BARE, *NUMBER_WORDS, *_ABBREVIATED])
_MAY_BEGIN = lazy_re(rf"(?<![^\W_])(?:\d|{_BEGINNING})")
"""Where a frequency may begin."""


_ADVERBS: dict[str | None, Decimal] = {
    "once": Decimal(1), "twice": Decimal(2), "thrice": Decimal(3),
}  # fmt: skip


class Frequency(NamedTuple):
    """Times per period; two values where it is a range ("every 4 to 6 hours": 4 and 6 a day)."""

    start: int
    end: int
    values: tuple[Decimal, ...]
    period: str


def number(text: str) -> Decimal:
    """Return the value of digits or of a number word."""
    return Decimal(NUMBER_WORDS[text]) if text in NUMBER_WORDS else Decimal(text)


def _interval(low: Decimal, high: Decimal, unit: str) -> tuple[tuple[Decimal, ...], str] | None:
    """Return times per day, or longer unit, from the time between doses; None where it is 0."""
    if not low or not high:
        return None
    whole, period = (Decimal(24), "day") if unit == "hour" else (Decimal(1), unit)
    return tuple(sorted({whole / high, whole / low})), period


def _times(match: re.Match[str]) -> tuple[tuple[Decimal, ...], str] | None:
    """Return the times per period of a match; None for an interval of 0."""
    if word := match["adverb"]:
        both = {_ADVERBS[word], _ADVERBS.get(match["more"]) or number(match["more"] or "1")}
        values = tuple(sorted(both)) if match["more"] else (_ADVERBS[word],)
        return values, _PERIOD[match["period"]]
    if match["low"]:
        both = {number(match["low"]), number(match["high"] or match["low"])}
        return tuple(sorted(both)), _PERIOD[match["period"]]
    if unit := match["other_unit"] or match["alternate"]:
        return (Decimal("0.5"),), unit
    if first := match["from"] or match["hours"] or match["apart"]:
        low, high = number(first), number(match["to"] or match["most_hours"] or first)
        unit = _UNIT_INITIAL[match["unit"][0]] if match["unit"] else "hour"
        return _interval(low, high, _PERIOD[match["apart_unit"]] if match["apart"] else unit)
    if match["abbreviation"]:
        return (Decimal(_ABBREVIATIONS[match["abbreviation"].replace(".", "")]),), "day"
    word = (match["single"] or match["bare"]).replace("nightly", "day").replace("night", "day")
    period = _PERIOD[word]
    return ((Decimal(24),), "day") if period == "hour" else ((Decimal(1),), period)


def find_frequencies(folded: str) -> list[Frequency]:
    """Return all frequencies in a text folded by `normalise.fold_chars`, in order.

    Hours between doses become times a day: "q8h", "every 8 hours" and "three times a day" are 3.
    """
    found: list[Frequency] = []
    start = _MAY_BEGIN.search(folded)
    while start:
        at = start.start() + 1
        if match := _FREQUENCY.match(folded, start.start()):
            at = match.end()
            if (times := _times(match)) is not None:
                found.append(Frequency(match.start(), match.end(), *times))
        start = _MAY_BEGIN.search(folded, at)
    return found


_NEXT = lazy_re(rf"(?:{HOW_OFTEN}|{_DOTTED})(?![^\W_])", re.IGNORECASE)


def says_how_often(text: str, at: int) -> bool:
    """Return whether what begins at a place of a text says how often."""
    return _NEXT.match(text, at) is not None


def without_frequencies(folded: str) -> str:
    """Return a folded text without what it says of how often."""
    for one in reversed(find_frequencies(folded)):
        folded = f"{folded[: one.start]} {folded[one.end :]}"
    return folded


INTERMITTENT = lazy_re(
    r"\b(?:once|twice|thrice|three times)[- ]+(?:or [\w-]+[- ])?(?:a )?week|\bintermittent\b"
)
"""Treatment that is not given every day."""
_IN_ONE_DAY = lazy_re(r"\b(?:per|a|each|every|in one) day\b|\bdaily\b", re.IGNORECASE)
_COUNTED = lazy_re(
    r"\b(?:once|twice|times|doses|(?<!single daily )(?<!daily )dose)\b", re.IGNORECASE
)


def speaks_of_a_day(text: str) -> bool:
    """Return whether a text says what is done in one day."""
    return _IN_ONE_DAY.search(text) is not None


def counts_doses(text: str) -> bool:
    """Return whether a text counts doses or times."""
    return _COUNTED.search(text) is not None
