"""Cross references in label text: "[see Warnings and Precautions (5.1)]".

They name sections the sentence is not about, so words and numbers in them mislead encoders and
BM25. They are located here to be left out of embedding text; quoted text keeps them.
"""

from __future__ import annotations

import re

from clinrag_core.text.expressions import lazy_re

_BRACKETED = lazy_re(r"[^\S\n]*\[\s*see\b[^\[\]]{0,400}\]", re.IGNORECASE)
# One level of parentheses inside: "(see Drug Interactions (7.1))".
_PARENTHESISED = lazy_re(
    r"[^\S\n]*\(\s*see\b[^()]{0,200}(?:\([^()]{0,60}\)[^()]{0,200}){0,8}\)", re.IGNORECASE
)
_NUMBER = r"(?:1[0-7]|[1-9])(?:\.[1-9]\d?){1,2}"
# After a letter or the end of a sentence; after a figure it may be a standard deviation.
_NUMBERS_ONLY = lazy_re(
    rf"(?<=[^\W\d])(?:[.:;]?)(?P<ref>[^\S\n]*\(\s*{_NUMBER}(?:\s*(?:,|and)\s*{_NUMBER})*\s*\))"
)
ENDS_HIGHLIGHT = lazy_re(r"\(\s*\d+(?:\.\d+)*\s*(?:,\s*\d+(?:\.\d+)*\s*)*\)")
"""The reference that ends an item of a label's highlights: "( 5.2 )"; what follows is another."""
_STATES_SOMETHING = lazy_re(
    r"\d\s*(?:mg|mcg|[µμ]g|g|kg|ml|l|iu|units?|%|hours?|days?|weeks?|months?)\b|\d\s*%",
    re.IGNORECASE,
)


def cross_reference_spans(text: str) -> list[tuple[int, int]]:
    """Return spans of cross references, with the blanks before them; in order, never overlapping.

    "[see ...]", "(see ...)" and bare section numbers "(5.1, 8.1)" in prose count. Not counted: what
    states a dose, share or duration itself, and numbers in table rows (lines with tabs).
    """
    found = [match.span() for match in _BRACKETED.finditer(text)]
    found += [match.span() for match in _PARENTHESISED.finditer(text)]
    found += [
        match.span("ref")
        for match in _NUMBERS_ONLY.finditer(text)
        if not _in_table_row(text, match.start())
    ]
    kept: list[tuple[int, int]] = []
    for start, end in sorted(found, key=lambda span: (span[0], -span[1])):
        if (not kept or start >= kept[-1][1]) and not _STATES_SOMETHING.search(text, start, end):
            kept.append((start, end))
    return kept


def _in_table_row(text: str, position: int) -> bool:
    start = text.rfind("\n", 0, position) + 1
    end = text.find("\n", position)
    return "\t" in text[start : len(text) if end < 0 else end]
