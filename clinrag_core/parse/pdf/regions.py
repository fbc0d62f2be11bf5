"""Where a captioned table without a full lattice lies: from its caption to its last mark or line.

Publishers rule such tables at the top and at the foot, or shade them; a few set only the caption.
The rules are those measured on hard layouts: the first mark within 75 points under the caption, as
far down as marks of the same extent go; without marks, until the text is prose again.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.parse.assemble.wording import is_named_in_text
from clinrag_core.parse.pdf.page import Box, Fill, Line, Page, area, contains

if TYPE_CHECKING:
    from collections.abc import Sequence

_CAPTION = re.compile(
    r"^(?:web\s+)?table\s+(?:[A-Z]{1,4}[.-])?(?:\d+|[IVX]+)(?:[.-](?:\d+|[A-Za-z]))*(?P<rest>.*)$",
    re.IGNORECASE,
)
LEADERS = re.compile(r"(?:\.\s?){4,}|…")
_NOTE = re.compile(
    r"(?:[*†‡§¶+]|[a-z]\s|\d\s|source|sources|abbreviations?|notes?\b|\w{1,8}\s?=)", re.IGNORECASE
)
_MARK_GAP = 75.0  # points from the caption to the first mark of its table
_SAME = 6.0  # points between the ends of marks of one table
_LEVEL = 3.0  # points between marks of one level
_PAGE = 0.85  # of the page: larger fills are its ground
_PALE = 0.97  # of white
_THIN = 3.0  # points: lower fills are rules
_FEWEST_POINTS = 60.0  # of a mark: shorter ones underline words
_WORDS = 9  # of a line without a gap: prose
_PROSE_LINES = 2  # in a row: one may be a note inside the table
_FAR = 3.0  # type sizes between two lines: the table has ended


def table_captions(page: Page) -> list[Line]:
    """Return the lines of a page that begin the caption of a table, from the top."""
    found = [line for line in page.lines if not line.turned and _is_caption(line)]
    return sorted(found, key=lambda i: (i.y0, i.x0))


def _is_caption(line: Line) -> bool:
    match = _CAPTION.match(line.text)
    if match is None or LEADERS.search(line.text):
        return False
    rest = match["rest"].strip()
    set_apart = line.bold or bool(line.lead) or not rest or rest[0] in ".:"
    return set_apart and not is_named_in_text(rest)


def region_of(caption: Line, captions: Sequence[Line], page: Page) -> Box | None:
    """Return the box in which the table of a caption is; None if there is none to see."""
    end = min(
        (
            other.y0
            for other in captions
            if other.y0 > caption.y1 and min(other.x1, caption.x1 + 200) > max(other.x0, caption.x0)
        ),
        default=page.height,
    )
    return _marked(caption, end, page) or _unmarked(caption, end, page)


def _marked(caption: Line, end: float, page: Page) -> Box | None:
    """Region of a table that rules or shading bound."""
    marks = [f.box for f in page.fills if _is_mark(f, page) and caption.y0 - 2 <= f.box[1] < end]
    under = [
        m
        for m in marks
        if caption.y1 - 4 <= m[1] <= caption.y1 + _MARK_GAP
        and m[0] < caption.x1
        and m[2] > caption.x0
    ]
    if not under:
        return None
    top = min(m[1] for m in under)
    first = [m for m in under if m[1] <= top + _LEVEL]
    left, right = min(m[0] for m in first), max(m[2] for m in first)
    for mark in sorted(marks):  # pieces of a rule side by side
        if abs(mark[1] - top) <= _LEVEL and mark[0] <= right + _SAME and mark[2] >= left - _SAME:
            left, right = min(left, mark[0]), max(right, mark[2])
    bottom = max(m[3] for m in first)
    for mark in sorted(marks, key=lambda m: m[1]):
        inside = mark[0] >= left - _SAME and mark[2] <= right + _SAME
        whole = abs(mark[0] - left) <= _SAME and abs(mark[2] - right) <= _SAME
        if mark[1] >= top - _LEVEL and inside and (whole or mark[1] <= bottom + _SAME):
            bottom = max(bottom, mark[3])
    if bottom - top > _THIN * 4:
        return (left - 1, top - 1, right + 1, bottom + 1)
    return _down((left, top, right, bottom), end, page)


def _is_mark(fill: Fill, page: Page) -> bool:
    x0, y0, x1, y1 = fill.box
    if x1 - x0 < _FEWEST_POINTS or area(fill.box) > _PAGE * page.width * page.height:
        return False
    return y1 - y0 <= _THIN or (fill.filled and min(fill.color) < _PALE)


def _unmarked(caption: Line, end: float, page: Page) -> Box | None:
    """Region of a table that nothing but its caption announces."""
    right = max((i.x1 for i in page.lines if i.x0 >= caption.x0 - 2), default=caption.x1)
    return _down((caption.x0 - 2, caption.y1, right, caption.y1), end, page)


def _down(start: Box, end: float, page: Page) -> Box | None:
    """Region from a level down to where text runs without gaps again."""
    left, top, right, _ = start
    lines = sorted(
        (
            i
            for i in page.lines
            if not i.turned and i.y0 >= top - 1 and i.y1 <= end and left - 4 <= i.x0 < right
        ),
        key=lambda i: i.y0,
    )
    kept: list[Line] = []
    prose: list[Line] = []
    for line in lines:
        far = bool(kept) and line.y0 - max(i.y1 for i in kept) > _FAR * line.size
        alone = not any(o is not line and abs(o.y1 - line.y1) < _LEVEL for o in lines)
        if far or (kept and alone and _NOTE.match(line.text)):
            break
        if alone and not line.gapped and len(line.text.split()) > _WORDS:
            prose.append(line)
            if len(prose) >= _PROSE_LINES:
                break
        else:
            kept += [*prose, line]
            prose = []
    if not kept:
        return None
    return (left, top, right, max(i.y1 for i in kept) + 1)


def lines_within(page: Page, box: Box) -> list[Line]:
    """Return the upright lines of a page whose centre is in a box."""
    return [i for i in page.lines if not i.turned and contains(box, i.box)]
