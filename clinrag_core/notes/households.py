"""Finds the people of a household in a note on several: each line is about who opens it.

"Wife, 33. HIV positive, on abacavir." is about the wife in every sentence. A line is of a person
where a relation with an age opens it; names with an age count only among such lines.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from clinrag_core.facts.stated_ages import relative_of, somebody_of
from clinrag_core.text.normalise import fold_chars

_LINE = re.compile(
    r"^[^\w\r\n]*(?:[A-Za-z-]+ ){0,3}[A-Za-z.-]+(?:,|:| \()[ \t]*(?:aged? )?\d[^\r\n]*",
    re.MULTILINE,
)
"""A line that opens with a few words and a figure: all that a person's line can be."""
PERSON = "person"
"""Kind of a statement about somebody other than the patient, in a line of theirs."""
_LEAST = 2
"""Lines opened by a relation that make a note one on several people."""


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
        relative = relative_of(line.group())
        own = relative or (somebody_of(line.group()) if relations else None)
        if own is not None:
            found.append(PersonLine(*line.span(), own.who))
            relations += relative is not None
    return tuple(found) if relations >= _LEAST else ()


def opens_with_person(note: str, text: str) -> bool:
    """Return whether a statement opens with a person of those lines: "wife, isoniazid 300 mg"."""
    opens = fold_chars(text)
    return any(re.match(rf"{re.escape(p.who)} ?[,:]", opens) for p in person_lines(note))
