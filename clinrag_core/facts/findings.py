"""Reads what is found in a patient: conditions, reactions, and measured values with their range.

"QTcF 520 ms" is a point, "QTcF greater than 500 ms" a range that holds it. Ages, weights and
kidney function are in `people`.
"""

from __future__ import annotations

import math
import re
from functools import cache, lru_cache
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.facts.frequencies import NUMBER_WORD, NUMBER_WORDS
from clinrag_core.facts.spans import CACHED_TEXTS, concept_spans
from clinrag_core.lexicon.findings import finding_lexicon
from clinrag_core.text.expressions import lazy_re, lookback
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clinrag_core.lexicon.findings import MeasureWords

_NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?"
_REACH = 70
"""Characters between the name of a value and its figure, or between two of its figures (ablation:
ADR 0061)."""
_ABOVE = r"(?P<above>[>≥]=?|(?:great|high|larg)er than|more than|above|over|exceed\w*|at least)"
_BELOW = r"(?P<below>[<≤]=?|(?:less|low|few)er than|less than|below|under|at most)"
_FIGURE = (
    rf"(?:(?:{_ABOVE}|{_BELOW})(?:\s+or equal to)?\s*)?(?P<low>{_NUMBER}|{NUMBER_WORD})"
    rf"(?:\s*(?:-|to)\s*(?P<high>{_NUMBER}))?"
)
_OR_MORE = lazy_re(
    r",? (?:or|and) (?:(?P<above>more|above|greater|higher|over)|(?P<below>less|below|lower))\b"
)
"""What says after a figure that it is a limit: "3 mcg/mL or more"."""
_LINK = lazy_re(
    r"\W*(?:(?:is|are|was|has|have|had|of|at|interval|count|level|value|now|today|only|still|about"
    r"|up|down|to|came|comes?|back|gone|risen|rose|fallen|fell|dropped|climbed)\W*){0,4}"
)
"""Words between the name of a value and its figure where no unit says that it is one."""
_NO_OTHER_UNIT = (
    r"(?![\d%/]|[.,:]\d|(?:st|nd|rd|th)\b|\s*(?:-|to)\s*\d"
    r"|\s*(?:mg|g|mcg|ml|kg|years?|weeks?|days?|months?|hours?|hrs?|h|min(?:utes?)?|[ap]\.?m"
    r"|x|times|per ?cent|samples?|doses?|(?:mmol|meq)(?!\s*/))\b)"
)
_AS_FIGURE = {"twice": "2 x  ", "thrice": "3 x   ", "double": "2 x   "}
"""Multiples in words as figures of the same length, so that spans stay."""
_TIMES = lazy_re(r"\b(?:twice|thrice|double)\b(?= (?:the )?(?:uln|upper|normal))")
_OVER_NORMAL = lazy_re(
    r"(?P<name>\bbilirubin\b[^.;,]{0,20}?)(?<!times )(?<!fold )(?<!x )"
    r"\b(?P<over>(?:above|over|(?:great|high)er than|more than) (?:the )?"
    r"(?:normal(?: range| limits?)?|uln|upper limit(?: of normal)?))\b"
)
"""A value that is too high by itself: "bilirubin above normal"."""
_RATIO = lazy_re(
    rf"(?P<value>{_NUMBER})(?: ?(?:i?u(?:nits)?/l))? ?\((?:normal|uln|upper limit|ref(?:erence)?)\b"
    rf"[^)\d]{{0,20}}(?:0 ?(?:-|to) ?)?(?P<limit>{_NUMBER})[^)\d]{{0,10}}\)"
)
"""A value next to its upper limit: "ALT 230 (normal up to 40)"."""
_BILIRUBIN = lazy_re(
    rf"\bbilirubin\b[^.;,\d]{{0,25}}(?P<figure>(?P<value>{_NUMBER}) ?(?P<unit>mg/dl|[uµμ]mol/l))"
)
_BILIRUBIN_LIMITS = {"mg/dl": 1.2, "umol/l": 20.5}
"""The usual upper limits of total bilirubin in adults, of which guidelines count multiples."""
_POWER = lazy_re(r"[x×]\s?10")
_GIGA = 1_000.0
"""Cells per mm³ of one "x 10^9/L"."""
_ENDS = lazy_re(r"[.;](?=\s|$)")


class PatientFinding(NamedTuple):
    """A condition, or a measured value, that a text names."""

    start: int
    end: int
    name: str
    low: float = -math.inf
    high: float = math.inf

    @property
    def is_measured(self) -> bool:
        """Whether it is a value with a figure."""
        return not (math.isinf(self.low) and math.isinf(self.high))

    @property
    def is_normal(self) -> bool:
        """Whether it is a value of healthy adults: "K 4.6" in a story decides nothing."""
        measure = finding_lexicon().measures.get(self.name)
        low, high = measure.normal or (math.inf, -math.inf) if measure else (math.inf, -math.inf)
        return low <= self.low <= self.high <= high

    def meets(self, other: PatientFinding) -> bool:
        """Return whether two findings are the same, and their ranges have a value in common."""
        return self.name == other.name and self.low <= other.high and other.low <= self.high


