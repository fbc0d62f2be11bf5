"""Soft hyphens for narrow columns: a crude rule, enough to get real line-end hyphenation."""

from __future__ import annotations

import re

SOFT = "\u00ad"
SHORTEST_PART = 3
"""Letters that stay on each side of a break, as printers do."""
_WORD = re.compile(r"(?<![<\w/&])[a-z]{8,}(?![\w>;]| <)")
_BREAK = re.compile(
    r"(?<=[aeiouy])(?=[bcdfgklmnprstvz][aeiouy])|(?<=[aeiouy][lmnr])(?=[bcdfgpstv])"
)


def _word(match: re.Match[str]) -> str:
    word = match[0]
    places = [
        m.start()
        for m in _BREAK.finditer(word)
        if SHORTEST_PART <= m.start() < len(word) - SHORTEST_PART
    ]
    for place in reversed(places):
        word = word[:place] + SOFT + word[place:]
    return word


def hyphenate(text: str) -> str:
    """The text with soft hyphens where a long lower-case word may break between lines."""
    return _WORD.sub(_word, text)
