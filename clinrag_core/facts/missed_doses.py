"""Reads how many doses in a row were missed, and how long ago the last one was.

Labels give one rule for few and another for many, and one for a short and another for a long time.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import NamedTuple

from clinrag_core.facts.short_lengths import lengths_in_full
from clinrag_core.facts.spans import CACHED_TEXTS
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re, lookback
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.numerals import ONES
from clinrag_core.text.sentences import sentence_spans
from clinrag_core.text.word_starts import says

_WORDS = {"a": 1, "one": 1, "single": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_WHICH = (
    r"(?: [\"“(]?(?:consecutive|scheduled|daily|weekly|monthly|maintenance|loading|active|missed"
    r"|in a row)[\"”)]?)*"
)
_COUNT = lazy_re(
    rf"(?P<below>(?:fewer|less) than|<)?(?P<above>at least|more than|[>≥])?\s*"
    rf"\b(?P<count>\d{{1,2}}|{'|'.join(_WORDS)})\b(?: \(\d{{1,2}}\))?(?P<more> or more)?"
    rf"(?: \(\d{{1,2}}\))?{_WHICH}(?: [a-z]+)??{_WHICH}"
    r" (?:dos(?:es?|ings?)|tab(?:let)?s?|pills?|capsules?|injections?|days?"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|nights|evenings|mornings)\b"
    r"(?! ago\b| (?:a|per|each|every) week\b)"
)


_WEEKS = {"day": 1 / 7, "week": 1.0, "wk": 1.0, "month": 4.345, "mth": 4.345, "mo": 4.345}
_NUMBERS = (*ONES, "ten")
_TIME = (
    r"(?:(?P<above{n}>greater than(?! or equal)|more than|over|longer than|>(?!=))"
    r"|(?P<least{n}>at least|greater than or equal to|>=|≥)"
    r"|(?P<below{n}>less than or equal to|less than|within|up to|<=?|≤))?\s*"
    rf"(?P<count{{n}}>\d{{{{1,3}}}}|{'|'.join(_NUMBERS)})[\s-]?"
    r"(?P<unit{n}>day|week|wk|month|mth|mo)s?\b"
)
_DOSE = (
    r"(?:(?:pair|set|round|lot) of )?(?:scheduled |planned |[a-z-]{5,} (?:and [a-z-]{5,} )?)?"
    r"(?:dos(?:e|es|ing)|injections?|infusions?|tablets?|pills?|jabs?|shots?|drips?)\b"
)
_SINCE = lazy_re(
    rf"\bsince (?:the |her |his )?last {_DOSE}(?: (?:is|was|of))?\W{{0,3}}{_TIME.format(n=1)}"
    rf"|\blast (?:\(\w+\) )?{_DOSE}(?: (?:was|were|given|nearly|almost|about|some))*\W{{0,2}}"
    rf"{_TIME.format(n=2)} ago\b"
    rf"|{_TIME.format(n=3)} (?:since|after|from|past) (?:the |her |his |their |my )?last {_DOSE}"
    r"|\blast (?:took|received|injected) (?!(?:an?|some|alcohol|blood)\b)[^.;?]{0,30}?"
    rf"{_TIME.format(n=4)} ago\b"
    rf"|\b{_DOSE}[^.;?]{{0,40}}?{_TIME.format(n=5)} since the last one\b"
)


_STOPPED = lazy_re(
    r"\b(?:(?:stopped|interrupted|paused|defaulted)\b[^.;?]{0,40}?"
    r"|(?:off|without|missed|no|not had|had no) (?:(?:an?|his|her|the|their|any|all|tb) )*"
    r"(?:treatment|therapy|drugs?|medic\w+|tablets?|pills?|doses?|injections?|jabs?|shots?"
    r"|infusions?|drips?)\b[^.;?]{0,20}?)\bfor (?:the (?:last|past) )?"
    rf"{_TIME.format(n=1)}"
)
"""How long a patient has not taken a treatment."""
_AWAY = lazy_re(
    rf"{_TIME.format(n=1)} (?:without|off|with no) (?:(?:his|her|the|their|any|all|tb) )*"
    r"(?:treatment|therapy|drugs?|medic\w+|tablets?|pills?|doses?)\b"
)
"""The same the other way round: "after 10 weeks without drugs"."""
_LOST = lazy_re(
    r"\b(?:defaulted|absconded|ltfu|lost to follow-?up)\b[^.;?]{0,30}?"
    rf"{_TIME.format(n=1)}(?: ago)?"
    rf"|{_TIME.format(n=2)} ago\b[^.;?]{{0,20}}\b(?:defaulted|absconded|ltfu|lost to follow-?up)\b"
)
"""When somebody was lost to follow-up."""
_INTERRUPTION = lazy_re(
    r"\binterruptions?(?: of (?:the )?(?:treatment|therapy))?\W{0,3}"
    r"(?:(?P<below>under|below|less than|fewer than|within|up to|<=?|≤)"
    r"|(?P<above>over|more than|>=?|≥))?"
    r"\s*(?P<count>\d{1,3})(?:\s*(?:-|to)\s*(?P<last>\d{1,3}))?(?P<least> or more)?"
    r"(?: consecutive)?\s?(?P<unit>day|week|month)s?(?P<more> or (?:more|longer)| and more)?"
)
"""The time away from treatment that a rule is for: "Interruption: under 14 days"."""


class CountRange(NamedTuple):
    """Numbers of missed doses, or weeks since the last dose: both ends included, or open above."""

    low: float
    high: float

    def meets(self, other: CountRange) -> bool:
        """Return whether a number is in both."""
        return max(self.low, other.low) <= min(self.high, other.high)


_TAKEN_NOW = lazy_re(
    r"\b(?:so|take|takes|taking|have|give|then|swallow|once|twice|times"
    r"|dos(?:e|es)|tab(?:let)?s?|pills?|capsules?)\s+$"
)
"""What makes a number that of the doses to take: "forgot it, so two tablets tonight?"."""


_WEEKS_MISSED = lazy_re(
    rf"\b(?P<count>\d{{1,2}}|{'|'.join(_WORDS)})"
    r" (?:consecutive weeks\b|weeks (?:running|in a row|straight)\b)",
    re.IGNORECASE,
)
"""Weeks without the dose of a drug that is taken once a week."""
_WEEK = lazy_re(r"\bweek")


@lru_cache(maxsize=CACHED_TEXTS)
def missed_doses(text: str, *, is_weekly: bool = False) -> tuple[CountRange, ...]:
    """Return the numbers of missed doses that a text names; none where it is about no missed dose.

    "4 or more consecutive doses are missed" is 4 and more; "if fewer than 4" is 1 to 3. Of a drug
    that is taken once a week, "forgot it for 3 weeks running" is 3.
    """
    if is_weekly:
        text = _WEEKS_MISSED.sub(lambda m: f"{m['count']} weekly doses", text)
    folded = fold_chars(text)
    missed = slot_lexicon().wordings.missed
    if not says(folded, missed):
        return ()
    first, _, rest = folded.partition("; ")
    if rest and says(first, missed) and _COUNT.search(first):
        folded = first  # the label of a row; its other cells say what to take
    found: list[CountRange] = []
    sentences = sentence_spans(text)
    for match in _COUNT.finditer(folded):
        if _TAKEN_NOW.search(folded, lookback(match.start("count")), match.start("count")):
            continue
        own = next(folded[a:b] for a, b in sentences if a <= match.start() < b)
        if match.group().endswith("days") and not says(own, missed):
            continue  # "a dose was missed. The box was out of the fridge for 10 days"
        count = float(_WORDS.get(match["count"]) or match["count"])
        if match["below"]:
            found.append(CountRange(1.0, count - 1))
        elif match["above"] or match["more"]:
            low = count + 1 if match["above"] in ("more than", ">") else count
            found.append(CountRange(low, math.inf))
        else:
            found.append(CountRange(count, count))
    return tuple(found)


def meet_missed(asked: str, said: str) -> bool | None:
    """Return whether a text is on as many missed doses as are asked about; None if one counts none.

    What counts weeks is on the doses of a drug whose rule speaks of them.
    """
    mine = missed_doses(asked, is_weekly=_WEEK.search(fold_chars(said)) is not None)
    its = missed_doses(said) if mine else ()
    return any(one.meets(other) for one in mine for other in its) if its else None


_PACK_WEEK = lazy_re(
    r"\b(?:week|wk) ?(?P<number>[1-4])\b|\b(?P<word>first|second|third|fourth) week\b"
)
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4}


@lru_cache(maxsize=CACHED_TEXTS)
def weeks_of_pack(text: str) -> frozenset[int]:
    """Return the weeks of a pack in which doses were missed: "two tablets in the third week".

    None where a text is about no missed dose.
    """
    folded = fold_chars(text)
    if not says(folded, slot_lexicon().wordings.missed):
        return frozenset()
    found = _PACK_WEEK.finditer(folded)
    return frozenset(int(m["number"] or _ORDINALS[m["word"]]) for m in found)


@lru_cache(maxsize=CACHED_TEXTS)
def since_last_dose(text: str) -> tuple[CountRange, ...]:
    """Return the times since the last dose that a text names: "last injection was 10 weeks ago".

    A treatment that was stopped for some time, or interrupted, is without doses for as long.
    """
    folded = lengths_in_full(fold_chars(text))
    found = [_interruption(match) for match in _INTERRUPTION.finditer(folded)]
    for match in (
        *_SINCE.finditer(folded),
        *_STOPPED.finditer(folded),
        *_AWAY.finditer(folded),
        *_LOST.finditer(folded),
    ):
        n = next(n for n in "12345" if match.groupdict().get(f"count{n}"))
        count = match[f"count{n}"]
        number = _NUMBERS.index(count) + 1 if count in _NUMBERS else float(count)
        weeks = number * _WEEKS[match[f"unit{n}"]]
        if match[f"above{n}"] or match[f"least{n}"]:
            low = math.nextafter(weeks, math.inf) if match[f"above{n}"] else weeks
            found.append(CountRange(low, math.inf))
        else:
            found.append(CountRange(0.0 if match[f"below{n}"] else weeks, weeks))
    return tuple(found)


def _interruption(match: re.Match[str]) -> CountRange:
    """Return the time of an interruption, in weeks."""
    first, last = (
        float(count) * _WEEKS[match["unit"]]
        for count in (match["count"], match["last"] or match["count"])
    )
    if match["above"] or match["more"] or match["least"]:
        return CountRange(first, math.inf)
    if match["below"]:
        return CountRange(0.0, math.nextafter(first, 0.0))
    return CountRange(first, last)