_NORMAL_BEFORE = lazy_re(r"\bnormal $")
_NORMAL_AFTER = lazy_re(r"(?<=normal)|(?: (?:level|test|activity))?(?: (?:is|was|:))? normal\b")
"""What says that a test named by its condition found nothing: "normal G6PD"."""


@lru_cache(maxsize=CACHED_TEXTS)
def read_findings(text: str) -> tuple[PatientFinding, ...]:
    """Return every finding of a text, in order; a measured value also as the condition it is.

    A value that is named without a figure ("monitor the QTc") has no range.
    """
    lexicon = finding_lexicon()
    folded = fold_chars(text)
    found = {
        PatientFinding(*span)
        for span in concept_spans(text, lexicon.conditions)
        if not (
            _NORMAL_BEFORE.search(folded, lookback(span.start), span.start)
            or _NORMAL_AFTER.match(folded, span.end)
        )
    }
    counted = _TIMES.sub(lambda match: _AS_FIGURE[match.group()], folded)
    counted = _OVER_NORMAL.sub(
        lambda match: match["name"] + ">1 x uln".ljust(len(match["over"])), counted
    )
    counted = _BILIRUBIN.sub(_as_multiple, _RATIO.sub(_as_ratio, counted))
    for one in _measured(counted, lexicon.measures):
        found.add(one)
        if one.is_measured:
            found.update(_meant(one))
    return tuple(sorted(found))


def _as_ratio(match: re.Match[str]) -> str:
    """Return a value next to its upper limit as a multiple of it, of the same length."""
    limit = _value(match["limit"])
    written = f"{_value(match['value']) / limit:.1f}x uln" if limit else match.group()
    return written.ljust(len(match.group()))


def _as_multiple(match: re.Match[str]) -> str:
    """Return a value of bilirubin in its units as a multiple of the upper limit, as long."""
    limit = _BILIRUBIN_LIMITS[re.sub("[µμ]", "u", match["unit"])]
    written = f"{_value(match['value']) / limit:.1f}xuln".ljust(len(match["figure"]))
    return match.group().replace(match["figure"], written)


@cache
def _measure_words() -> dict[str, re.Pattern[str]]:
    return {name: one.words for name, one in finding_lexicon().measures.items()}


def _measured(folded: str, measures: Mapping[str, MeasureWords]) -> Iterator[PatientFinding]:
    """Yield the measured values: each figure with its unit belongs to the name before it."""
    named = concept_spans(folded, _measure_words())
    for one, following in zip_longest(named, named[1:]):
        start, end, name = one
        limit = following[0] if following else len(folded)
        stop = _ENDS.search(folded, end, limit)
        figures = list(_figures(folded, end, stop.start() if stop else limit, measures[name]))
        yield from (figure._replace(name=name, start=start) for figure in figures)
        if not figures:
            yield PatientFinding(start, end, name)


def _figures(folded: str, start: int, end: int, words: MeasureWords) -> Iterator[PatientFinding]:
    """Yield the figures after a name, as long as they follow closely."""
    unit = rf"(?P<unit>\s*{words.unit.pattern})"
    if words.is_unit_optional:
        unit = rf"(?:{unit}|{_NO_OTHER_UNIT})"
    at, is_above = start, False
    for match in re.finditer(rf"(?<![\d.,]){_FIGURE}{unit}", folded[:end]):
        if match.start() < at:
            continue
        if match.start() - at > _REACH:
            return
        if not match["unit"] and not _LINK.fullmatch(folded, at, match.start()):
            return
        at = match.end()
        after = _OR_MORE.match(folded, at)
        is_above = bool(match["above"] or (after and after["above"])) or (
            is_above and not match["below"]
        )
        low = _value(match["low"])
        is_giga = low < words.thousands_below if not match["unit"] else _POWER.search(match["unit"])
        factor = _GIGA if is_giga else 1.0
        low *= factor
        high = _value(match["high"]) * factor if match["high"] else low
        if is_above:  # "exceeds three times the limit with symptoms, or five times without"
            high = math.inf
        elif match["below"] or (after and after["below"]):
            low = -math.inf
        yield PatientFinding(match.start(), match.end(), "", low, high)


def _value(written: str) -> float:
    if written in NUMBER_WORDS:
        return float(NUMBER_WORDS[written])
    return float(written.replace(",", ""))


def _meant(value: PatientFinding) -> Iterator[PatientFinding]:
    """Yield the conditions that a measured value is."""
    for meaning in finding_lexicon().means:
        if meaning.measure == value.name and (
            (meaning.above is not None and value.low > meaning.above)
            or (meaning.below is not None and value.high < meaning.below)
        ):
            yield PatientFinding(value.start, value.end, meaning.condition)


def finding_name(one: PatientFinding) -> str:
    """Return a finding in words: "QT interval 520 ms", "heart block"."""
    measure = finding_lexicon().measures.get(one.name)
    if measure is None:
        return one.name.replace("_", " ")
    if not one.is_measured:
        return measure.name
    figure = f"{one.low if math.isfinite(one.low) else one.high:g}"
    return f"{measure.name} {figure} {measure.unit_name}"
