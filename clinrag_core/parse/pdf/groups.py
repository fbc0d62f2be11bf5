"""Lines in reading order -> groups: one group is one paragraph, list item, heading or caption.

Typography decides: distance, size, weight, indent, list markers, and whether the next word would
have fitted on a line that ends early.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median_high
from typing import TYPE_CHECKING

from clinrag_core.parse.assemble.wording import begins_sentence, ends_sentence, is_caption
from clinrag_core.parse.pdf.entries import GOES_ON
from clinrag_core.parse.pdf.page import Box, Line, union
from clinrag_core.text.list_signs import has_bullet, has_number, is_item, is_lone_bullet

if TYPE_CHECKING:
    from clinrag_core.parse.pdf.hyphens import Vocabulary

# Points. Positions and sizes of one column differ by rounding and by fonts of two makes.
_SAME_X = _SAME_Y = 2
_SAME_SIZE = 0.8  # points: with 1.6 a file of the reference corpus is grouped otherwise
_INDENT = 60  # points: deepest indent of a list inside its column
_LEAST_LINES = 5  # pairs of lines that make a usual distance; fewer may all be headings


@dataclass(slots=True)
class Group:
    """Lines that belong together, with their text joined.

    `places` are its parts on one page and in one column: offset in the text, page and box.
    """

    lines: list[Line] = field(default_factory=list[Line])
    text: str = ""
    places: list[tuple[int, int, Box]] = field(default_factory=list[tuple[int, int, Box]])
    aside: bool = False  # set next to or below the running text
    note: bool = False  # a footnote

    @property
    def first(self) -> Line:
        """Its first line, whose style is the group's."""
        return self.lines[0]

    @property
    def last(self) -> Line:
        """Its last line."""
        return self.lines[-1]

    @property
    def size(self) -> float:
        """Size of its type: that of its lines, where a label makes the first one smaller."""
        return median_high([line.size for line in self.lines])

    @property
    def box(self) -> Box:
        """Box around its lines on the page where it begins."""
        page = self.first.page
        return union([line.box for line in self.lines if line.page == page])


class Grouper:
    """Groups lines; knows the document's line pitch and body size."""

    def __init__(self, pitch: dict[float, float], vocabulary: Vocabulary) -> None:
        """Take what was measured over the document (see `line_pitch`)."""
        self._pitch = pitch
        self._vocabulary = vocabulary

    def group(self, lines: list[Line]) -> list[Group]:
        """Group lines of one page that follow each other."""
        groups: list[Group] = []
        for line in lines:
            if groups and not self._begins(groups[-1], line, lines):
                groups[-1].lines.append(line)
            else:
                groups.append(Group([line]))
        return [self.write(g) for g in groups]

    def write(self, group: Group) -> Group:
        """Fill in the text of a group."""
        group.text = self._vocabulary.join_lines(group.lines)
        cuts = [
            n
            for n, (a, b) in enumerate(pairwise(group.lines), 1)
            if a.page != b.page or b.y1 < a.y0
        ]
        group.places = []
        for first, last in pairwise([0, *cuts, len(group.lines)]):
            start = len(self._vocabulary.join_lines(group.lines[:first]))
            box = union([line.box for line in group.lines[first:last]])
            group.places.append((start, group.lines[first].page, box))
        return group

    def _begins(self, group: Group, line: Line, lines: list[Line]) -> bool:
        """True if a line begins a new group after `group`."""
        last = group.last
        if line.title or last.title:
            return line.title != last.title
        if line.entry or last.entry:
            return line.entry != GOES_ON
        if is_lone_bullet(last.text) and len(group.lines) == 1:
            return False  # a bullet alone on a line belongs to the next
        if self._is_apart(last, line) or has_bullet(line.text) or is_lone_bullet(line.text):
            return True
        right = _right_edge(last, lines)
        # The first word would have fitted on the line before.
        short = right - last.x1 > line.first_word_width + line.size
        restyled = (last.bold, last.color) != (line.bold, line.color)
        if restyled and self._restyled(group, line, short=short):
            return True
        return self._is_new_text(group, line, right, short=short)

    def _is_new_text(self, group: Group, line: Line, right: float, *, short: bool) -> bool:
        """True if a line of the same style begins a new paragraph, item or caption."""
        last = group.last
        ended = ends_sentence(last.text)
        if (
            has_number(line.text)
            and last.bold
            and abs(_largest(last) - _largest(line)) > _SAME_SIZE
        ):
            return True  # a title below one in small capitals of its size
        if has_number(line.text) and (ended or short or abs(line.x0 - group.first.x0) < _SAME_X):
            return is_item(group.first.text) or ended or short
        if is_caption(line.text) and (ended or short):
            return True
        indented = line.x0 > last.x0 + 0.8 * line.size and len(group.lines) > 1
        if ended and indented and line.text[:1].isupper():
            return True
        return (
            short
            and (ended or right - last.x1 > 0.5 * (right - last.x0))
            and begins_sentence(line.text)
        )

    def _restyled(self, group: Group, line: Line, *, short: bool) -> bool:
        last = group.last
        if ends_sentence(last.text):
            return True
        if line.text[:1].islower():
            return False  # a link or a term in colour, inside a sentence
        if short:
            return True
        # A heading set close above its text: all of the group is bold, the line is not.
        return all(i.bold for i in group.lines) and not line.bold and begins_sentence(line.text)

    def _is_apart(self, last: Line, line: Line) -> bool:
        """True if two lines differ in box, column or size, or are too far apart."""
        other = abs(line.size - last.size) > _SAME_SIZE and not _runs_on(last, line)
        if line.area != last.area or other:
            return True
        usual = max(self._pitch.get(line.size, 1.25 * line.size), 1.05 * line.size)
        too_far = line.y1 - last.y1 > max(1.42 * usual, usual + 2.5)
        return too_far or line.y0 < last.y0 - _SAME_Y


def line_pitch(columns: list[list[Line]]) -> dict[float, float]:
    """Usual distance of base lines for each type size, over a document."""
    seen: dict[float, Counter[float]] = {}
    for lines in columns:
        for a, b in pairwise(lines):
            distance = b.y1 - a.y1
            if a.size == b.size and 0.8 * a.size < distance < 2.2 * a.size:
                seen.setdefault(a.size, Counter())[round(distance * 2) / 2] += 1
    return {
        size: max(counts, key=lambda d: (counts[d], -d))
        for size, counts in seen.items()
        if sum(counts.values()) >= _LEAST_LINES
    }


def _runs_on(last: Line, line: Line) -> bool:
    """True if a line ends in the type of the next: its label alone is set smaller or larger."""
    ends = [span for span in last.spans if span.text.strip()]
    begins = [span for span in line.spans if span.text.strip()]
    if not ends[1:] or not begins or not any(map(str.isalpha, ends[-1].text)):
        return False
    if has_number(line.text):
        return False  # a title below one in small capitals
    return (ends[-1].font, ends[-1].size) == (begins[0].font, begins[0].size)


def _largest(line: Line) -> float:
    return max(span.size for span in line.spans if span.text.strip())


def _right_edge(line: Line, lines: list[Line]) -> float:
    near = [
        i.x1
        for i in lines
        if abs(i.x0 - line.x0) < _INDENT
        and i.area == line.area
        and abs(i.size - line.size) <= _SAME_SIZE
    ]
    return max(near, default=line.x1)
