"""A page of a PDF as a picture, and where on it words are: what a reader checks a citation with.

With `reader`, all that talks to PyMuPDF. MuPDF is not thread-safe: one lock for every document.
Coordinates are points of the page as it is displayed, so that boxes fit over the picture.
"""

from __future__ import annotations

import unicodedata
from itertools import accumulate
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from clinrag_core.errors import ParseError
from clinrag_core.parse.pdf.geometry import box_of
from clinrag_core.parse.pdf.library import faults, open_pdf

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.parse.pdf.page import Box

DPI = 144
"""Readable at twice its size in points; 200 dpi doubles the time (tests of pictures, 2026-11)."""
PICTURE_FORMAT = f"webp-{DPI}-q80-m2"
_QUALITY = {"quality": 80, "method": 2}
_LEEWAY = 2.0
"""Points that a word may reach over its block, as blocks are rounded."""
_lock = Lock()


class QuotedWords(NamedTuple):
    """Words to find on a page: the `nth` of `times` places where the passage has them."""

    text: str
    nth: int
    times: int


class PagePlace(NamedTuple):
    """The size of a page as it is displayed, and boxes on it, in points."""

    width: float
    height: float
    boxes: tuple[Box, ...]
    """Of the lines of the snippets that were found."""
    blocks: tuple[Box, ...]
    """Of the blocks that the snippets should be in."""
    found: frozenset[int]
    """Indexes of the snippets that were found."""


class _PageWord(NamedTuple):
    """A word of a page in the frame of the file, with the line that it is on."""

    box: Box
    text: str
    line: tuple[int, int]


def page_picture(data: bytes, name: str, page: int) -> bytes:
    """Return a page, counted from 1, as a WebP picture.

    Raises:
        ParseError: the file has no such page, or it cannot be drawn.
    """
    with _lock:
        document = open_pdf(data, name)
        try:
            drawn = _page(document, name, page).get_pixmap(dpi=DPI, alpha=False)
            return bytes(drawn.pil_tobytes("WEBP", **_QUALITY))
        except faults() as error:
            raise ParseError(f"page {page} cannot be drawn", code="pdf_page", file=name) from error
        finally:
            document.close()


def locate(
    data: bytes, name: str, page: int, snippets: Sequence[QuotedWords], blocks: Sequence[Box]
) -> PagePlace:
    """Return where verbatim snippets are on a page.

    A snippet is looked for in its blocks first, then on the whole page, where it must be unique.

    Raises:
        ParseError: the file has no such page, or its words cannot be read.
    """
    with _lock:
        document = open_pdf(data, name)
        try:
            shown = _page(document, name, page)
            words = [
                _PageWord(box_of(w[:4]), _folded(str(w[4])), (int(w[5]), int(w[6])))
                for w in shown.get_text("words")
            ]
            matches = [_matches(words, snippet, blocks) for snippet in snippets]
            boxes = [_displayed(shown, box) for part in matches for box in _lines(part)]
            return PagePlace(
                width=float(shown.rect.width),
                height=float(shown.rect.height),
                boxes=tuple(dict.fromkeys(boxes)),
                blocks=tuple(_displayed(shown, block) for block in blocks),
                found=frozenset(i for i, part in enumerate(matches) if part),
            )
        except faults() as error:
            raise ParseError(f"page {page} cannot be read", code="pdf_page", file=name) from error
        finally:
            document.close()


def _page(document: Any, name: str, page: int) -> Any:
    """Return a page of an open document, counted from 1.

    Raises:
        ParseError: there is no such page.
    """
    if not 1 <= page <= document.page_count:
        raise ParseError(f"there is no page {page}", code="pdf_page", file=name)
    return document[page - 1]


def _matches(
    words: Sequence[_PageWord], wanted: QuotedWords, blocks: Sequence[Box]
) -> list[_PageWord]:
    """Return the words of a snippet; empty if it is not clear which of several places it is."""
    near = [w for w in words if any(_inside(w.box, block) for block in blocks)]
    for part, times in ((near, wanted.times), (words, 1)):
        found = _sequences(part, _folded(wanted.text))
        if len(found) == times:
            return found[wanted.nth if times > 1 else 0]
        if len(found) == 1:
            return found[0]
    # A row that is not read in one piece: cell by cell, each clear by itself.
    cells = [cell for cell in wanted.text.replace("\n", "\t").split("\t") if _folded(cell)]
    parts = [_sequences(near, _folded(cell)) for cell in cells]
    if len(cells) > 1 and all(len(found) == 1 for found in parts):
        return [word for found in parts for word in found[0]]
    return []


def _sequences(words: Sequence[_PageWord], wanted: str) -> list[list[_PageWord]]:
    """Return every run of whole words that spells a folded text, whatever is hyphenated."""
    starts = list(accumulate((len(w.text) for w in words), initial=0))
    first = {start: index for index, start in enumerate(starts[:-1]) if words[index].text}
    last = {end: index for index, end in enumerate(starts[1:]) if words[index].text}
    text = "".join(w.text for w in words)
    found: list[list[_PageWord]] = []
    position = text.find(wanted) if wanted else -1
    while position >= 0:
        end = position + len(wanted)
        if position in first and end in last:
            run = words[first[position] : last[end] + 1]
            found.append([w for w in run if w.text])
        position = text.find(wanted, position + 1)
    return found


def _lines(words: Sequence[_PageWord]) -> list[Box]:
    """Return one box per line of words."""
    lines: dict[tuple[int, int], list[Box]] = {}
    for word in words:
        lines.setdefault(word.line, []).append(word.box)
    return [
        (min(b[0] for b in of), min(b[1] for b in of), max(b[2] for b in of), max(b[3] for b in of))
        for of in lines.values()
    ]


def _displayed(page: Any, box: Box) -> Box:
    """Return a box of the file's frame on the page as it is displayed, which may be rotated."""
    a, b, c, d, e, f = (float(v) for v in page.rotation_matrix)
    xs = [a * x + c * y + e for x in (box[0], box[2]) for y in (box[1], box[3])]
    ys = [b * x + d * y + f for x in (box[0], box[2]) for y in (box[1], box[3])]
    return (min(xs), min(ys), max(xs), max(ys))


def _inside(box: Box, block: Box) -> bool:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return (
        block[0] - _LEEWAY <= x <= block[2] + _LEEWAY
        and block[1] - _LEEWAY <= y <= block[3] + _LEEWAY
    )


def _folded(text: str) -> str:
    """Return letters and digits in one form, so that hyphenation and ligatures do not matter."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).lower() if c.isalnum())
