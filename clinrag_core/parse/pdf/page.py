"""The content of a PDF page as plain data: spans of text, lines, filled areas, grids of cells.

Coordinates are PDF points, origin at the top left, y downwards. Nothing here knows PyMuPDF.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING

from clinrag_core.parse.assemble.characters import squeeze
from clinrag_core.parse.assemble.raised import fraction, read_raised

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Box = tuple[float, float, float, float]

_RAISED_SIZE = 0.8  # of the type size
_SET_LOWER = 0.95  # of the type size: MuPDF's flag counts up to here
_WIDE_GAP = 2.5  # em: no justified line has such a space
_NUMBER_LENGTH = 6  # characters: 'A.3.12' before the tab of a heading
_WORD_GAP = 0.18  # em: what is further apart is two words
_FRACTION_SPANS = 2  # the slash and the denominator
_RAISED_BY = 0.12  # of the type size: how much higher than the base line


@dataclass(frozen=True, slots=True)
class Span:
    """A run of one font; `base` is the y of its base line."""

    text: str
    box: Box
    base: float
    size: float
    font: str
    bold: bool
    italic: bool
    color: int
    flagged: bool = False  # MuPDF calls it a superscript


@dataclass(frozen=True, slots=True)
class Fill:
    """A drawn shape: filled, or only its outline; colour as (r, g, b) from 0 to 1.

    `edged` is set where a line that can be seen is drawn around it.
    """

    box: Box
    color: tuple[float, float, float]
    filled: bool = True
    edged: bool = False


@dataclass(frozen=True, slots=True)
class RuledGrid:
    """A ruled table: boxes of its cells, row by row; None instead of a merged cell."""

    box: Box
    cells: tuple[tuple[Box | None, ...], ...]
    open_rows: int = 0  # rows at its end that only rules across bound


@dataclass(slots=True)
class Line:
    """A line of text in one column; `soft` if it ends in a soft hyphen."""

    spans: tuple[Span, ...]
    box: Box
    page: int
    text: str = ""
    size: float = 0.0
    font: str = ""
    bold: bool = False
    italic: bool = False
    color: int = 0
    soft: bool = False
    area: int = -1  # index of the coloured box around it
    calls: tuple[str, ...] = ()  # labels of raised calls that are not in `text`
    lead: str = ""  # bold words it begins with, if the rest is not bold
    gapped: bool = False  # wide gaps between its words: cells of a row, not a sentence
    turned: bool = False  # runs across the page's reading direction
    diagonal: bool = False  # turned by neither 90 nor 180 degrees: watermarks are
    edges: tuple[float, float] = (0.5, 0.5)  # top and bottom as shares of the page as printed
    entry: int = 0  # of a list with a tab stop: 1 it begins an entry, 2 it goes on with one
    title: int = 0  # numbered heading it is part of, from 1; 0 none, -1 an entry of the contents

    @property
    def x0(self) -> float:
        """Left edge."""
        return self.box[0]

    @property
    def y0(self) -> float:
        """Top edge."""
        return self.box[1]

    @property
    def x1(self) -> float:
        """Right edge."""
        return self.box[2]

    @property
    def y1(self) -> float:
        """Bottom edge."""
        return self.box[3]

    @property
    def first_word_width(self) -> float:
        """Width of its first word, from its share of the characters."""
        return (self.x1 - self.x0) * len(self.text.split(maxsplit=1)[0]) / len(self.text)


@dataclass(slots=True)
class Page:
    """A page before its reading order is known."""

    number: int
    label: str
    width: float
    height: float
    lines: list[Line] = field(default_factory=list[Line])
    fills: list[Fill] = field(default_factory=list[Fill])


def union(boxes: list[Box]) -> Box:
    """Smallest box around boxes."""
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return min(x0), min(y0), max(x1), max(y1)


def centre(box: Box) -> tuple[float, float]:
    """X and y of the centre of a box."""
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def contains(outer: Box, inner: Box, slack: float = 1.0) -> bool:
    """True if the centre of `inner` is in `outer`."""
    x, y = centre(inner)
    return outer[0] - slack <= x <= outer[2] + slack and outer[1] - slack <= y <= outer[3] + slack


def area(box: Box) -> float:
    """Area in square points."""
    return max(box[2] - box[0], 0.0) * max(box[3] - box[1], 0.0)


def by_line(words: Sequence[Span], is_on: Callable[[Span, Span], bool]) -> list[list[Span]]:
    """Return words by the printed line that they are on; its tallest word comes first."""
    lines: list[list[Span]] = []
    for word in sorted(words, key=lambda w: (-w.size, w.base)):
        line = next((i for i in lines if is_on(word, i[0])), None)
        if line is None:
            lines.append([word])
        else:
            line.append(word)
    return lines


def make_line(spans: list[Span], page: int) -> Line | None:
    """Return a line from the spans of one row in any order; None if they contain no text."""
    runs = sorted((s for s in spans if s.text), key=lambda s: (s.box[0], s.base))
    inked = [s for s in runs if s.text.strip()]
    if not inked:
        return None
    main = _main_span(runs)
    text, calls = _printed(runs, main)
    letters = [s for s in inked if any(c.isalnum() for c in s.text)] or inked
    lead = list(takewhile(lambda s: s.bold, letters))
    return Line(
        spans=tuple(runs),
        box=union([s.box for s in inked]),
        page=page,
        text=text,
        size=round(main.size * 2) / 2,
        font=main.font,
        bold=all(s.bold for s in letters if not is_raised(s, main)),
        italic=all(s.italic for s in letters if not is_raised(s, main)),
        color=main.color,
        soft=runs[-1].text.rstrip().endswith("\u00ad"),
        calls=calls,
        lead=squeeze("".join(s.text for s in lead)) if len(lead) < len(letters) else "",
        gapped=_is_gapped(inked, main.size),
    )


def is_raised(span: Span, main: Span) -> bool:
    """True if a span is set smaller and higher than the line's main text."""
    if span.size >= main.size * _RAISED_SIZE:
        return span.flagged and span.size < main.size * _SET_LOWER
    return span.flagged or main.base - span.base >= main.size * _RAISED_BY


