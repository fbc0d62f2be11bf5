"""Doses, durations, frequencies and other numbers with a unit, as records with exact spans.

What the safety gates compare: 600 mg is not 6000 mg, 5 mg is not 5 mg/kg, twice is not once daily.
Numbers without a unit are no quantities (`numbers`); `populations` reads whom they are for.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from clinrag_core.facts.frequencies import NUMBER_WORD, NUMBER_WORDS, find_frequencies
from clinrag_core.text.expressions import as_tree, lazy_re, lookback
from clinrag_core.text.normalise import DECIMAL_DOT, fold_chars
from clinrag_core.text.units import DIMENSIONS, GAP, NUMBER, UNIT, canonical_number, canonical_unit

if TYPE_CHECKING:
    from collections.abc import Iterator

Kind = Literal["dose", "concentration", "frequency", "duration", "percent", "measure"]
REGIMEN_KINDS: frozenset[Kind] = frozenset({"dose", "concentration", "frequency", "duration"})
"""Kinds of quantities that say how a drug is given."""
COUNTED_UNITS = frozenset({"tablet", "capsule"})
"""Units that count pieces of a product; how much of the drug is in one is another figure."""
Comparator = Literal["", "<", "<=", ">", ">="]
CACHED = 1_024
"""Texts whose quantities are kept: `intervals` and `Facts` read a text one after the other."""

# Exact conversions only: a month is no number of days.
_BASE: dict[str, tuple[str, Decimal]] = {
    unit: (base, Decimal(factor))
    for base, members in {
        "mg": {"g": "1000", "mg": "1", "mcg": "0.001", "ng": "1E-6", "pg": "1E-9"},
        "ml": {"l": "1000", "dl": "100", "ml": "1", "ul": "0.001"},
        "mmol": {"mol": "1000", "mmol": "1", "umol": "0.001", "nmol": "1E-6"},
        "mm": {"cm": "10", "mm": "1", "um": "0.001"},
        "minute": {"minute": "1", "hour": "60", "day": "1440", "week": "10080"},
        "month": {"month": "1", "year": "12"},
        "iu": {"iu": "1", "miu": "0.001"},
    }.items()
    for unit, factor in members.items()
}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number, or a range of numbers, with its unit.

    Attributes:
        start: span in the text, number and unit and a comparing sign, not comparing words.
        end: one past its last character.
        values: one value; two, ascending, for a range.
        unit: canonical (`units`); "time" in a frequency.
        per: what it is divided by, in order: ("kg", "day") in mg/kg/day; ("5 ml",) in mg/5 mL.
        kind: what sort of number it is; a body weight in kg is a "measure".
        comparator: "" or the sign, also where words say it: "at least", "up to", "or older".
    """

    start: int
    end: int
    values: tuple[Decimal, ...]
    unit: str
    per: tuple[str, ...]
    kind: Kind
    comparator: Comparator = ""

    @property
    def key(self) -> tuple[tuple[Decimal, ...], str, tuple[str, ...]]:
        """Equal for equal quantities, whatever unit they are printed in (1 g and 1000 mg)."""
        base, factor = _BASE.get(self.unit, (self.unit, Decimal(1)))
        return tuple(value * factor for value in self.values), base, self.per


