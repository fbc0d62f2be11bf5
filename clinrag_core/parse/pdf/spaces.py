"""Spaces that a file does not print: words glued together, and letters spaced apart.

Some fonts have no space, words are only set apart; titles may be set with a space after every
letter. Both are read again from the positions of the characters, and only where the words of the
document say so: on other pages the rule would cut kerned and small-capital words in two.
"""

from __future__ import annotations

import re
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clinrag_core.parse.pdf.page import Page
    from clinrag_core.parse.pdf.reader import PdfFile

# Measured: a glued file has .113 of its letters in longer words, eleven others .0025 at most;
# letter gaps lie within .05 of the size, spaces from .10 to .15.
ALARM = 0.01
_LONG_WORD = 25  # letters: names of substances have up to 25
_WORD_GAP = 0.08  # of the type size, above the line's usual gap
_TRACKED_GAP = 0.2  # of the type size, above the usual gap of a letter-spaced line
# Characters of a word on average, words, and share of letters of a line set with spaced letters.
_TRACKED, _TRACKED_WORDS, _LETTERS = 1.6, 6, 0.7
_WORD = re.compile(r"[^\W\d_]+")
_LINK = re.compile(r"\S*(?:https?:|www\.|@|\.org|\.com|\.gov)\S*")


class Glyph(NamedTuple):
    """A character with its edges and the size of its type."""

    text: str
    x0: float
    x1: float
    size: float


def glued_share(texts: Iterable[str]) -> float:
    """Return the share of letters in words of more than 25 letters, addresses left out."""
    long = total = 0
    for text in texts:
        for word in _WORD.findall(_LINK.sub(" ", text)):
            total += len(word)
            long += len(word) if len(word) > _LONG_WORD else 0
    return long / total if total else 0.0


def is_letter_spaced(text: str) -> bool:
    """True for words set with a space between their letters.

    Their mean length is 1.6 or less; dotted leaders and columns of figures are no words.
    """
    words = text.split()
    characters = sum(map(len, words))
    if len(words) < _TRACKED_WORDS or characters > _TRACKED * len(words):
        return False
    return sum(map(str.isalpha, "".join(words))) >= _LETTERS * characters


def restore_spaces(file: PdfFile, pages: list[Page]) -> int:
    """Read pages of glued or letter-spaced words again, in place; returns how many were glued."""
    texts = [[line.text for line in page.lines] for page in pages]
    glued = glued_share(t for page in texts for t in page) >= ALARM
    restored = 0
    for index, (page, lines) in enumerate(zip(pages, texts, strict=True)):
        is_glued = glued and glued_share(lines) >= ALARM
        if is_glued or any(is_letter_spaced(t) for t in lines):
            again = file.respaced(page.number, glued=is_glued)
            pages[index].lines = again.lines
            restored += is_glued
    return restored


def spaces_after(
    glyphs: Sequence[Glyph], *, glued: bool, tracked: bool = False
) -> list[bool] | None:
    """Return whether a space follows each glyph of a line; None if the file's own spaces stay.

    `glyphs` are those of one line from left to right. Spaces of the file count as gaps. `tracked`
    says that the row of the line is letter-spaced.
    """
    inked = [g for g in glyphs if not g.text.isspace()]
    tracked = tracked or is_letter_spaced("".join(g.text for g in glyphs))
    if not (glued or tracked) or not inked[1:]:
        return None
    gaps = [(b.x0 - a.x1) / max(a.size, 1.0) for a, b in pairwise(inked)]
    least = median(gaps) + (_TRACKED_GAP if tracked else _WORD_GAP)
    after = iter([gap > least for gap in gaps] + [False])
    out: list[bool] = []
    for index, glyph in enumerate(glyphs):
        if glyph.text.isspace():
            out.append(False)
            continue
        own = index + 1 < len(glyphs) and glyphs[index + 1].text.isspace()
        out.append(next(after) or (own and not tracked))
    return out
