"""Running page headers that a PDF conversion left in Markdown.

Two traces: the same heading at every page break, followed by its second line and a page number
('## Title' + 'subtitle31and the sentence goes on'); and a section's title with a page number glued
into the text ('... staff. Executive summary xvii8.5 Patients ...'). Page numbers go on counting,
which doses do not.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise, takewhile

from clinrag_core.parse.assemble.flow import Heading, Piece
from clinrag_core.text.numerals import roman_value
from clinrag_core.text.units import units_of

_LEAST_PAGES = 4
"""Repeats that make a heading a running one: at 3, two headings of the WHO's 2020 module 4 go."""
_LEAST_GLUED = 2
"""A title and a number once in the text may be a sentence: 'see Treatment options 3'."""
_STEP = 12
"""Most pages from one header to the next: with 14, a number of the text is taken for a page."""
_NUMBER = re.compile(r"\d{1,3}|[ivxlc]{1,8}")
_TITLE = re.compile(r"[A-Z][a-z ]{5,40}")
_UNIT = rf"(?:{units_of('mass', 'volume', 'length', 'time')}|times?|st|nd|rd|th)\b"
# A page number runs into the next word; a dose has a unit behind it.
_GLUED_ARABIC = rf"(\d{{1,3}})(?!\d)(?=[A-Z•Î]|(?!{_UNIT})[a-z]{{2}})"
_GLUED_ROMAN = r"([ivxlc]{1,7})(?=[A-Z•Î\d])"


class _PageNumbers:
    """The last page numbers seen; a number that goes on counting from them is the next."""

    def __init__(self) -> None:
        self._last = {"arabic": 0, "roman": 0}

    def is_next(self, printed: str) -> bool:
        """True for the next page number, which is then the last seen."""
        kind = "arabic" if printed.isdigit() else "roman"
        value = int(printed) if printed.isdigit() else roman_value(printed)
        last = self._last[kind]
        if value is None or not last < value or (last and value > last + _STEP):
            return False
        self._last[kind] = value
        return True


def drop_running(items: list[Heading | Piece]) -> tuple[list[Heading | Piece], int]:
    """Return items without running headers, and how many were removed."""
    counts = Counter(i.title for i in items if isinstance(i, Heading))
    dropped = 0
    for title in sorted(t for t, n in counts.items() if n >= _LEAST_PAGES):
        items, count = _drop_heading(items, title)
        dropped += count
    titles = {m[0].strip() for t in counts if (m := _TITLE.match(t))}
    for title in sorted(titles):
        items, count = _drop_glued(items, title)
        dropped += count
    return items, dropped


def _drop_heading(items: list[Heading | Piece], title: str) -> tuple[list[Heading | Piece], int]:
    """Return items without headings of this title, their second lines and page numbers."""
    second = _second_line(
        [
            b.text
            for a, b in pairwise(items)
            if isinstance(a, Heading) and a.title == title and isinstance(b, Piece)
        ]
    )
    if second is None:
        return items, 0
    kept: list[Heading | Piece] = []
    dropped = 0
    pages = _PageNumbers()
    after = False
    for item in items:
        if isinstance(item, Heading) and item.title == title:
            after, dropped = True, dropped + 1
            continue
        if after and isinstance(item, Piece) and item.text.startswith(second):
            if rest := _without_page(item.text[len(second) :].lstrip(), pages):
                kept.append(replace(item, text=rest))
        else:
            kept.append(item)
        after = False
    return kept, dropped


def _second_line(texts: list[str]) -> str | None:
    """Return words that most of the texts begin with; None where fewer than half share any."""
    firsts = Counter(t.split()[0] for t in texts if t.strip())
    if not firsts:
        return None
    first = firsts.most_common(1)[0][0]
    sharing = [t for t in texts if t.startswith(first)]
    if len(sharing) < len(texts) / 2:
        return None
    return re.sub(r"\s*(?:\d+|(?<=\s)[ivxlc]+)$", "", _shared_start(sharing))


def _shared_start(texts: list[str]) -> str:
    first, last = min(texts), max(texts)
    shared = takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))
    return "".join(a for a, _ in shared)


def _without_page(text: str, pages: _PageNumbers) -> str:
    """Return text without the page number it begins with, which may be glued to more digits."""
    match = _NUMBER.match(text)
    for end in range(match.end() if match else 0, 0, -1):
        if pages.is_next(text[:end]):
            return text[end:].strip()
    return text


def _drop_glued(items: list[Heading | Piece], title: str) -> tuple[list[Heading | Piece], int]:
    """Return items without this title where a page number follows it inside the text."""
    glued = re.compile(rf"(?<!\w){re.escape(title)} (?:{_GLUED_ARABIC}|{_GLUED_ROMAN})")
    if sum(len(glued.findall(_text(i))) for i in items) < _LEAST_GLUED:
        return items, 0
    pages = _PageNumbers()
    out: list[Heading | Piece] = []
    dropped = 0
    for item in items:
        text = _text(item)
        found = [m for m in glued.finditer(text) if pages.is_next(m[1] or m[2])]
        dropped += len(found)
        for match in reversed(found):
            text = f"{text[: match.start()]} {text[match.end() :]}"
        if not found:
            out.append(item)
        elif text := " ".join(text.split()):
            kind = "paragraph" if isinstance(item, Heading) else item.kind
            out.append(Piece(kind, text, item.place))
    return out, dropped


def _text(item: Heading | Piece) -> str:
    return item.title if isinstance(item, Heading) else item.text
