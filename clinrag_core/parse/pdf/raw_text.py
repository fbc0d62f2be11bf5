"""Raw lines and spans of MuPDF -> spans of plain data."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from clinrag_core.parse.assemble.characters import clean
from clinrag_core.parse.pdf.geometry import Turn, box_of, coordinate
from clinrag_core.parse.pdf.page import Span
from clinrag_core.parse.pdf.spaces import Glyph, is_letter_spaced, spaces_after

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_ROW = 3.0  # points between the middles of what is printed in one row
_BOLD = ("bold", "black", "heavy", "semibold", "demi", "extrabold")
_ICONS = ("wingdings", "webdings", "dingbats", "europeanpi", "icomoon", "fontawesome", "symbolset")


def respace(lines: Sequence[dict[str, Any]], *, glued: bool) -> None:
    """Replace the characters of raw lines with texts that have spaces where gaps are wide."""
    texts = ["".join(str(c["c"]) for s in i["spans"] for c in s["chars"]) for i in lines]
    middles = [(i["bbox"][1] + i["bbox"][3]) / 2 for i in lines]
    for line, y in zip(lines, middles, strict=True):
        # The words of a letter-spaced title may be lines of their own.
        row = [t for t, other in zip(texts, middles, strict=True) if abs(other - y) < _ROW]
        _respace(line, glued=glued, tracked=is_letter_spaced(" ".join(row)))


def write_out(lines: Sequence[dict[str, Any]]) -> None:
    """Replace the characters of raw lines with the text of their spans."""
    for line in lines:
        for span in line["spans"]:
            _write_out(span, [str(c["c"]) for c in span["chars"]])


def _write_out(span: dict[str, Any], texts: Sequence[str]) -> None:
    span["text"] = "".join(texts)
    span.setdefault("origin", span["chars"][0]["origin"] if span["chars"] else (0.0, 0.0))
    del span["chars"]


def _respace(line: dict[str, Any], *, glued: bool, tracked: bool) -> None:
    """Replace the characters of a raw line by its text, with spaces where the gaps are wide."""
    characters = [(c, s) for s in line["spans"] for c in s["chars"]]
    glyphs = [
        Glyph(str(c["c"]), float(c["bbox"][0]), float(c["bbox"][2]), coordinate(s["size"]))
        for c, s in characters
    ]
    horizontal = abs(line["dir"][0]) > abs(line["dir"][1])
    after = spaces_after(glyphs, glued=glued, tracked=tracked) if horizontal else None
    spaced = iter(after or ())
    for span in line["spans"]:
        texts: list[str] = []
        for character in span["chars"]:
            text = str(character["c"])
            if after is None:
                texts.append(text)
            elif next(spaced):
                texts.append(f"{text} ")
            elif not text.isspace():
                texts.append(text)
        _write_out(span, texts)
    if after is not None:
        line["spans"] = [span for span in line["spans"] if span["text"]]
        for span, following in pairwise(line["spans"]):  # their gap is no space any more
            x0, y0, _, y1 = span["bbox"]
            span["bbox"] = (x0, y0, following["bbox"][0], y1)


def spans_of(raw: dict[str, Any], turn: Turn) -> Iterator[Span]:
    """Yield a span of MuPDF, or each of its characters if they were read, unless it has no text."""
    font = str(raw["font"])
    lower, flags = font.lower(), int(raw["flags"])
    bold = bool(flags & 16) or any(word in lower for word in _BOLD) or lower.endswith("-medi")
    italic = bool(flags & 2) or "italic" in lower or "oblique" in lower
    icons = any(name in lower for name in _ICONS)
    size, color, flagged = coordinate(raw["size"]), int(raw["color"]), bool(flags & 1)
    for part in raw.get("chars", (raw,)):
        text = _readable(str(part["c"] if "c" in part else part["text"]), font, icons=icons)
        if text:
            box = turn.box(box_of(part["bbox"]))
            base = turn.base([coordinate(v) for v in part["origin"]])
            yield Span(text, box, base, size, font, bold, italic, color, flagged)


def _readable(text: str, font: str, *, icons: bool) -> str:
    if icons:
        return "".join(c if c.isspace() else "•" for c in clean(text, font=font))
    # A soft hyphen matters at a line's end: it is kept until lines are joined.
    return "\u00ad".join(clean(part, font=font) for part in text.split("\u00ad"))
