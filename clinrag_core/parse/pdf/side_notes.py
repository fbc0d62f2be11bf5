"""Notes next to the text in the text's own type: what sets them apart is their narrow column.

A note begins anywhere next to a paragraph and is read after the text. One that begins level with a
paragraph labels it, as the first cell of a row does, and is read right before it.
"""

from __future__ import annotations

from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from clinrag_core.parse.assemble.wording import ends_sentence
from clinrag_core.text.list_signs import has_bullet, has_number

if TYPE_CHECKING:
    from clinrag_core.parse.pdf.page import Line

_SAME_SIZE = 1.5  # points: notes in another size are found by it
_TEXT_LINE = 40  # characters of a line of running text
_LEAST_LINES = 3  # of a note, and of the text next to it
_LEAST_WORDS = 8  # of a note: shorter ones are labels
_GAP = 0.8  # em between the text and a note
_PITCH = 1.6  # em between the lines of a note
_NARROW = 0.5  # of the width of the text
_SAME_X = 3.0  # points
_LEVEL = 0.4  # em
_LONG_LINES = 0.7  # of the lines next to a note are running text: others are rows of cells


def side_notes(lines: list[Line], body_size: float) -> tuple[list[Line], list[list[Line]]]:
    """Return the lines of notes next to the text, and the labels that begin with a paragraph."""
    body = [i for i in lines if abs(i.size - body_size) <= _SAME_SIZE and len(i.text) > _TEXT_LINE]
    if len(body) < 2 * _LEAST_LINES:
        return [], []
    left, right = median(i.x0 for i in body), max(i.x1 for i in body)
    width = _NARROW * (right - left)
    notes: list[Line] = []
    labels: list[list[Line]] = []
    sides = (
        [i for i in lines if i.x1 <= left - _GAP * i.size and i.x1 - i.x0 <= width],
        [i for i in lines if i.x0 >= right + _GAP * i.size],
    )
    for side in sides:
        ids = {id(i) for i in side}
        text = [i for i in lines if id(i) not in ids]
        for run in _runs(side):
            if not _is_note(run, lines, body):
                continue
            if _opens_paragraph(run[0], text):
                labels.append(run)
            else:
                notes.extend(run)
    return notes, labels


def _runs(side: list[Line]) -> list[list[Line]]:
    """Return lines that follow each other below one left edge, from the top."""
    runs: list[list[Line]] = []
    for line in sorted(side, key=lambda i: (i.y0, i.x0)):
        last = runs[-1][-1] if runs else None
        if (
            last is not None
            and abs(line.x0 - last.x0) <= _SAME_X
            and 0 < line.y1 - last.y1 <= _PITCH * line.size
        ):
            runs[-1].append(line)
        else:
            runs.append([line])
    return runs


def _is_note(run: list[Line], lines: list[Line], body: list[Line]) -> bool:
    """True if a run is a text of several lines, next to lines of running text only."""
    words = sum(len(i.text.split()) for i in run)
    goes_on = any(b.text[:1].islower() and not ends_sentence(a.text) for a, b in pairwise(run))
    if len(run) < _LEAST_LINES or words < _LEAST_WORDS or not goes_on:
        return False
    if any(has_bullet(i.text) or has_number(i.text) for i in run):
        return False
    ids = {id(i) for i in run}
    text = {id(i) for i in body}
    beside = [i for i in lines if id(i) not in ids and i.y0 < run[-1].y1 and i.y1 > run[0].y0]
    long = sum(id(i) in text for i in beside)
    return long >= _LEAST_LINES - 1 and long >= _LONG_LINES * len(beside)


def _opens_paragraph(first: Line, text: list[Line]) -> bool:
    """True if the first line of a note is level with the first line of a paragraph."""
    level = [i for i in text if abs(i.y1 - first.y1) <= _LEVEL * first.size]
    above = [i for i in text if level and 0 < level[0].y1 - i.y1 <= _PITCH * first.size]
    return bool(level) and (not above or ends_sentence(above[0].text))
