"""Entries of lists that no character marks: drawn bullets, and lines with a tab stop.

'Rifampicin:   450 mg once a month', one entry a line, looks like a paragraph without a bullet or a
full stop, in which a dose may be read as the next drug's. Each line is an entry of its own,
introduced by what is above it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from clinrag_core.parse.pdf.page import Line
from clinrag_core.text.list_signs import has_bullet, is_item, is_sign

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clinrag_core.parse.pdf.page import Box, Page

BEGINS, GOES_ON = 1, 2  # of an entry

_TAB = 0.7  # em: no space between words is as wide in unjustified text
_SAME_X = 2.5  # points
_SAME_SIZE = 0.8  # points
_PITCH = 2.2  # em between the base lines of two entries
_WRAPPED_PITCH = 1.6  # em between the lines of one entry
_LABEL_WORDS = 5  # of what comes before the tab stop: longer is a sentence
_LABEL_LETTERS = 3  # a shorter one is the number or letter of an item
_LAST_WORDS = 10  # longer is a paragraph below the list
_LEAST = 2  # entries with the same tab stop
_SET = 0.5  # of the entries at least have it: spaces of others are as narrow as between words
_LEADERS = "...."  # of a table of contents
_DOT = (1.5, 7.0)  # points: width and height of a drawn bullet
_ROUND = 1.3  # of its shorter side
_PALE = 0.8  # of white: tints of cells
_DOT_REACH = 2.2  # em between a bullet and its text
_FEWEST_DOTS = 2  # that stand above each other: one alone is an ornament


def mark_entries(items: Sequence[object], page: Page) -> None:
    """Mark the lines that are entries of such lists; `items` of the page are in reading order."""
    _mark_dotted([i for i in items if isinstance(i, Line)], _dots(page))
    for run in _columns(items):
        start = 0
        while start < len(run):
            length = _mark(run[start:])
            start += max(length, 1)


def _dots(page: Page) -> list[Box]:
    """Small dark shapes as high as wide: drawn bullets, marks of a chart's legend."""
    out: list[Box] = []
    for fill in page.fills:
        sides = sorted((fill.box[2] - fill.box[0], fill.box[3] - fill.box[1]))
        is_round = _DOT[0] <= sides[0] and sides[1] <= min(_DOT[1], _ROUND * sides[0])
        if is_round and (not fill.filled or min(fill.color) < _PALE):
            out.append(fill.box)
    return out


def _mark_dotted(lines: Sequence[Line], dots: Sequence[Box]) -> None:
    """Mark the lines behind drawn bullets, and the lines that go on below them."""
    bulleted = {
        id(line): dot[0] for line in lines for dot in dots if _is_before(dot, line) and line.text
    }
    for above, line in pairwise([None, *lines]):
        if line is None:
            continue
        left = bulleted.get(id(line))
        alike = sum(left is not None and abs(x - left) <= _SAME_X for x in bulleted.values())
        if alike >= _FEWEST_DOTS and not is_item(line.text):
            line.entry = BEGINS
        elif above is not None and above.entry and left is None and _is_wrapped(above, line):
            line.entry = GOES_ON


def _is_before(dot: Box, line: Line) -> bool:
    gap = line.x0 - dot[2]
    level = line.y0 <= (dot[1] + dot[3]) / 2 <= line.y1
    return level and -1.0 <= gap <= _DOT_REACH * line.size


def _is_wrapped(above: Line, line: Line) -> bool:
    """True if a line goes on with the text of an entry: as far to the right, directly below."""
    close = 0 < line.y1 - above.y1 <= _WRAPPED_PITCH * line.size
    alike = above.area == line.area and abs(above.size - line.size) <= _SAME_SIZE
    return close and alike and abs(line.x0 - above.x0) <= _SAME_X


def _columns(items: Sequence[object]) -> Iterator[list[Line]]:
    """Yield runs of lines that follow each other downwards, in one box and size."""
    run: list[Line] = []
    for item in items:
        last = run[-1] if run else None
        if not isinstance(item, Line):
            yield run
            run = []
        elif last is None or _follows(last, item):
            run.append(item)
        else:
            yield run
            run = [item]
    yield run


def _follows(above: Line, line: Line) -> bool:
    alike = above.area == line.area and abs(above.size - line.size) <= _SAME_SIZE
    return alike and above.y1 < line.y1


def _mark(lines: Sequence[Line]) -> int:
    """Mark the list that the first line begins; returns how many lines it has, 0 if it is none."""
    stop = _tab_stop(lines[0])
    if stop is None:
        return 0
    first = lines[0]
    if first.entry:
        return 0
    kinds = [BEGINS]
    ends = 1  # lines up to the last with the tab stop
    found = 1
    for above, line in pairwise(lines):
        kind = _kind(first, stop, above, line)
        if not kind:
            break
        kinds.append(kind)
        at_stop = _tab_stop(line)
        if kind == GOES_ON or (at_stop is not None and abs(at_stop - stop) <= _SAME_X):
            ends = len(kinds)
            found += kind == BEGINS
    if found < max(_LEAST, _SET * kinds[:ends].count(BEGINS)):
        return 0
    if ends < len(lines) and _closes(first, stop, lines[ends]):
        kinds[ends:] = [BEGINS]
        ends += 1
    for line, kind in zip(lines[:ends], kinds, strict=False):
        line.entry = kind
    return ends


def _kind(first: Line, stop: float, above: Line, line: Line) -> int:
    """Return whether a line begins an entry, goes on with one, or is of another text (0)."""
    pitch = line.y1 - above.y1
    if abs(line.x0 - stop) <= _SAME_X or line.text[:1].islower():
        return GOES_ON if pitch <= _WRAPPED_PITCH * line.size else 0
    alike = line.bold == first.bold and line.title == 0 and pitch <= _PITCH * line.size
    if not alike or abs(line.x0 - first.x0) > _SAME_X or has_bullet(line.text):
        return 0
    if line.x1 < stop and _tab_stop(line) is None:
        return 0  # a label alone: it heads the entries below it
    return BEGINS if line.text[:1].isupper() or line.text[:1].isdigit() else 0


def _tab_stop(line: Line) -> float | None:
    """X at which a line goes on behind its label; None if it is set as one run, or in columns."""
    inked = [s for s in line.spans if s.text.strip()]
    gaps = [
        n for n, (a, b) in enumerate(pairwise(inked), 1) if b.box[0] - a.box[2] > _TAB * line.size
    ]
    if len(gaps) != 1 or line.title or _LEADERS in line.text:
        return None
    label = "".join(s.text for s in inked[: gaps[0]]).strip()
    words = label.split()
    worded = sum(c.isalpha() for c in label) >= _LABEL_LETTERS and len(words) <= _LABEL_WORDS
    if not worded or is_sign(words[0]) or has_bullet(label) or not label[0].isupper():
        return None
    return inked[gaps[0]].box[0]


def _closes(first: Line, stop: float, line: Line) -> bool:
    """True for a short last line below the list, indented, with a figure: 'Duration: 6 months'."""
    indented = first.x0 + _SAME_X < line.x0 <= stop + _SAME_X
    words = line.text.split()
    figure = any(c.isdigit() for c in line.text) and line.text[:1].isupper()
    return indented and figure and len(words) <= _LAST_WORDS and not has_bullet(line.text)
