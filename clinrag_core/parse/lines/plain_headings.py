"""Which paragraphs of a plain text are headings, and where lists are.

Signs, strongest first: an underline or '#'; a number ('2.1 Treatment'); capitals; a short line
without end punctuation that prose follows. Runs of short lines are flattened tables and lists: in
them a line is a heading only where the prose after it takes up its words.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.parse.assemble.assembler import Heading, Piece, Place

if TYPE_CHECKING:
    from clinrag_core.parse.lines.plain_lines import Paragraph

_BULLET = re.compile(r"^[*‣▪◦–—-]\s+(?=\S)")
_ITEM = re.compile(r"^(?:•|\(?\d{1,2}[.)]|\(?[a-z][.)])\s+\S")
_NUMBERED = re.compile(r"^(?P<number>\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+[A-Z][^.]*$")
_HASHES = re.compile(r"^(#{1,6})\s+(.*\S)\s*#*$")
_PROSE_END = re.compile(r"[.!?:;][\"'”’)\]]*$")
_DATE = re.compile(
    r"^(?:(?:Jan|Feb|March|Mar|Apr|May|June|Jun|July|Jul|Aug|Sept|Sep|Oct|Nov|Dec)[a-z]*\.?"
    r"\s+\d{1,2},\s+\d{4}|\d{1,2}\s+[A-Z][a-z]+\s+\d{4})$"
)
_POINTER = re.compile(r"^(?:keep reading|for everyone|learn more|see also|content source):?$", re.I)
# What web pages print under an article; a text extract keeps it.
_PAGE_END = ("sources", "print", "share")
_LEVEL = 2
_MAX_WORDS = 14
_SIGHT = 8  # lines looked at on either side
_STACKED = 2  # headings that may follow each other without text


def headings_and_pieces(found: list[Paragraph], title: str) -> list[Heading | Piece]:
    """Headings, paragraphs and list items of a plain text, in order.

    Args:
        found: paragraphs in order.
        title: the document's title; a line that repeats it is the title, not a section.
    """
    items: list[Heading | Piece] = []
    listed: list[str] = []  # lines of the list or run that is open
    pointing = False
    end = _page_end(found)
    for index, paragraph in enumerate(found[:end]):
        text, place = paragraph.text, Place(page=paragraph.page)
        heading = None if pointing else _heading(found[:end], index, listed, title)
        if heading is not None:
            items.append(heading)
            listed = []
        elif pointing and items and isinstance(last := items[-1], Piece):
            items[-1] = Piece("paragraph", f"{last.text} {text}", last.place)
        else:
            items.append(_piece(text, place, bool(listed)))
            if text.endswith(":"):
                listed = [text]
            elif listed:
                listed = [] if _is_prose(text) else [*listed, text]
        pointing = heading is None and not pointing and bool(_POINTER.match(text))
        listed = [] if pointing else listed
    items += [
        Piece("paragraph", p.text, Place(page=p.page), role="front_matter") for p in found[end:]
    ]
    return items


def _page_end(found: list[Paragraph]) -> int:
    """Where the share buttons of a web page begin."""
    lines = tuple(p.text.casefold() for p in found)
    for start in range(max(len(lines) - 40, 0), len(lines) - 1):
        if lines[start : start + 2] == _PAGE_END[1:]:
            return start - 1 if start and lines[start - 1] == _PAGE_END[0] else start
    return len(found)


def _heading(found: list[Paragraph], index: int, listed: list[str], title: str) -> Heading | None:
    paragraph = found[index]
    text, place = paragraph.text, Place(page=paragraph.page)
    if hashes := _HASHES.match(text):
        return Heading(hashes[2], len(hashes[1]), place)
    if text.casefold() == title.casefold():
        return Heading(text, 0, place)
    if paragraph.underlined:
        return Heading(text, 1, place)
    level = _level(found, index, listed) if _may_be_title(text) else None
    return Heading(text, level, place) if level is not None else None


def _level(found: list[Paragraph], index: int, listed: list[str]) -> int | None:
    """Level of an unmarked line that may be a title, None where it is none."""
    text = found[index].text
    following = found[index + 1].text if index + 1 < len(found) else ""
    if not following:
        return None
    if numbered := _NUMBERED.match(text):
        level = _LEVEL + numbered["number"].count(".")
        is_list = _ITEM.match(following) and "." not in numbered["number"]
        return None if is_list or listed else level
    if not text[:1].isalpha() or _ITEM.match(text) or _BULLET.match(text):
        return None
    shouted = text.isupper() and len(text) > 3 and found[index].after_blank
    return _LEVEL if shouted or _stands_above(found, index, listed) else None


def _stands_above(found: list[Paragraph], index: int, listed: list[str]) -> bool:
    """Whether the short line at `index` heads what follows it."""
    text = found[index].text
    run = 1 + _short_run(found[index + 1 : index + _SIGHT])
    before = _short_run(found[max(index - _SIGHT, 0) : index][::-1])
    prose = found[index + run].text if index + run < len(found) else ""
    if not _is_prose(prose):
        return False
    in_run = before + run > _STACKED + 1 or len(listed) > 1
    if listed == [found[index - 1].text] and listed[0].endswith(":"):
        return False  # the first line after a colon is what the colon announces
    if not listed and not in_run:
        return run <= _STACKED
    siblings = {line.split()[0] for line in listed[1:]}
    return run == 1 and text.split()[0] not in siblings and _taken_up(text, prose)


def _short_run(found: list[Paragraph]) -> int:
    """Number of short lines that a list of paragraphs begins with."""
    return next((n for n, p in enumerate(found) if not _is_short(p.text)), len(found))


def _taken_up(text: str, prose: str) -> bool:
    shared = _content(text) & _content(prose)
    return len(text.split()) <= 10 and bool(shared)


def _content(text: str) -> set[str]:
    return {w for w in re.findall(r"[a-z0-9]+", text.casefold()) if len(w) > 4 or w[0].isdigit()}


def _may_be_title(text: str) -> bool:
    words = text.split()
    if len(words) > _MAX_WORDS or len(text) > 110 or _DATE.match(text) or _POINTER.match(text):
        return False
    if not any(c.isalpha() for c in text) or (_PROSE_END.search(text) and not text.endswith("?")):
        return False
    return text[:1].isupper() or text[:1].isdigit()


def _is_short(text: str) -> bool:
    return not _is_prose(text) and len(text.split()) <= _MAX_WORDS and not _PROSE_END.search(text)


def _is_prose(text: str) -> bool:
    return (bool(_PROSE_END.search(text)) and len(text.split()) >= 4) or len(text.split()) > 16


def _piece(text: str, place: Place, in_list: bool) -> Piece:
    if _BULLET.match(text):
        return Piece("list_item", "• " + _BULLET.sub("", text), place)
    if _ITEM.match(text) or (in_list and not text.endswith(":") and len(text.split()) <= 40):
        return Piece("list_item", text, place)
    return Piece("paragraph", text, place)
