"""What a PDF page holds, as plain data: spans of text, lines, filled areas, grids of cells.

Coordinates are PDF points, origin at the top left, y downwards. Nothing here knows PyMuPDF.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise

from clinrag_core.parse.assemble.characters import squeeze
from clinrag_core.parse.assemble.raised import read_raised

Box = tuple[float, float, float, float]

_RAISED_SIZE = 0.8  # of the line's own size
_SET_LOWER = 0.95  # of the line's own size: MuPDF's flag counts up to here
_WIDE_GAP = 2.5  # em: no justified line has such a space
_NUMBER_LENGTH = 6  # characters: 'A.3.12' before the tab of a heading
_RAISED_BY = 0.12  # of the line's own size: how much higher than the base line


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
    """A drawn shape: filled, or only its outline; colour as (r, g, b) from 0 to 1."""

    box: Box
    color: tuple[float, float, float]
    filled: bool = True


@dataclass(frozen=True, slots=True)
class Grid:
    """A ruled table: boxes of its cells, row by row, None where a cell is merged away."""

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
    lead: str = ""  # bold words it begins with, where the rest is not bold
    gapped: bool = False  # wide gaps between its words: cells of a row, not a sentence
    turned: bool = False  # runs across the page's reading direction
    edges: tuple[float, float] = (0.5, 0.5)  # top and bottom as shares of the page as printed

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
    return (
        min(b[0] for b in boxes),
        min(b[1] for b in boxes),
        max(b[2] for b in boxes),
        max(b[3] for b in boxes),
    )


def contains(outer: Box, inner: Box, slack: float = 1.0) -> bool:
    """True if the centre of `inner` lies in `outer`."""
    x, y = (inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2
    return outer[0] - slack <= x <= outer[2] + slack and outer[1] - slack <= y <= outer[3] + slack


def area(box: Box) -> float:
    """Area in square points."""
    return max(box[2] - box[0], 0.0) * max(box[3] - box[1], 0.0)


def make_line(spans: list[Span], page: int, *, keep_raised: bool = False) -> Line | None:
    """A line from the spans of one row, left to right; None where they hold no text.

    Args:
        spans: runs in any order.
        page: page number from 1.
        keep_raised: keep calls to notes in the text (labels of the notes themselves).
    """
    runs = sorted((s for s in spans if s.text), key=lambda s: (s.box[0], s.base))
    if not any(s.text.strip() for s in runs):
        return None
    main = _main_span(runs)
    text = _join_runs(runs, main, keep_raised=keep_raised)
    if not text:
        return None
    soft = runs[-1].text.rstrip().endswith("\u00ad")
    inked = [s for s in runs if s.text.strip()]
    letters = [s for s in inked if any(c.isalnum() for c in s.text)] or inked
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
        soft=soft,
        calls=() if keep_raised else _calls(runs, main),
        lead=_lead(letters),
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
    best = max(weight, key=lambda k: (weight[k], k))
    return first[best]


def _calls(runs: list[Span], main: Span) -> tuple[str, ...]:
    """Labels of the raised runs that `_join_runs` leaves out: calls to notes and references."""
    found: list[str] = []
    text = raised = ""
    for span in runs:
        if is_raised(span, main):
            raised += span.text
            continue
        if raised and text and not read_raised(text, raised).strip():
            found.append(raised.strip())
        raised = ""
        text += span.text
    if raised and text and not read_raised(text, raised).strip():
        found.append(raised.strip())
    return tuple(label for label in found if label)


def _join_runs(runs: list[Span], main: Span, *, keep_raised: bool) -> str:
    """Text of a line: runs with spaces for the gaps between them, raised runs read or kept."""
    text = ""
    raised = ""
    right: float | None = None
    for span in runs:
        lifted = is_raised(span, main)
        gap = right is not None and span.box[0] - right > 0.18 * main.size
        if lifted and not keep_raised:
            raised += (" " if gap and raised else "") + span.text
        else:
            if raised:
                text += read_raised(text, raised) if text else f"{raised.strip()} "
                raised = ""
            if gap and text and not text.endswith(" ") and not span.text.startswith(" "):
                text += " "
            text += span.text
            if lifted and keep_raised and not span.text.endswith(" "):
                text += " "
        right = span.box[2]
    if raised:
        text += read_raised(text, raised)
    return squeeze(text.replace("\u00ad", ""))


def _is_gapped(inked: list[Span], size: float) -> bool:
    """True if a gap of 2.5 em or more follows more than a number or bullet."""
    return any(
        b.box[0] - a.box[2] >= _WIDE_GAP * size
        and sum(len(s.text) for s in inked[: i + 1]) > _NUMBER_LENGTH
        for i, (a, b) in enumerate(pairwise(inked))
    )


def _lead(letters: list[Span]) -> str:
    if not letters or not letters[0].bold or all(s.bold for s in letters):
        return ""
    out = ""
    for span in letters:
        if not span.bold:
            break
        out += span.text
    return squeeze(out)
