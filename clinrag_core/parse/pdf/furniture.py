"""What is printed on pages and is no text: running lines, watermarks, page numbers.

A line is running text when the same line, digits masked, is at the top or the bottom of more
than a tenth of the pages. Removed once per page, so a real sentence that merely repeats stays.
A watermark is set across the page and repeated; text turned by 90 degrees is content.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from statistics import median
from typing import TYPE_CHECKING

from clinrag_core.text.numerals import roman_value

if TYPE_CHECKING:
    from clinrag_core.parse.pdf.page import Line, Page

TOP = 0.10  # of the page height, as margins of 2.5 cm on A4
BOTTOM = 0.12  # of the page height; page numbers are set higher than titles
_SHARE = 0.10  # of the pages: chapters of a tenth of a document have running titles, too
_LONE_LENGTH = 16
"""Characters of a lone page number: longer lines are leaders of a contents page and its number."""
_CHAPTER = 4  # pages in a row: a line at the same edge of fewer may be a repeated title
_LARGER = 1.3
"""Of the size of a running title: the chapter's own title at the top of its first page. Running
lines of 22 files differ by 1.25 at most between pages, titles begin at 1.67."""
_TITLE_LETTERS = 4  # large numbers of chapters are no titles
_LEAST = 3  # pages: a title may be on its page and on the contents page

_NUMBER = re.compile(r"\d+")
_ROMAN = re.compile(r"(?<![a-zA-Z])[ivxlc]{1,7}(?![a-zA-Z])")
_LONE = re.compile(
    r"^(?:page\s+)?[\W_]*(\d{1,4}|[ivxlcIVXLC]{1,7})[\W_]*(?:\s+of(?:\s+\d+)?)?$", re.I
)
_PRINTED = re.compile(
    r"^[\W_]*(?:page\s+)?(\d{1,4}|[ivxlc]{1,7})(?=\s|$|\W)|(?:^|\s|\W)(\d{1,4}|[ivxlc]{1,7})[\W_]*$"
)


def remove_furniture(pages: list[Page]) -> dict[int, list[Line]]:
    """Remove running lines and watermarks from the pages, in place; returns them by page number."""
    marks = Counter(_mark(i.text) for page in pages for i in page.lines if i.diagonal)
    seen: dict[str, set[int]] = defaultdict(set)
    sizes: dict[str, list[float]] = defaultdict(list)
    placed: dict[tuple[str, float, float], set[int]] = defaultdict(set)
    for page in pages:
        for line in _edge_lines(page):
            seen[_mask(line.text)].add(page.number)
            sizes[_mask(line.text)].append(line.size)
            if _is_outermost(page, line):
                placed[_place(line)].add(page.number)
    least = max(_LEAST, int(len(pages) * _SHARE) + 1)
    removed: dict[int, list[Line]] = {}
    for page in pages:
        edge = _edge_lines(page)
        numbers = [i for i in edge if _LONE.match(i.text) and len(i.text) <= _LONE_LENGTH]
        if len(pages) < _LEAST:
            numbers = []
        # What is level with a page number is the chapter's running title.
        ids = {
            id(line)
            for line in edge
            if (len(seen[text := _mask(line.text)]) >= least and not _is_title(line, sizes[text]))
            or _runs_on(placed[_place(line)])
            or any(_level(line, n) for n in numbers)
        }
        ids |= {id(i) for i in page.lines if i.diagonal and marks[_mark(i.text)] >= _LEAST}
        if ids:
            removed[page.number] = [line for line in page.lines if id(line) in ids]
            page.lines = [line for line in page.lines if id(line) not in ids]
    return removed


def printed_labels(pages: list[Page], removed: dict[int, list[Line]]) -> dict[int, str]:
    """Printed page numbers read from running lines, for documents without page labels.

    Only numbers that keep a constant distance from the PDF page on at least three pages in the
    majority are believed; other pages get no label.
    """
    offsets: dict[bool, Counter[int]] = {True: Counter(), False: Counter()}  # by isdigit
    printed: dict[int, list[tuple[str, int]]] = {}
    for page in pages:
        words = [w for line in removed.get(page.number, ()) for w in _printed(line.text)]
        values = [(w, int(w) if w.isdigit() else roman_value(w)) for w in words]
        printed[page.number] = [(word, value) for word, value in values if value is not None]
        for digits, offset in sorted(
            {(w.isdigit(), v - page.number) for w, v in printed[page.number]}
        ):
            offsets[digits][offset] += 1
    usual = {digits: counts.most_common(1) for digits, counts in offsets.items()}
    labels: dict[int, str] = {}
    for number, numbers in printed.items():
        for word, value in numbers:
            offset, count = usual[word.isdigit()][0]
            if count >= _LEAST and value == number + offset:
                labels.setdefault(number, word)
    return labels


def _place(line: Line) -> tuple[str, float, float]:
    """Key of a line by its words, type size and height on the page."""
    return _mask(line.text), line.size, round(line.edges[0], 2)


def _is_outermost(page: Page, line: Line) -> bool:
    """True if nothing but page numbers is above a line, or below it."""
    others = [i for i in page.lines if i is not line and not _LONE.match(i.text) and not i.turned]
    top, bottom = line.edges
    return all(i.edges[0] >= bottom for i in others) or all(i.edges[1] <= top for i in others)


def _is_title(line: Line, sizes: list[float]) -> bool:
    """True for the title of a chapter, larger than the running titles that repeat it."""
    letters = sum(map(str.isalpha, line.text))
    return letters >= _TITLE_LETTERS and line.size >= _LARGER * median(sizes)


def _runs_on(pages: set[int]) -> bool:
    """True for the running title of a chapter: on each page or each second page of a stretch."""
    ordered = sorted(pages)
    return len(ordered) >= _CHAPTER and ordered[-1] - ordered[0] <= 2 * (len(ordered) - 1)


def _mark(text: str) -> str:
    return "".join(text.casefold().split())


def _edge_lines(page: Page) -> list[Line]:
    """Return lines at the top or the bottom; of lone numbers there only the outermost.

    A number with a page number further out is a value of a table that reaches the margin.
    """
    edge = [line for line in page.lines if line.edges[1] <= TOP or line.edges[0] >= 1 - BOTTOM]
    numbers = [line for line in edge if _LONE.match(line.text)]
    inner = {id(a) for a in numbers if any(_is_further_out(b, a) for b in numbers)}
    return [line for line in edge if id(line) not in inner]


def _is_further_out(a: Line, b: Line) -> bool:
    """True if line `a` is nearer to the edge of the page than `b`, not level with it."""
    if b.edges[1] <= TOP:
        return a.edges[1] <= b.edges[0]
    return a.edges[0] >= b.edges[1]


def _level(line: Line, number: Line) -> bool:
    """True if a line of the running text is in one row with a page number."""
    (top, bottom), (first, last) = line.edges, number.edges
    return min(bottom, last) - max(top, first) > 0.3 * (bottom - top)


def _mask(text: str) -> str:
    masked = _ROMAN.sub("#", _NUMBER.sub("#", text.casefold()))
    return " ".join(masked.split())


def _printed(text: str) -> list[str]:
    return [g for match in _PRINTED.finditer(text) for g in match.groups() if g]
