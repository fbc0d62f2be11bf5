"""Reads the ages that a clinical note states: the patient's, and those of relatives and others.

Notes name people by a relation ("wife, 33"), a name ("Theo, 6 years") or a letter for the sex
("68F"); groups of people are of `populations` and `people`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.facts.people import ADULT, read_people
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterator

_RELATION = (
    r"(?:(?:older|younger|elder|eldest|youngest|baby|twin|step|half|great)[- ])?(?:wife|husband|"
    r"partner|spouse|mother|father|mum|dad|(?:grand)(?:mother|father|son|daughter|child)|son|"
    r"daughter|brother|sister|aunt|uncle|cousin|nephew|niece|baby|infant|newborn|toddler|lodger|"
    r"tenant|flatmate|housemate|room-?mate|friend|neighbour|neighbor|colleague|contact|"
    r"mother-in-law|father-in-law|boy|girl|child)"
)
_AGE = (
    r"(?:,|:| \()\s*(?:aged? )?(?P<age>\d{1,3})(?: ?(?P<unit>y(?:rs?|ears?)?|m(?:o|ths?|onths?)?|"
    r"w(?:ks?|eeks?)?|d(?:ays?)?)\b)?(?: old)?(?=[.,;:)]| -)"
)
_OF_RELATION = lazy_re(rf"\W*(?:the |his |her |their )?(?P<who>{_RELATION})(?: \w+)?{_AGE}")
_OF_NAME = lazy_re(rf"\W*(?P<who>[A-Z][a-z]+)(?: [A-Z][a-z]*\.?)?{_AGE}")
_MONTHS = r"(?:,? (?:and )?\d{1,2} ?(?:months?|mths?|mo?))?"
"""What follows the years of a small child: "3 years 2 months"."""
_AGE_AND_SEX = lazy_re(
    r"(?:^|[,;(:] ?)(\d{1,3}) ?(?:[mf]|yo|y/o)(?=[,;.)]|$| with\b)"
    r"|(?:^|[,;(:] ?)(?:m|f|male|female|man|woman)[ /,]{1,2}(\d{1,3})(?=[,;.)]|$)"
    rf"|(?:^|[,;(:] ?)(\d{{1,3}}) ?(?:yrs?|years?){_MONTHS}(?=[,;.)]|$)"
    r"|^s?he is (\d{1,3})(?=[,;.]|$| and\b)"
    r"|\b(\d{1,3}) ?(?:y|yrs?|years?) ?[mf]\b"
    r"|\b(?:mr|mrs|ms|miss|mx)\.? (?:[a-z][\w'.-]* ?){1,4}, (?:who is |is |aged? )?"
    r"(\d{1,3})(?=[,;.]|$| and\b)"
)
"""How notes of a ward begin: "68F, retired", "F 63, 68 kg"."""
_OLD = lazy_re(
    r"\b(?P<age>\d{1,3})(?:[- ]?(?P<unit>year|yr|month|mth|week|wk|day)s?)?[- ]?(?:olds?\b|y/?o\b)"
    r"|\b(?:aged?|age of)[ :](?P<aged>\d{1,3})(?!\d)(?! ?[-/])"
    r"(?: ?(?P<of>month|mth|week|wk|day)s?\b)?"
)
"""An age that can be nothing else: "63-year-old", "aged 58"."""
_NAMED = lazy_re(
    r"\b(?P<name>[A-Z][a-z]{2,})(?:,| \(|, aged?|,? age) ?(?P<age>\d{1,2})(?:-|\s)?"
    r"(?P<unit>years?|yrs?|months?|mths?|weeks?)\b"
)
"""A person by name: "Theo, 6 years"."""
_AGED = lazy_re(
    r"\b(?:aged?|age of) (\d{1,2})(?!\d)(?: ?-?(year|yr|month|mth|week|day)s?)?"
    r"|\b(\d{1,2})[ -](year|yr|month|mth|week|day)s?[ -]olds?\b"
)
_NEWBORN = lazy_re(r"\b(?:newborn|neonat\w+|days?[- ]old)\b")
_AGE_OF_NEXT = lazy_re(
    r"\b[\w-]+[- ](?:year|yr|month|week|day)s?[- ]old (?:[\w-]+ )?$", re.IGNORECASE
)
_LABEL_OF_PATIENT = lazy_re(r"\W*(?:child|baby|infant|newborn|neonate):")
_CHILD = lazy_re(r"the (?:little |older |younger )?(?:baby|infant|toddler|child|boy|girl)\b")
_OWN_CHILD = lazy_re(
    r"\b(?:her|his|their|with an?) (?:[\w-]+ ){0,2}"
    r"(?:sons?|daughters?|baby|infant|child|children|boy|girl|newborn)\b"
)
_YEARS = {"y": 1.0, "m": 1 / 12, "w": 1 / 52, "d": 1 / 365}


_WHO = (
    r"(?:(?:gentle|wo)?m[ae]n|lady|boy|girl|child|lad|lass|chap|bloke|guy|gran(?:ny|ma|d?ad|d?pa)?"
    r"|nana?|pensioner|patient|pt|(?:fe)?male|student|teenager|toddler|infant|mother|father|mum|dad)"
)
_NO_UNIT = (
    r"(?![\d.,]*\d)(?! ?(?:kg|kilo|lbs?|pounds?|st(?:one)?|grams?|m?c?g|ml|cm|mm|%"
    r"|weeks?|months?|days?|hours?)\b)"
)
_ASKED_AGE = lazy_re(
    r"(?<![\w./-])(?P<sex>\d{1,3})[mf]\b(?![/-])"
    rf"|\b{_WHO} of (?P<of>\d{{1,3}}){_NO_UNIT}"
    rf"|\b(?:{_WHO}|s?he|who),? (?:is|was|aged) (?P<verb>\d{{1,3}})"
    r"(?=\s*(?:[,.;:?)]|$)| and\b| with\b)"
    r"|\b(?:dos(?:e|es|age|ing)|given|used|started|safe|ok|okay|allowed) at (?P<at>[2-9]\d)"
    r"(?=\W*$| with\b| and\b)"
    rf"|(?:^\W*[a-z][a-z' -]{{1,40}}|\b{_WHO}), (?P<set>\d{{1,3}})(?=[,.;:](?! ?\d))"
)
"""An age in a question: "79M on X", "granny of 79", "she is 79", "dose at 79", "Clerk, 47, has"."""
OLDEST = 115
"""Years above which no figure is somebody's age."""


