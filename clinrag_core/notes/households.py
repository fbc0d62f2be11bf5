"""Finds the people of a household in a note on several: each line is about who opens it.

"Wife, 33. HIV positive, on abacavir." is about the wife in every sentence. A line is of a person
where a relation with an age opens it; names with an age count only among such lines.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from clinrag_core.text.normalise import fold_chars

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
_OF_RELATION = re.compile(rf"\W*(?:the |his |her |their )?(?P<who>{_RELATION})(?: \w+)?{_AGE}")
_OF_NAME = re.compile(rf"\W*(?P<who>[A-Z][a-z]+)(?: [A-Z][a-z]*\.?)?{_AGE}")
_LINE = re.compile(
    r"^[^\w\r\n]*(?:[A-Za-z-]+ ){0,3}[A-Za-z.-]+(?:,|:| \()[ \t]*(?:aged? )?\d[^\r\n]*",
    re.MULTILINE,
)
"""A line that opens with a few words and a figure: all that a person's line can be."""
PERSON = "person"
"""Kind of a statement about somebody other than the patient, in a line of theirs."""
_YEARS = {"y": 1.0, "m": 1 / 12, "w": 1 / 52, "d": 1 / 365}
_LEAST = 2
"""Lines opened by a relation that make a note one on several people."""


class Person(NamedTuple):
    """Who opens a line: the folded word, and the age in years."""

    who: str
    age: float


class PersonLine(NamedTuple):
    """A line about somebody other than the patient, with the folded word for whom."""

    start: int
    end: int
    who: str


def person_lines(note: str) -> tuple[PersonLine, ...]:
    """Return the lines of a note that are about other people; none where it is on one."""
    found: list[PersonLine] = []
    relations = 0
    for line in _LINE.finditer(note):
        relation = _OF_RELATION.match(fold_chars(line.group()))
        own = relation or (_OF_NAME.match(line.group()) if relations else None)
        if own is not None:
            found.append(PersonLine(*line.span(), fold_chars(own["who"])))
            relations += relation is not None
    return tuple(found) if relations >= _LEAST else ()


def person_of(text: str) -> Person | None:
    """Return who opens a line with an age: "Uncle, 70."; None where nobody does."""
    own = _OF_RELATION.match(fold_chars(text)) or _OF_NAME.match(text)
    if own is None:
        return None
    return Person(fold_chars(own["who"]), int(own["age"]) * _YEARS[(own["unit"] or "y")[0]])


def opens_with_person(note: str, text: str) -> bool:
    """Return whether a statement opens with a person of those lines: "wife, isoniazid 300 mg"."""
    opens = fold_chars(text)
    return any(re.match(rf"{re.escape(p.who)} ?[,:]", opens) for p in person_lines(note))
