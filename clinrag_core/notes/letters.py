"""Finds the letters that head the parts of a note: S, B, A, R of a handover; S, O, A, P of a visit.

A letter alone at the begin of a line is a heading only where all of its scheme follow in order, so
that "A" before a sentence or the name of a list item is none.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_LETTER = re.compile(
    r"^[^\S\r\n]*(?:\*\*)?(?P<title>[SBAROPI])(?:\*\*)?(?:[^\S\r\n]*[:.)\u2013-][^\S\r\n]*|[^\S\r\n]+)"
    r"(?=[^\s])",
    re.MULTILINE,
)
_SCHEMES = {
    "SBAR": {"S": "history", "B": "history", "A": "overview", "R": "plan"},
    "ISBAR": {"I": "overview", "S": "history", "B": "history", "A": "overview", "R": "plan"},
    "SOAP": {"S": "history", "O": "exam", "A": "assessment", "P": "plan"},
}
"""Kinds of the headings by scheme; what a handover calls assessment holds what was found."""


class PartLetter(NamedTuple):
    """A letter that heads a part of a note: its span, where the text begins, and the kind."""

    start: int
    end: int
    body: int
    kind: str


def part_letters(note: str) -> tuple[PartLetter, ...]:
    """Return the letters that head the parts of a note; none where a scheme is not complete."""
    found = list(_LETTER.finditer(note))
    letters = "".join(match["title"] for match in found)
    kinds = _SCHEMES.get(letters)
    if kinds is None:
        return ()
    return tuple(
        PartLetter(*match.span("title"), match.end(), kinds[match["title"]]) for match in found
    )