class Person(NamedTuple):
    """Who opens a line: the folded word, and the age in years."""

    who: str
    age: float


def relative_of(text: str) -> Person | None:
    """Return the relation and the age that open a line: "Uncle, 70."; None for neither."""
    return _person(_OF_RELATION.match(fold_chars(text)))


def somebody_of(text: str) -> Person | None:
    """Return who opens a line with an age, by a relation or a name; None where nobody does."""
    return relative_of(text) or _person(_OF_NAME.match(text))


def _person(own: re.Match[str] | None) -> Person | None:
    if own is None:
        return None
    return Person(fold_chars(own["who"]), int(own["age"]) * _YEARS[(own["unit"] or "y")[0]])


def asked_age(text: str) -> tuple[int, int, float] | None:
    """Return the span and years of the first age in a question that no unit marks as one."""
    for match in _ASKED_AGE.finditer(fold_chars(text)):
        name = match.lastgroup or ""
        years = int(match[name])
        is_metres = name == "sex" and match.start() > 0 and text[match.end() - 1].islower()
        if 0 < years <= OLDEST and not is_metres:
            return (*match.span(name), float(years))
    return None


def sure_ages(text: str) -> Iterator[float]:
    """Yield the ages in years of a text that can be no length of an illness."""
    folded = fold_chars(text)
    for match in _AGE_AND_SEX.finditer(folded):
        yield float(next(group for group in match.groups() if group))
    for match in _OLD.finditer(folded):
        unit = (match["unit"] or match["of"] or "y")[0]
        yield int(match["age"] or match["aged"]) * _YEARS[unit]
    yield from named_ages(text).values()


def before_relative(text: str, relatives: re.Pattern[str]) -> str:
    """Return a text up to a relative that it names, without the age right before: "4-year-old son".

    "Child: Ada" is the label of a patient.
    """
    folded = fold_chars(text)
    label = _LABEL_OF_PATIENT.match(folded)
    relative = relatives.search(folded, label.end() if label else 0)
    return _AGE_OF_NEXT.sub("", text[: relative.start()]) if relative else text


def named_ages(text: str) -> dict[str, float]:
    """Return the people that a text names with their ages: "Theo, 6 years"."""
    return {m["name"]: int(m["age"]) * _YEARS[m["unit"][0]] for m in _NAMED.finditer(text)}


def age_of_other(text: str) -> float | None:
    """Return the age in years that a text gives somebody; of an infant the middle of the range."""
    match = _AGED.search(fold_chars(text))
    if match:
        unit = match[2] or match[4] or "year"
        return int(match[1] or match[3]) * _YEARS[unit[0]]
    if (relative := relative_of(text)) is not None:
        return relative.age
    ages = [one for one in read_people(text).ages if one.high < ADULT]
    return (ages[0].low + ages[0].high) / 2 if ages else None


def may_be_patient(whom: str, before: str) -> bool:
    """Return whether words for somebody are of the patient whom a note named before them.

    A newborn's own note says so; "the boy" is another person only where the note names him as
    somebody's son.
    """
    if _NEWBORN.search(before) and _NEWBORN.search(whom):
        return True
    return _CHILD.match(whom) is not None and _OWN_CHILD.search(before) is None
