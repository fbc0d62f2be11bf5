"""Running page headers that a PDF conversion left in Markdown.

Two traces: the same heading at every page break, followed by its second line and a page number
('## Title' + 'subtitle31and the sentence goes on'); and a section's title with a page number glued
into the text ('... staff. Executive summary xvii8.5 Patients ...').
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise

from clinrag_core.parse.assemble.assembler import Heading, Piece

_MIN_RUNNING = 4
_MIN_GLUED = 2
_NUMBERED = re.compile(r"^(?:\d|annex|appendix|chapter|section)", re.IGNORECASE)
_NUMBER = re.compile(r"\d{1,4}|[ivxlc]{1,8}")
_ROMAN = re.compile(r"x{0,3}(?:ix|iv|v?i{0,3})|xl?(?:ix|iv|v?i{0,3})")
_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_STEP = 12  # most pages between two headers
_LAST_PAGE = 999
_UNIT = r"(?:mg|mcg|kg|ml|mm|cm|days?|weeks?|months?|years?|hours?|times?|st|nd|rd|th)\b"
# A page number runs into the next word; a dose has a unit behind it.
_GLUED_ARABIC = rf"(\d{{1,3}})(?!\d)(?=[A-Z•Î]|(?!{_UNIT})[a-z]{{2}})"
_GLUED_ROMAN = r"([ivxlc]{1,7})(?=[A-Z•Î\d])"


def drop_running(items: list[Heading | Piece]) -> tuple[list[Heading | Piece], int]:
    """Items without running headers, and how many were removed."""
    counts = Counter(i.title for i in items if isinstance(i, Heading))
    dropped = 0
    for title in sorted(t for t, n in counts.items() if n >= _MIN_RUNNING):
        if not _NUMBERED.match(title):
            items, count = _drop_heading(items, title)
            dropped += count
    items, count = _drop_glued(items)
    return items, dropped + count


def _drop_heading(items: list[Heading | Piece], title: str) -> tuple[list[Heading | Piece], int]:
    tail = _common_start(
        [
            b.text
            for a, b in pairwise(items)
            if isinstance(a, Heading) and a.title == title and isinstance(b, Piece)
        ]
    )
    if tail is None:
        return items, 0
    kept: list[Heading | Piece] = []
    dropped = 0
    pages = {"arabic": 0, "roman": 0}
    after = False
    for item in items:
        if isinstance(item, Heading) and item.title == title:
            after, dropped = True, dropped + 1
            continue
        if after and isinstance(item, Piece) and item.text.startswith(tail):
            rest = _without_page(item.text[len(tail) :].lstrip(), pages)
            if rest:
                kept.append(replace(item, text=rest))
        else:
            kept.append(item)
        after = False
    return kept, dropped


def _common_start(texts: list[str]) -> str | None:
    """Words that most of the texts begin with; None where fewer than half share any."""
    firsts = Counter(t.split()[0] for t in texts if t.strip())
    if len(texts) < _MIN_RUNNING or not firsts:
        return None
    first = firsts.most_common(1)[0][0]
    sharing = [t for t in texts if t.startswith(first)]
    if len(sharing) * 2 < len(texts):
        return None
    prefix = _shared_prefix(sharing)
    return re.sub(r"\s*(?:\d+|(?<=\s)[ivxlc]+)$", "", prefix)


def _shared_prefix(texts: list[str]) -> str:
    """The characters that all texts begin with."""
    first, last = min(texts), max(texts)
    end = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[:end]


def _without_page(text: str, pages: dict[str, int]) -> str:
    """Text without the page number it begins with: the prefix that goes on counting."""
    match = _NUMBER.match(text)
    if match is None:
        return text
    for end in range(match.end(), 0, -1):
        value = _value(text[:end])
        kind = "arabic" if text[0].isdigit() else "roman"
        if value is not None and pages[kind] < value <= pages[kind] + _STEP:
            pages[kind] = value
            return text[end:].strip()
    return text


def _value(text: str) -> int | None:
    if text.isdigit():
        return int(text)
    if not _ROMAN.fullmatch(text):
        return None
    values = [_VALUES[c] for c in text]
    following = [*values[1:], 0]
    return sum(-v if n > v else v for v, n in zip(values, following, strict=True))


def _drop_glued(items: list[Heading | Piece]) -> tuple[list[Heading | Piece], int]:
    titles = {
        m[0].strip()
        for i in items
        if isinstance(i, Heading)
        if (m := re.match(r"[A-Z][a-z ]{5,40}", i.title))
    }
    dropped = 0
    for title in sorted(titles):
        glued = re.compile(rf"(?<!\w){re.escape(title)} (?:{_GLUED_ARABIC}|{_GLUED_ROMAN})")
        texts = [_text(i) for i in items]
        if sum(len(glued.findall(t)) for t in texts) < _MIN_GLUED:
            continue
        pages = _Pages()
        out: list[Heading | Piece] = []
        for item, text in zip(items, texts, strict=True):
            cut, count = _cut_headers(text, glued, pages)
            dropped += count
            if not count or not cut:
                out.extend([] if count else [item])
            elif isinstance(item, Heading):
                out.append(Piece("paragraph", cut, item.place))
            else:
                out.append(replace(item, text=cut))
        items = out
    return items, dropped


class _Pages:
    """The page numbers of a running header: they go on counting, which doses do not."""

    def __init__(self) -> None:
        self._last = {"arabic": 0, "roman": 0}

    def goes_on(self, printed: str) -> bool:
        kind = "arabic" if printed[0].isdigit() else "roman"
        value, last = _value(printed), self._last[kind]
        if value is None or not last < value <= (last + _STEP if last else _LAST_PAGE):
            return False
        self._last[kind] = value
        return True


def _cut_headers(text: str, glued: re.Pattern[str], pages: _Pages) -> tuple[str, int]:
    """A text without the running headers in it, and how many they were."""
    count = 0

    def cut(match: re.Match[str]) -> str:
        nonlocal count
        if not pages.goes_on(match[1] or match[2]):
            return match[0]
        count += 1
        return " "

    out = glued.sub(cut, text)
    return (" ".join(out.split()), count) if count else (text, 0)


def _text(item: Heading | Piece) -> str:
    return item.title if isinstance(item, Heading) else item.text
