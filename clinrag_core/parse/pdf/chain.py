"""Numbered headings that no type marks: the longest rising chain of outline numbers.

Lists, references and contents pages have numbers too; only the numbers of headings rise from the
first page to the last. A greedy chain fails: one 12.1 that is no heading closes it for 8.7.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from clinrag_core.parse.assemble.wording import (
    begins_sentence,
    is_caption,
    letters,
    may_be_title,
)
from clinrag_core.parse.pdf.page import Line
from clinrag_core.text.list_signs import is_item

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clinrag_core.parse.pdf.headings import BodyStyle

CONTENTS = -1
"""`Line.title` of the lines of a list of contents."""
Number = tuple[int, ...]

_NUMBERED = re.compile(r"^(?P<number>\d{1,2}(?:\.\d{1,2}){0,3})\.?\s+(?=[A-Z‘“\"(])")
_STOPPED = re.compile(r"[.;:,][\"'”’)]*(?:\s*\[[^\]]*\])?$")
_NUMBER_ONLY = re.compile(r"^\d{1,2}(?:\.\d{1,2}){0,3}\.?\s")
# Sizes and counts by which 205 of 205 headings of three guidelines are found, and no other line.
_LEADER = re.compile(r"[\s.…]*\d{0,3}$")
_PITCH_INSIDE = 1.6  # of the size: lines of a title in large type are further apart than text
_CAPITALS = 0.75  # of the words of a title in title case
_LONGEST = 30  # words of a title over several lines
_CONTENTS = 14  # numbered lines of one page: a contents page
_LEAST_ENTRIES = 4  # of a list of contents
_ENTRY_GAP = 6  # lines between two entries that are found: entries over two lines, or not found
_LEAST = 3  # headings: two rising numbers are found in any text


@dataclass(slots=True)
class _Candidate:
    """A line that may begin a numbered heading, with the lines that it continues in."""

    number: Number
    lines: list[Line]
    page: int

    @property
    def style(self) -> tuple[float, str, bool]:
        """Size, font and weight."""
        first = self.lines[0]
        return first.size, first.font, first.bold


def mark_numbered_titles(
    pages: Sequence[Sequence[object]], body: BodyStyle, skipped: frozenset[int]
) -> None:
    """Set `Line.title` of the lines of numbered headings, one positive number per heading.

    `pages` are the items of each page in reading order; what is no line ends a title. Pages in
    `skipped` (contents) have none.
    """
    found: list[_Candidate] = []
    for items in pages:
        on_page = [c for c in _candidates(items, body) if c.page not in skipped]
        found += on_page if len(on_page) < _CONTENTS else []
    chain = _with_relatives(_longest_rising(found))
    if len(chain) < _LEAST:
        return
    for index, candidate in enumerate(chain, start=1):
        for line in candidate.lines:
            line.title = index
    _mark_contents(pages, chain, skipped)


def _mark_contents(
    pages: Sequence[Sequence[object]], chain: list[_Candidate], skipped: frozenset[int]
) -> None:
    """Set `Line.title` to `CONTENTS` for a list of the chain's titles that shares its page.

    Labels print their contents below the highlights: such a page is no contents page.
    """
    titles = {letters(c.lines[0].text): c.page for c in chain}
    for items in pages:
        lines = [i for i in items if isinstance(i, Line) and i.page not in skipped]
        entries = [
            index
            for index, line in enumerate(lines)
            if not line.title and titles.get(letters(_LEADER.sub("", line.text)), 0) >= line.page
        ]
        if len(entries) < _LEAST_ENTRIES:
            continue
        for a, b in pairwise(entries):
            if b - a <= _ENTRY_GAP:
                for line in lines[a : b + 1]:
                    line.title = line.title or CONTENTS


def _candidates(items: Sequence[object], body: BodyStyle) -> Iterator[_Candidate]:
    """Yield the titles of a page that are worded and placed as numbered headings are."""
    for index, item in enumerate(items):
        if not isinstance(item, Line):
            continue
        match = _NUMBERED.match(item.text)
        if match is not None:
            number = tuple(int(part) for part in match["number"].split("."))
            lines = _title_lines(items, index)
            if not _may_be_heading(number, lines, body) and _is_title_case(item.text):
                lines = lines[:1]  # its text begins right below a line that is full
            if _may_be_heading(number, lines, body):
                yield _Candidate(number, lines, item.page)


def _title_lines(items: Sequence[object], index: int) -> list[Line]:
    """Return the lines of the title that begins with the item `index`."""
    first = items[index]
    assert isinstance(first, Line)  # noqa: S101 - the caller's item is a line
    lines = [first]
    column = [i.x1 for i in items if isinstance(i, Line) and abs(i.x0 - first.x0) < 6 * i.size]
    right = max(column, default=first.x1)
    for item in items[index + 1 :]:
        last = lines[-1]
        if not isinstance(item, Line) or is_item(item.text):
            break
        same = item.bold == last.bold
        near = 0 < item.y1 - last.y1 < _PITCH_INSIDE * last.size
        fits = right - last.x1 > item.first_word_width + item.size
        if not same or not near or item.area != last.area or (fits and begins_sentence(item.text)):
            break
        lines.append(item)
    return lines


def _may_be_heading(number: Number, lines: list[Line], body: BodyStyle) -> bool:
    text = " ".join(line.text for line in lines)
    title = _NUMBER_ONLY.sub("", text)
    first = lines[0]
    if _STOPPED.search(text) or first.size < body.size - 1.5:
        return False
    if not may_be_title(title, _LONGEST) or is_caption(title) or any(i.gapped for i in lines[1:]):
        return False
    marked = all(i.bold for i in lines) or title.isupper() or first.size >= body.size + 0.9
    return len(number) > 1 or marked


def _is_title_case(text: str) -> bool:
    """True if most words of a line begin with a capital, as in no sentence."""
    words = re.findall(r"[^\W\d_]+", text)
    return len(words) >= _LEAST and sum(w[0].isupper() for w in words) >= _CAPITALS * len(words)


def _longest_rising(found: list[_Candidate]) -> list[_Candidate]:
    """Return the longest chain of strictly rising numbers, in order (patience sorting)."""
    tails: list[Number] = []
    ends: list[int] = []
    before: list[int | None] = []
    for index, candidate in enumerate(found):
        at = bisect_left(tails, candidate.number)
        before.append(ends[at - 1] if at else None)
        if at == len(tails):
            tails.append(candidate.number)
            ends.append(index)
        else:
            tails[at], ends[at] = candidate.number, index
    chain: list[_Candidate] = []
    at_last = ends[-1] if ends else None
    while at_last is not None:
        chain.append(found[at_last])
        at_last = before[at_last]
    return chain[::-1]


def _with_relatives(chain: list[_Candidate]) -> list[_Candidate]:
    """Return a chain without numbers that have neither parent, child nor sibling in it.

    A number of one part needs a child, or the type of one that has: references at the end of a
    document go on rising.
    """
    numbers = {c.number for c in chain}
    parents = {n[:-1] for n in numbers if len(n) > 1}
    chapters = {c.style for c in chain if len(c.number) == 1 and c.number in parents}
    siblings: set[Number] = set()
    for a, b in pairwise(sorted(numbers, key=lambda n: (len(n), n))):
        if len(a) == len(b) and a[:-1] == b[:-1]:
            siblings |= {a, b}
    return [
        c
        for c in chain
        if c.number in parents
        or (c.style in chapters if len(c.number) == 1 else _related(c.number, numbers, siblings))
    ]


def _related(number: Number, numbers: set[Number], siblings: set[Number]) -> bool:
    return number in siblings or number[:-1] in numbers or number[-1] == 1
