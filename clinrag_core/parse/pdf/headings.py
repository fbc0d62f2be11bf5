"""Which groups are headings.

Signs: larger type, bold, colour or white on a coloured bar, another font family, capitals,
numbering. How deep they are nested is for `levels`.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clinrag_core.parse.assemble.grades import grade_line
from clinrag_core.parse.assemble.wording import TITLE_WORDS, ends_sentence, is_caption, may_be_title
from clinrag_core.parse.pdf.spaces import is_letter_spaced

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.parse.pdf.groups import Group
    from clinrag_core.parse.pdf.page import Line, Page

NUMBER = r"\d{1,2}(?:\s?\.\s?\d{1,2}){0,4}"
_NUMBERED = re.compile(
    rf"^(?:(?:chapter|section|part|annex|appendix)\s+)?(?P<number>{NUMBER}|[A-Z](?:\.\d{{1,2}}){{1,3}})"
    r"\.?\s+(?=(?-i:[A-Z‘“\"(]))",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"^(?:key\s+)?(?:recommendation|standard|question|annex|chapter|step|pico)\s+\w", re.I
)
# Bold words that open a list or a sentence, and titles of web pages, which are links.
_LEAD_IN = re.compile(
    r"\b(?:includes?|included|including|the\s+following(?:\s+\w+){0,3}|as\s+follows|such\s+as|should|"
    r"must|are|is|to|by|with)\s*:$|[–—]$|^there\s+(?:is|are)\b",
    re.IGNORECASE,
)
_WEB_TITLE = re.compile(r"\s\|\s")
# A statement behind its label, printed white on a coloured bar.
_STATEMENT = re.compile(
    r"^(?:key\s+)?(?:recommendations?|evidence\s+statement|rationale)\s*:\s+\S", re.IGNORECASE
)
_SMALL_TITLE = 0.8  # of the body's size: sans serif titles look larger than they are set
_TEXT_BELOW = 3  # sizes: what is further down is headed by something else
_ALIGNED = 2.5  # sizes: the indent of a first line, or of a title behind its number
_BODY_SIZE = 0.6  # points
_WHITE = 0xF0F0F0  # type that is as light is printed on a bar
TITLE_SIZE = 1.3  # times the body: a caption set larger is a title
_MAX_WORDS = 30  # of a title in large type or with a number
_BOLD_WORDS = 20
"""Words of a title that only bold type marks: with 16, two headings of the corpus are lost; without
a limit, a bold paragraph above a medication guide becomes a heading."""
_SHORT_WORDS = 8
"""Words of a line without a full stop that a heading may follow: with 6, a heading is lost."""


@dataclass(frozen=True, slots=True)
class BodyStyle:
    """The type that most of a document is set in."""

    size: float
    family: str
    color: int


def body_style(pages: list[Page]) -> BodyStyle:
    """Most frequent size, family and colour, by characters."""
    weight: Counter[tuple[float, str, int]] = Counter()
    sizes: Counter[float] = Counter()
    for line in (line for page in pages for line in page.lines):
        weight[line.size, family(line.font), line.color] += len(line.text)
        sizes[line.size] += len(line.text)
    if not weight:
        return BodyStyle(10.0, "", 0)
    size = max(sizes, key=lambda s: (sizes[s], -s))
    return BodyStyle(*max((k for k in weight if k[0] == size), key=lambda k: (weight[k], k)))


def family(font: str) -> str:
    """Family of a font: its name without weight and style."""
    return re.split(r"[-,]", font)[0].removesuffix("PS").removesuffix("MT").removesuffix("PSMT")


def number_depth(text: str) -> int | None:
    """Depth of a heading's number: 1 for '2', 3 for '2.1.4'; None without a number."""
    match = _NUMBERED.match(text)
    return match["number"].count(".") + 1 if match else None


def is_heading(
    group: Group, body: BodyStyle, before: Group | None, after: Sequence[Group] = ()
) -> bool:
    """True if a group is a heading; a heading does not interrupt the sentence of `before`.

    `after` are the next groups: small type is a title where text is right below it.
    """
    text, line = group.text, group.first
    words = text.split()
    if not may_be_title(text, _MAX_WORDS) or _is_no_title(text):
        return False
    if not (_is_title_set(group, body) or _is_small_title(group, body, after)):
        return False
    if before is not None and not _may_follow(before, line):
        return False
    numbered = bool(_NUMBERED.match(text) or _NAMED.match(text))
    # Large type that ends in a full stop is a pull quote; a numbered title may end in one.
    may_stop = numbered and len(words) <= TITLE_WORDS and not text.endswith((";", "!"))
    if ends_sentence(text) and not (text.endswith(("?", ":", ")")) or may_stop):
        return False
    return _is_marked(group, body, len(words), numbered=numbered)


def _is_no_title(text: str) -> bool:
    """True for words set like a title that head nothing: statements, grades, lead-ins, links."""
    if _STATEMENT.match(text) or _WEB_TITLE.search(text) or is_letter_spaced(text):
        return True
    return grade_line(text) is not None or bool(_LEAD_IN.search(text) and not _NUMBERED.match(text))


def _is_title_set(group: Group, body: BodyStyle) -> bool:
    """True if a group is set where and how titles may be."""
    text, line = group.text, group.first
    if group.note or group.aside or (is_caption(text) and line.size < TITLE_SIZE * body.size):
        return False
    if any(i.gapped for i in group.lines) and not _NUMBERED.match(text):
        return False  # cells of a row
    return line.size >= 0.88 * body.size or (line.bold and line.size >= body.size - 1.5)


def _is_small_title(group: Group, body: BodyStyle, after: Sequence[Group]) -> bool:
    """True for bold lines of another family below the body's size, with text right below them."""
    line = group.first
    if group.note or group.aside or is_caption(group.text) or any(i.gapped for i in group.lines):
        return False
    if not all(i.bold for i in group.lines) or family(line.font) == body.family:
        return False
    if line.size < _SMALL_TITLE * body.size or is_letter_spaced(group.text) or not after:
        return False
    text = after[0].first
    below = 0 < text.y1 - group.last.y1 < _TEXT_BELOW * body.size
    if text.page != line.page or not below or abs(text.x0 - line.x0) > _ALIGNED * body.size:
        return False
    if abs(text.size - body.size) <= _BODY_SIZE:
        return True
    return line.size - text.size > -_BODY_SIZE and _is_small_title(after[0], body, after[1:])


def _may_follow(before: Group, line: Line) -> bool:
    if before.last.page != line.page or before.aside or before.note:
        return True
    if ends_sentence(before.text) or len(before.text.split()) <= _SHORT_WORDS:
        return True
    return before.first.size != line.size or line.y1 - before.last.y1 > 1.6 * line.size


def _is_marked(group: Group, body: BodyStyle, words: int, *, numbered: bool) -> bool:
    """True if size, weight, colour, capitals or a number mark a group as a heading."""
    line = group.first
    if (line.color >= _WHITE and line.area >= 0) or line.size >= body.size + 0.9:
        return True
    if all(i.bold for i in group.lines) and (words <= _BOLD_WORDS or numbered):
        return True
    if line.size < body.size or words > TITLE_WORDS:
        return False
    other = numbered and family(line.font) != body.family
    return line.color != body.color or other or group.text.upper() == group.text
