"""Numbers and letters set in the margin, apart from the text that they number.

One publisher sets the numbers of recommendations in smaller type to the left of their text. On the
same baseline they belong to it; read as lines they would be headings or notes in the margin.
"""

from __future__ import annotations

import re
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

from clinrag_core.parse.pdf.page import Line, make_line

if TYPE_CHECKING:
    from clinrag_core.parse.pdf.page import Page
    from clinrag_core.parse.pdf.tables import PdfTable

_NUMBER = re.compile(r"^\d{1,2}(?:\.\d{1,2}){1,3}\.?$")
_TAB = re.compile(r"^\d{1,2}$")
_TAB_ZONE = (0.04, 0.9)  # of the page's height: beyond it are page numbers
_TAB_SIZE = 1.5  # of the usual type: numbers of rows are no larger than their rows
_TITLE_SIZE = 1.15  # of the usual type: titles in small capitals count as their small letters
_LETTER = re.compile(r"^[A-Z]$")
# They find 184 of 185 numbers of three guidelines; the last is on its line.
_REACH = 6  # sizes between the number and its text
_BASELINE = 0.5  # of the size: numbers are smaller than their text
_NEARER = 1.5  # times as far from the column to the left as from its title
_LEAST_TEXT = 12  # characters: less may be the next cell of a row


def join_margin_numbers(page: Page) -> None:
    """Join each number with the line to its right, in place; a letter with its bold title."""
    for label in [i for i in page.lines if _NUMBER.match(i.text) or _LETTER.match(i.text)]:
        text = _text_of(label, page.lines)
        if text is None:
            continue
        first, *rest = text.spans
        spans = [*label.spans, replace(first, text=f" {first.text}"), *rest]
        joined = make_line(spans, page.number)
        if joined is None:
            continue
        joined.area, joined.edges, joined.turned = text.area, text.edges, text.turned
        if any(i.x1 <= label.x0 and len(i.text) >= _LEAST_TEXT for i in page.lines):
            joined.box = text.box  # a label in the gutter must not close it
        page.lines[next(n for n, i in enumerate(page.lines) if i is text)] = joined
        page.lines = [i for i in page.lines if i is not label]


def _text_of(label: Line, lines: list[Line]) -> Line | None:
    """Return the nearest line to the right of a label that only the label is left of.

    A letter may also stand between two columns, next to a title of the right one.
    """
    row = [i for i in lines if i is not label and not i.turned and _level(label, i)]
    text = min((i for i in row if i.x0 >= label.x0), key=lambda i: i.x0, default=None)
    left = [label.x0 - i.x1 for i in row if i.x0 < label.x0]
    if left and _LETTER.match(label.text) and text is not None:
        # A letter between two columns belongs to the one that it is nearer to.
        left = [gap for gap in left if gap <= _NEARER * max(text.x0 - label.x1, 1.0)]
    if label.turned or left:
        return None
    if text is None or text.x0 < label.x1 - 1 or text.x0 - label.x1 > _REACH * text.size:
        return None
    if _LETTER.match(label.text):
        return text if text.bold and label.bold else None
    return text if len(text.text) >= _LEAST_TEXT else None


def _level(label: Line, line: Line) -> bool:
    """True if two lines have one baseline."""
    a, b = label.spans[0].base, line.spans[0].base
    return abs(a - b) <= _BASELINE * max(label.size, line.size)


def thumb_tabs(page: Page) -> list[Line]:
    """Large lone numbers at the edge of a page, beyond all of its text: those of its chapter."""
    texts = [i for i in page.lines if not i.turned and not i.diagonal]
    top, bottom = _TAB_ZONE
    tabs = [i for i in texts if _TAB.match(i.text) and top < i.edges[0] and i.edges[1] < bottom]
    body = [i for i in texts if not _TAB.match(i.text)]
    if not body:
        return []
    left, right = min(i.x0 for i in body), max(i.x1 for i in body)
    size = _TAB_SIZE * median(i.size for i in body)
    return [
        i
        for i in tabs
        if i.size >= size and (i.x0 >= right + i.size / 2 or i.x1 <= left - i.size / 2)
    ]


def put_tab(tab: Line, items: list[Line | PdfTable]) -> bool:
    """Put the number of a chapter before its title, if one is larger than the rest of the page."""
    lines = [i for i in items if isinstance(i, Line)]
    if not lines:
        return False
    largest = max(i.size for i in lines)
    title = [n for n, i in enumerate(items) if isinstance(i, Line) and i.size == largest]
    is_one = title[-1] - title[0] == len(title) - 1
    if largest < _TITLE_SIZE * median(i.size for i in lines) or not is_one:
        return False
    first = items[title[0]]
    if isinstance(first, Line) and first.text[:1].isdigit():
        return False
    items.insert(title[0], tab)
    return True