_SPACED = r"(?>\d{1,3}(?:[^\S\n]\d{3})*[^\S\n]000(?![\d.,]))"
"""Thousands set apart by spaces: "1 000 000"; "2 500 mg tablets" are two of 500 mg."""
_VALUE = rf"(?:(?:{NUMBER})?[½¼¾]|{_SPACED}|{NUMBER}|{NUMBER_WORD}(?![^\W_]))"
_YEAR_FIRST = r"(?!(?:19|20)\d\d\s+to\b)"
"""A year before "to" begins no range of amounts: "from 3% in 1995 to 4% in 1997"."""
_RANGE = r"(?:[^\S\n]?--?[^\S\n]?|\s+to\s+|\s+or\s+)"
_START = r"(?<![^\W_])(?<![^\W_]-)(?<!\d[.,])(?<![½¼¾^])"
_SIGN = r"(?:(?P<sign>[<>]=?|[≤≥⩽⩾])[^\S\n]?)?"
_OVER = r"(?:[^\S\n]?/[^\S\n]?|[^\S\n]+(?:per|in)[^\S\n]+(?:each[^\S\n]+)?)"
_QUANTITY = lazy_re(
    rf"{_SIGN}{_START}{_YEAR_FIRST}(?P<first>{_VALUE})"
    rf"(?:(?:{GAP}(?P<own>{UNIT}))?{_RANGE}(?P<last>{_VALUE})"
    rf"|(?P<list>(?:[^\S\n]?/[^\S\n]?{_VALUE}){{1,4}})"
    rf"|[^\S\n]?\((?P<low>{_VALUE}){_RANGE}(?P<high>{_VALUE})\))?"
    rf"{GAP}(?P<unit>{UNIT})"
    rf"(?P<over>{_OVER}(?P<over_value>{NUMBER}){GAP}(?P<over_unit>{UNIT}))?"
    rf"(?P<spread>[^\S\n]?\((?:range:?[^\S\n]?)?(?P<least>{_VALUE}){_RANGE}(?P<most>{_VALUE})\))?"
)
HAS_NUMBER = lazy_re(rf"[\d½¼¾]|(?<![^\W_]){as_tree(NUMBER_WORDS)}(?![^\W_])")
"""Whether a folded text has a number at all: half of the sentences of labels have none."""
_MAY_BEGIN = lazy_re(rf"[<>≤≥⩽⩾\d½¼¾]|\.(?=\d)|\b{as_tree(NUMBER_WORDS)}")
"""Where a quantity may begin: to try it there only takes a third of the time of a search."""
_SQUARES = lazy_re("(?<=m)[²³]")
_FRACTIONS = {"½": Decimal("0.5"), "¼": Decimal("0.25"), "¾": Decimal("0.75")}
_SIGNS: dict[str, Comparator] = {
    "<": "<", ">": ">", "<=": "<=", ">=": ">=", "≤": "<=", "⩽": "<=", "≥": ">=", "⩾": ">=",
}  # fmt: skip
_SAID_WORDS: tuple[tuple[Comparator, str], ...] = (
    (">=", "(?:at|equal to) or (?:above|over|greater than|more than|longer than|older than)"),
    ("<=", "(?:at|equal to) or (?:below|under|less than|lower than|shorter than|younger than)"),
    ("<=", "no more than|not more than|not exceed|not exceeding|up to|at most"),
    ("<=", "less than or equal to|not older than|no older than"),
    (">=", "greater than or equal to|more than or equal to"),
    ("<=", r"maximum|max\.?|maximum dose|not to exceed|no greater than|no longer than"),
    (">=", r"at least|not less than|no less than|minimum|min\.?|no fewer than"),
    ("<", "less than|fewer than|below|under|lower than|shorter than|younger than|lighter than"),
    (">", "more than|greater than|above|over|exceeding|exceeds|higher than|longer than"),
    (">", "older than|heavier than"),
)
_SAID: list[tuple[Comparator, re.Pattern[str]]] = [
    (
        comparator,
        lazy_re(rf"(?<![^\W_])(?:{words})\s+(?:(?:the\s+)?age\s+)?(?:of\s+)?(?:an?\s+)?$"),
    )
    for comparator, words in _SAID_WORDS
]
_SAID_ENDS = (
    *("than", "to", "exceed", "exceeding", "exceeds", "most", "least", "dose", "age", "of"),
    *("maximum", "max", "max.", "minimum", "min", "min.", "below", "under", "above", "over"),
)
"""What comes right before a figure where one of these words does: few figures need the search."""
# "12 years of age or older", "35 kg and above"
_AFTER_WORDS: tuple[tuple[Comparator, str, str], ...] = (
    (
        ">=",
        "older|more|above|over|greater|heavier|longer|higher|larger|later",
        "older|above|over|up",
    ),
    ("<=", "younger|less|below|under|fewer|lighter|shorter|lower|smaller", "younger|below|under"),
)
_SAID_AFTER: tuple[tuple[Comparator, re.Pattern[str]], ...] = tuple(
    (
        comparator,
        lazy_re(rf"(?:\s+(?:of age|old))?,?\s+(?:or\s+(?:{either})|and\s+(?:{both}))(?![^\W_])"),
    )
    for comparator, either, both in _AFTER_WORDS
)
_NOT_EXCEEDED = lazy_re(
    r"(?:\s+(?:a|per)\s+day|\s+daily)?\s+(?:is|are|should|must|may)\s+(?:not|never)\s+(?:be\s+)?exceeded"
)
_REGIMENS = frozenset({"H", "HR", "Hr"})  # "4HR" is months of isoniazid and rifampicin
_HALVES = {"1/2": Decimal("0.5"), "1/4": Decimal("0.25"), "3/4": Decimal("0.75")}