def _main_span(runs: list[Span]) -> Span:
    weight: Counter[tuple[float, str, int]] = Counter()
    first: dict[tuple[float, str, int], Span] = {}
    for span in [s for s in runs if not s.flagged and s.text.strip()] or runs:
        key = (round(span.size * 2) / 2, span.font, span.color)
        weight[key] += len(span.text.strip())
        first.setdefault(key, span)
    return first[max(weight, key=lambda k: (weight[k], k))]


def _printed(runs: list[Span], main: Span) -> tuple[str, tuple[str, ...]]:
    """Return the text of a line, and the labels of the raised calls to notes that left it."""
    text = raised = ""
    calls: list[str] = []
    right = runs[0].box[2]
    for span in _with_fractions(runs, main):
        gap = span.box[0] - right > _WORD_GAP * main.size
        right = span.box[2]
        if is_raised(span, main):
            raised += span.text
            continue
        text, raised = text + _read_raised(text, raised, calls), ""
        if gap and text and not text.endswith(" ") and not span.text.startswith(" "):
            text += " "
        text += span.text
    text += _read_raised(text, raised, calls)
    return squeeze(text.replace("\u00ad", "")), tuple(calls)


def _with_fractions(runs: list[Span], main: Span) -> list[Span]:
    """Return spans of a line with each fraction of raised digits and a slash in one span."""
    out: list[Span] = []
    rest = runs[::-1]  # the next span is the last one
    while rest:
        span = rest.pop()
        if span.text.strip().isdigit() and is_raised(span, main):
            after = "".join(s.text for s in rest[: -_FRACTION_SPANS - 1 : -1])
            part = fraction(out[-1].text if out else "", span.text, after)
            if part is not None:
                box = _take(rest, len(after) - len(part[1]), span.box)
                span = replace(
                    span, text=part[0], box=box, base=main.base, size=main.size, flagged=False
                )
        out.append(span)
    return out


def _take(rest: list[Span], characters: int, box: Box) -> Box:
    """Take characters from the last spans of a list; the box around `box` and theirs."""
    while characters > 0:
        span = rest.pop()
        box = union([box, span.box])
        if left := span.text[characters:]:
            rest.append(replace(span, text=left))
        characters -= len(span.text)
    return box


def _read_raised(before: str, run: str, calls: list[str]) -> str:
    """Return what a raised run adds to the text before it; labels of calls go to `calls`."""
    label = run.strip()
    if not before:
        return f"{label} " if run else ""
    added = read_raised(before, run)
    if label and not added.strip():
        calls.append(label)
    return added


def _is_gapped(inked: list[Span], size: float) -> bool:
    """True if a gap of 2.5 em or more follows more than a number or bullet."""
    return any(
        b.box[0] - a.box[2] >= _WIDE_GAP * size
        and sum(len(s.text) for s in inked[: i + 1]) > _NUMBER_LENGTH
        for i, (a, b) in enumerate(pairwise(inked))
    )
