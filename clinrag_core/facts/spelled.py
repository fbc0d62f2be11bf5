"""Numbers in words as figures: "two hundred and fifty milligrams" is 250 milligrams.

Dictated texts write doses, ages and measurements so. Only a number that something countable follows
is rewritten; `FiguredText` leads every character back to the text it was made of.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.facts.frequencies import HOW_OFTEN
from clinrag_core.facts.quantities import quantities
from clinrag_core.facts.spans import CACHED_TEXTS
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.numerals import ONES, TENS

if TYPE_CHECKING:
    from clinrag_core.facts.quantities import Quantity

_TEENS = ("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
_SMALL = (*ONES, "ten", "eleven", "twelve", *_TEENS)
_VALUES = {word: n for n, word in enumerate(_SMALL, start=1)} | {
    word: 10 * n for n, word in enumerate(TENS, start=2)
}
_DIGIT = f"(?:{'|'.join(ONES)})"
_TENS = rf"(?:(?:{'|'.join(TENS)})(?:[ -]{_DIGIT})?)"
_BELOW = rf"(?:{_TENS}|{'|'.join(sorted(_SMALL, key=len, reverse=True))})"
_HUNDREDS = rf"(?:(?:{_BELOW}|a) hundred(?: and {_BELOW}| {_TENS})?)"
_THOUSANDS = rf"(?:(?:{_BELOW}|a) thousand(?:,? (?:and )?(?:{_HUNDREDS}|{_BELOW}))?)"
_PAIR = rf"(?:{_DIGIT} (?:{_TENS}))"
"""How doses are said without their hundred: "seven fifty" is 750."""
_COUNTED = (
    r"(?:milligram|microgram|kilogram|kilo|gram|millilit(?:re|er)|lit(?:re|er)|unit|tablet|tab|"
    r"capsule|puff|day|week|month|year|hour|minute|mile|dose|percent|per cent|mg|mcg|kg|ml|g)s?\b"
)
_OFTEN = rf"(?:{HOW_OFTEN}|at night)\b"
_NUMBER = lazy_re(
    rf"\b(?:(?P<whole>{_THOUSANDS}|{_HUNDREDS}|{_PAIR}|{_BELOW})(?: point (?P<tenth>{_DIGIT}))?)"
    rf"(?=[ -](?:(?P<counted>{_COUNTED})|{_OFTEN}))",
    re.IGNORECASE,
)
_BARE = lazy_re(
    rf"\b(?:is|was|aged?|now|weighs?|weighing|weight(?: of)?|temperature(?: of)?"
    rf"|(?:mr|mrs|ms|miss|mx)\.? [a-z][\w'-]*\.?,|(?:gentleman|lady|wom[ae]n|m[ae]n|boy|girl) of) "
    rf"(?P<whole>{_HUNDREDS}|{_TENS})(?: (?:point )?(?P<tenth>{_DIGIT}))?(?=[,.;]| and\b|$)",
    re.IGNORECASE,
)
"""An age, weight or temperature without a unit: "who is forty-three and runs a stall"."""
_ALONE = lazy_re(
    rf"(?P<whole>{_THOUSANDS}|{_HUNDREDS}|{_PAIR}|{_TENS})"
    rf"(?=[,.;]| (?:with|and(?! {_BELOW}\b)|alone|plus|for|then|{_OFTEN})\b|$)",
    re.IGNORECASE,
)
_SHORTEST = 20
"""Least number that a frequency alone makes a dose: "three twice daily" counts tablets
(ablation: ADR 0061)."""
_HUNDRED, _THOUSAND = 100, 1_000  # by definition


class FiguredText(NamedTuple):
    """A text with figures for numbers in words, and where each of its characters comes from."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    """Span of the original that every character was made of."""

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the original that a span of at least one character was made of."""
        return self.starts[start], self.ends[end - 1]


@lru_cache(maxsize=CACHED_TEXTS)
def in_figures(text: str) -> FiguredText:
    """Return a text with figures for the numbers in words that something countable follows."""
    spans: list[tuple[int, int, str]] = []
    for match in (*_NUMBER.finditer(text), *_BARE.finditer(text)):
        groups = match.groupdict()
        value = _value(match["whole"])
        is_often = not groups.get("counted", True)
        if is_often and value < _SHORTEST:
            continue
        tenth = groups.get("tenth")
        figure = f"{value}.{_VALUES[tenth.lower()]}" if tenth else str(value)
        end = match.end("tenth") if tenth else match.end("whole")
        spans.append((match.start("whole"), end, figure))
    made: list[tuple[str, int, int]] = []
    at = 0
    for start, end, figure in sorted(spans):
        if start >= at:
            made += [(text[p], p, p + 1) for p in range(at, start)]
            made += [(char, start, end) for char in figure]
            at = end
    made += [(text[p], p, p + 1) for p in range(at, len(text))]
    return FiguredText(
        "".join(char for char, _, _ in made),
        tuple(start for _, start, _ in made),
        tuple(end for _, _, end in made),
    )


def bare_number(text: str, start: int) -> int | None:
    """Return where a number in words ends that begins at a place and has no unit; else None.

    Dictation leaves the unit out: "rifampin six hundred with pyrazinamide".
    """
    match = _ALONE.match(text, start)
    return match.end("whole") if match and _value(match["whole"]) >= _SHORTEST else None


def spelled_quantities(text: str) -> tuple[Quantity, ...]:
    """Return the quantities of a text, of numbers in words as well, with spans of that text."""
    figured = in_figures(text)
    if figured.text == text:
        return tuple(quantities(text))
    found: list[Quantity] = []
    for one in quantities(figured.text):
        start, end = figured.original(one.start, one.end)
        found.append(replace(one, start=start, end=end))
    return tuple(found)


def _value(words: str) -> int:
    """Return the number that words say."""
    parts = [w for w in re.split(r"[\s,-]+", words.lower()) if w not in ("and", "")]
    total = 0
    current = 0
    for place, word in enumerate(parts):
        if word == "thousand":
            total, current = total + max(current, 1) * _THOUSAND, 0
        elif word == "hundred":
            current = max(current, 1) * _HUNDRED
        elif word == "a":
            current = 1
        elif place == 1 and word in TENS and 0 < current <= len(ONES):
            current = current * _HUNDRED + _VALUES[word]  # "seven fifty"
        else:
            current += _VALUES[word]
    return total + current