def _value(text: str) -> Decimal:
    if text in NUMBER_WORDS:
        return Decimal(NUMBER_WORDS[text])
    if text[-1] in _FRACTIONS:
        whole = canonical_number(text[:-1]) if text[:-1] else "0"
        return Decimal(whole) + _FRACTIONS[text[-1]]
    mantissa, _, exponent = canonical_number("".join(text.split())).partition("^")
    return Decimal(mantissa) ** int(exponent) if exponent else Decimal(mantissa)


def _kind(unit: str, per: tuple[str, ...]) -> Kind:
    """Return what sort of number a unit makes."""
    dimension = DIMENSIONS[unit]
    if dimension == "time":
        return "frequency" if per else "duration"
    if dimension == "fraction":
        return "percent"
    if any(DIMENSIONS[part.rsplit(maxsplit=1)[-1]] == "volume" for part in per):
        return "concentration"
    if unit == "kg" or (dimension == "volume" and per in {("minute",), ("hour",)}):
        return "measure"
    if unit in {"cell", "copy", "cfu"}:
        return "measure"
    return "dose" if dimension in {"mass", "activity", "volume", "amount", "count"} else "measure"


def _comparator(folded: str, match: re.Match[str]) -> Comparator:
    """Return how a figure bounds a value, by its sign or the words on either side of it."""
    if match["sign"]:
        return _SIGNS[match["sign"]]
    before = folded[lookback(match.start()) : match.start()]
    if before[-1:].isspace() and before.rstrip().endswith(_SAID_ENDS):
        if match["last"] and before.endswith(" over "):
            return ""  # "over 2 to 3 weeks" is no bound
        for comparator, pattern in _SAID:
            if pattern.search(before):
                return comparator
    for comparator, pattern in _SAID_AFTER:
        if pattern.match(folded, match.end()):
            return comparator
    return "<=" if _NOT_EXCEEDED.match(folded, match.end()) else ""


def _end_and_per(match: re.Match[str], per: tuple[str, ...]) -> tuple[int, tuple[str, ...]]:
    """Return where the quantity ends and what it is divided by, with "mg/5 mL" taken as one."""
    if match["over"] and not per:
        unit = canonical_unit(match["over_unit"])
        if DIMENSIONS.get(unit) in {"volume", "time"}:
            value = canonical_number(match["over_value"])
            return match.end("over"), (unit if value == "1" else f"{value} {unit}",)
    return match.end("unit"), per


