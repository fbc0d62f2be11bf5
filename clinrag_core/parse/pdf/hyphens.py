"""Joins lines, and decides what a hyphen at a line's end was.

The words of the document decide: 'treat-' + 'ment' is joined because 'treatment' occurs elsewhere,
'drug-' + 'resistant' keeps its hyphen because 'drug-resistant' does. A blind join would make DRTB
of DR-TB.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from clinrag_core.text.list_signs import normal_bullet

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clinrag_core.parse.pdf.page import Line

_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_BROKEN = re.compile(r"(?P<stem>[^\W\d_][^\W_]*(?:-[^\W_]+)*)-$")
_RANGE = re.compile(r"\d[-–]$")
_FIRST = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_OPEN_LINK = re.compile(r"(?:https?://|www\.)\S*[-/_=?&.]$")


class Vocabulary:
    """Words of a document, from the insides of its lines."""

    def __init__(self, lines: Iterable[str]) -> None:
        """Collect words, without the two parts of a word that a hyphen breaks."""
        self._words: Counter[str] = Counter()
        kept = list(lines)
        after_break = False
        for line in kept:
            words = [w.casefold() for w in _WORD.findall(line)]
            if after_break and words:
                words = words[1:]
            after_break = line.rstrip().endswith(("-", "\u00ad"))
            if after_break and words:
                words = words[:-1]
            self._words.update(words)
        self._joins = self._usual(kept)

    def join_lines(self, lines: Iterable[Line]) -> str:
        """Return lines of one paragraph as one, with its bullet as '•'."""
        text, soft = "", False
        for line in lines:
            text, soft = self.join(text, line.text, soft=soft), line.soft
        return normal_bullet(text)

    def join(self, last: str, following: str, *, soft: bool = False) -> str:
        """Return text so far and the next line as one; `soft` if `last` ended in a soft hyphen."""
        if soft or not last or not following or _is_cut(last, following):
            return last + following
        broken = _BROKEN.search(last)
        if broken is None or not following[:1].isalnum():
            tight = last.endswith(("/", "–")) and not last.endswith((" /", " –"))
            return f"{last}{following}" if tight else f"{last} {following}"
        first = _FIRST.match(following)
        if first is None or self._keeps(broken["stem"], first[0]):
            return last + following
        return last[:-1] + following

    def _keeps(self, stem: str, rest: str) -> bool:
        if rest[:1].isupper() or stem[-1:].isupper() or any(c.isdigit() for c in stem):
            return True
        tail, head = stem.casefold(), rest.casefold()
        joined = self._words[tail + head]
        hyphened = self._words[f"{tail}-{head}"]
        if joined or hyphened:
            return hyphened > joined
        if not self._joins:
            return True
        return bool(self._words[tail.rsplit("-", 1)[-1]] and self._words[head.split("-", 1)[0]])

    def _usual(self, lines: list[str]) -> bool:
        """True if the document breaks words at line ends, judged by the breaks that are clear."""
        joined = kept = 0
        for last, following in pairwise(lines):
            broken, first = _BROKEN.search(last), _FIRST.match(following)
            if broken is None or first is None or first[0][:1].isupper():
                continue
            tail, head = broken["stem"].casefold(), first[0].casefold()
            joined += self._words[tail + head] > self._words[f"{tail}-{head}"]
            kept += self._words[f"{tail}-{head}"] > self._words[tail + head]
        return joined >= kept


def _is_cut(last: str, following: str) -> bool:
    """True if an address or a range of numbers runs over the line end."""
    if following[:1].isdigit() and _RANGE.search(last):
        return True
    return bool(_OPEN_LINK.search(last.rsplit(" ", 1)[-1])) and not following[:1].isupper()
