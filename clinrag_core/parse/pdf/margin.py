"""Numbers set in the margin, apart from the text that they number.

One publisher sets the numbers of recommendations in smaller type to the left of their text. On the
same baseline they belong to it; read as lines they would be headings or notes in the margin.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from clinrag_core.parse.pdf.page import make_line

if TYPE_CHECKING:
    from clinrag_core.parse.pdf.page import Line, Page

_NUMBER = re.compile(r"^\d{1,2}(?:\.\d{1,2}){1,3}\.?$")
_LETTER = re.compile(r"^[A-Z]$")
# `reference/pdf-tables` section 3: 184 of 185 numbers of three files, the last is on its line.
_REACH = 6  # sizes between the number and its text
_BASELINE = 0.5  # of the size: numbers are smaller than their text
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
        page.lines[next(n for n, i in enumerate(page.lines) if i is text)] = joined
        page.lines = [i for i in page.lines if i is not label]


def _text_of(label: Line, lines: list[Line]) -> Line | None:
    """The nearest line to the right of a label that only the label is left of."""
    row = [i for i in lines if i is not label and not i.turned and _level(label, i)]
    if label.turned or any(i.x0 < label.x0 for i in row):
        return None
    text = min(row, key=lambda i: i.x0, default=None)
    if text is None or text.x0 < label.x1 - 1 or text.x0 - label.x1 > _REACH * text.size:
        return None
    if _LETTER.match(label.text):
        return text if text.bold and label.bold else None
    return text if len(text.text) >= _LEAST_TEXT else None


def _level(label: Line, line: Line) -> bool:
    """True if two lines have one baseline."""
    a, b = label.spans[0].base, line.spans[0].base
    return abs(a - b) <= _BASELINE * max(label.size, line.size)