def _read(folded: str, match: re.Match[str]) -> Iterator[Quantity]:
    """Return the quantities of one match: a fixed-dose list and "5 (4-6) mg" hold several."""
    comparator = _comparator(folded, match)
    unit, *over = canonical_unit(match["unit"]).split("/")
    end, per = _end_and_per(match, tuple(over))
    start, kind = match.start(), _kind(unit, per)

    def quantity(*texts: str, sign: Comparator = "") -> Quantity:
        values = tuple(sorted({_value(text) for text in texts}))
        return Quantity(start, end, values, unit, per, kind, sign)

    first = match["first"]
    if match["list"]:
        parts = (first, *(part.strip() for part in match["list"].split("/")[1:]))
        if DIMENSIONS[unit] == "count" and (half := _HALVES.get("/".join(parts))):
            yield Quantity(start, end, (half,), unit, per, kind, comparator)
            return
        for part in parts:
            yield quantity(part)
    elif match["low"]:
        yield quantity(first, sign=comparator)
        yield quantity(match["low"], match["high"])
    elif match["own"] and (
        canonical_unit(match["own"]) not in {canonical_unit(match["unit"]), unit}
        or (unit != "percent" and _value(first) > _value(match["last"]))
    ):  # "from 300 mg to 150 mg" is no range either
        yield from _two_units(match, comparator, quantity(match["last"]))
    else:
        yield quantity(first, match["last"] or first, sign=comparator)
    if match["spread"] and end == match.end("unit"):
        end = match.end()
        yield quantity(match["least"], match["most"])


def _two_units(match: re.Match[str], comparator: Comparator, last: Quantity) -> Iterator[Quantity]:
    """Return two quantities from "500 mg to 1 g"; not one range, since their units differ."""
    unit, *per = canonical_unit(match["own"]).split("/")
    values = (_value(match["first"]),)
    kind = _kind(unit, tuple(per))
    yield Quantity(match.start(), match.end("own"), values, unit, tuple(per), kind, comparator)
    yield Quantity(match.start("last"), last.end, last.values, last.unit, last.per, last.kind)


def _next(folded: str, at: int) -> re.Match[str] | None:
    """Return the next quantity from a place on."""
    while start := _MAY_BEGIN.search(folded, at):
        if match := _QUANTITY.match(folded, start.start()):
            return match
        at = start.start() + 1
    return None


def quantities(text: str) -> list[Quantity]:
    """Return every quantity in a text, ordered by start; those of one list or range share a span.

    Reads ranges ("10-15 mg/kg"), best dose with range ("5 (4-6) mg/kg"), fixed-dose lists
    ("150/75/400 mg"), strengths ("250 mg/5 mL"), number words before a unit ("six months") and
    frequencies ("q8h", "twice daily").
    """
    return list(_quantities(text))


def stated_frequencies(text: str) -> frozenset[object]:
    """Return how often a text says, the same for "bd" and "twice daily"."""
    return frozenset(q.key for q in quantities(text) if q.kind == "frequency")


@lru_cache(maxsize=CACHED)
def _quantities(text: str) -> tuple[Quantity, ...]:
    """Return the quantities of a text, in order: `quantities` without its cache."""
    folded = fold_chars(text)
    if not folded.isascii():
        folded = _SQUARES.sub(lambda m: "23"["²³".index(m.group())], folded)
        folded = DECIMAL_DOT.sub(".", folded)
    found = [
        Quantity(f.start, f.end, f.values, "time", (f.period,), "frequency")
        for f in find_frequencies(folded)
    ]
    taken = deque((q.start, q.end) for q in found)
    at = 0
    while match := _next(folded, at):
        while taken and taken[0][1] <= match.start():
            taken.popleft()
        if taken and taken[0][0] < match.end("unit"):
            at = taken[0][1]  # "8 hours" of "every 8 hours"
            continue
        if text[match.start("unit") : match.end("unit")] in _REGIMENS:
            at = match.end("unit")
            continue
        read = list(_read(folded, match))
        found += read
        at = max(q.end for q in read)
    return tuple(sorted(found, key=lambda q: (q.start, q.end)))


def names_share_of(text: str, other: str) -> bool:
    """Return whether two texts name the same share: 25% and 25 percent."""
    one, two = ({q.key for q in quantities(t) if q.kind == "percent"} for t in (text, other))
    return not one.isdisjoint(two)
