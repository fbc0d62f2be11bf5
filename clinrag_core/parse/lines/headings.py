"""Which paragraphs of a plain text are headings, and where lists are.

Signs, strongest first: an underline; a number ('2.1 Treatment'); a short line without end
punctuation that prose follows. Runs of short lines are flattened tables and lists: in them a line
is a heading only where the prose after it takes up its words.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.parse.assemble.flow import Heading, Piece, Place
from clinrag_core.parse.assemble.wording import TITLE_WORDS, ends_sentence, may_be_title
from clinrag_core.text.list_signs import has_bullet, has_number, normal_bullet

if TYPE_CHECKING:
    from clinrag_core.parse.lines.paragraphs import Paragraph

_NUMBERED = re.compile(r"^(?P<number>\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+[A-Z][^.]*$")
_POINTER = re.compile(r"^(?:keep reading|for everyone|learn more|see also|content source):?$", re.I)
_SHARE_BUTTONS = ("sources", "print", "share")  # what web pages print under an article
LEVEL = 2
"""Below the title of the document, which has none; any number gives the same sections."""
_SENTENCE_WORDS = 4
"""Words of the shortest sentence: with 5, five headings of the reference corpus are lost."""
_PROSE_WORDS = 16
"""Words from which a line is prose, whatever it ends with: with 13 six lines of lists become
headings, with 19 five headings are lost."""
_ITEM_WORDS = 40
"""Words of the longest list item; below a colon, longer lines are the text after the list."""
_TAKEN_UP_WORDS = 10
"""Words of the longest heading inside a list: with 8 two are lost, with 12 an item becomes one."""
_LEAST_ITEMS = 2
"""Items that show whether those of a list end as sentences do."""
_STACKED = 2
"""Headings that may follow each other without text: with 1, 28 headings of the six web extracts
are lost; with 3, eight cells of flattened tables become headings."""


def headings_and_pieces(found: list[Paragraph], title: str) -> list[Heading | Piece]:
    """Return the headings, paragraphs and list items of a plain text, in order.

    A line that repeats the document's title is the title, not a section.
    """
    items: list[Heading | Piece] = []
    listed: list[str] = []  # lines of the list or run that is open
    pointing = False  # after 'Keep Reading:', whose link is no heading
    end = _article_end(found)
    for index, paragraph in enumerate(found[:end]):
        text, place = paragraph.text, Place(page=paragraph.page)
        level = None if pointing else _level(found[:end], index, listed, title)
        if level is not None:
            items.append(Heading(text, level, place))
            listed = []
        elif pointing and isinstance(last := items[-1], Piece):
            items[-1] = Piece("paragraph", f"{last.text} {text}", last.place)
        else:
            in_list = bool(listed) and not _follows_list(text, listed)
            items.append(_piece(text, place, in_list=in_list))
            if text.endswith(":"):
                listed = [text]
            elif listed:
                listed = [] if _ends_list(text) else [*listed, text]
        pointing = level is None and not pointing and bool(_POINTER.match(text))
        listed = [] if pointing else listed
    items += [
        Piece("paragraph", p.text, Place(page=p.page), role="front_matter") for p in found[end:]
    ]
    return items


def _article_end(found: list[Paragraph]) -> int:
    """Return the index of a web page's share buttons; the number of paragraphs without any."""
    lines = tuple(p.text.casefold() for p in found)
    for start in range(1, len(lines) - 1):
        if lines[start : start + 2] == _SHARE_BUTTONS[1:]:
            return start - (lines[start - 1] == _SHARE_BUTTONS[0])
    return len(found)


def _level(found: list[Paragraph], index: int, listed: list[str], title: str) -> int | None:
    """Return the level of a paragraph that is a heading, else None; 0 is the title's."""
    paragraph = found[index]
    text = paragraph.text
    if text.casefold() == title.casefold():
        return 0
    if paragraph.underlined:
        return 1
    following = found[index + 1].text if index + 1 < len(found) else ""
    may_end = not ends_sentence(text) or text.endswith("?")
    if not following or not may_end or not may_be_title(text):
        return None
    if numbered := _NUMBERED.match(text):
        dots = numbered["number"].count(".")
        is_list = has_number(following) and not dots
        return None if is_list or listed else LEVEL + dots
    return LEVEL if _heads_prose(found, index, listed) else None


def _heads_prose(found: list[Paragraph], index: int, listed: list[str]) -> bool:
    """True if the short line at `index` heads what follows it."""
    text = found[index].text
    after = _short_lines(found[index + 1 :])
    before = _short_lines(found[:index][::-1])
    prose = found[index + 1 + after].text if index + 1 + after < len(found) else ""
    if not _is_prose(prose):
        return False
    if listed == [found[index - 1].text] and listed[0].endswith(":"):
        return False  # the first line after a colon is what the colon announces
    if not listed and before + after <= _STACKED:
        return after < _STACKED
    siblings = {line.split()[0] for line in listed[1:]}
    taken_up = _content(text) & _content(prose) and len(text.split()) <= _TAKEN_UP_WORDS
    return after == 0 and text.split()[0] not in siblings and bool(taken_up)


def _short_lines(found: list[Paragraph]) -> int:
    """Return the number of short lines that a list of paragraphs begins with."""
    return next((n for n, p in enumerate(found) if not is_short(p.text)), len(found))


def _content(text: str) -> set[str]:
    """Return words that carry meaning, and all numbers, in lower case."""
    return set(re.findall(r"[a-z]{5,}|\d\w*", text.casefold()))


def is_short(text: str) -> bool:
    """Return whether a text has no more words than a title and is no sentence."""
    return len(text.split()) <= TITLE_WORDS and not ends_sentence(text)


def _is_prose(text: str) -> bool:
    words = len(text.split())
    return (ends_sentence(text) and words >= _SENTENCE_WORDS) or words > _PROSE_WORDS


def _ends_list(text: str) -> bool:
    """True for a sentence, or for a line too long to be an item; items need no end punctuation."""
    words = len(text.split())
    return (ends_sentence(text) and words >= _SENTENCE_WORDS) or words > _ITEM_WORDS


def _follows_list(text: str, listed: list[str]) -> bool:
    """Return whether a sentence is the text below a list whose items are none."""
    is_sentence = ends_sentence(text) and len(text.split()) >= _SENTENCE_WORDS
    return is_sentence and len(listed) > _LEAST_ITEMS and not any(map(ends_sentence, listed[1:]))


def _piece(text: str, place: Place, *, in_list: bool) -> Piece:
    if has_bullet(text):
        return Piece("list_item", normal_bullet(text), place)
    in_list = in_list and not text.endswith(":") and len(text.split()) <= _ITEM_WORDS
    return Piece("list_item" if in_list or has_number(text) else "paragraph", text, place)
