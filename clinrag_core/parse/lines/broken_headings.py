"""Headings of converted Markdown that are parts of sentences.

Filed as a title, the middle of a sentence would be lost to search, and a recommendation cut in two
could be quoted without its end.
"""

from __future__ import annotations

import re
from dataclasses import replace

from clinrag_core.parse.assemble.continuation import ends_open, glue, goes_on
from clinrag_core.parse.assemble.flow import Heading, Piece

_NUMBERED = re.compile(
    r"^(?:\d{1,2}(?:\.\d{1,2})*\.?|[A-Z]\.|annex|appendix|chapter|section)\s", re.IGNORECASE
)
_FRAGMENT = re.compile(r"^(?:[a-z(]|\d+(?:\.\d+)?\s*(?:%|[a-zµ]+\b))")
_CLOSED = re.compile(r"[.!?:;)\]\"”’]$")
_LONG = 7
"""Words. A title of so many words that a number or a bracket follows is a sentence: with 8, five
sentences of the WHO's 2020 module 4 become headings."""


def rejoin(items: list[Heading | Piece]) -> tuple[list[Heading | Piece], int]:
    """Return items whose broken sentences are whole again, and how many headings became text."""
    out: list[Heading | Piece] = []
    broken = 0
    for index, item in enumerate(items):
        following = items[index + 1] if index + 1 < len(items) else None
        if isinstance(item, Heading) and _is_text(item.title, out[-1:], following):
            broken += 1
            out.append(Piece("paragraph", item.title, item.place))
        else:
            out.append(item)
    return _joined(out), broken


def _is_text(title: str, before: list[Heading | Piece], following: Heading | Piece | None) -> bool:
    """True if a heading is a part of a sentence."""
    if _FRAGMENT.match(title) or ends_open(title):
        return True
    if title.endswith((";", ",", ".", ":")) and len(title.split()) > _LONG + 1:
        return True
    if isinstance(following, Piece) and _runs_into(title, following.text):
        return True
    if not before or not isinstance(last := before[0], Piece) or _CLOSED.search(last.text):
        return False
    # a number may be the last of a list in a sentence: "..., and / 18. Cost"
    return ends_open(last.text) if _NUMBERED.match(title) else len(last.text.split()) > _LONG + 1


def _runs_into(title: str, text: str) -> bool:
    """True if the text after a title finishes it as a sentence."""
    if _CLOSED.search(title):
        return False
    return text[:1].islower() or (len(title.split()) >= _LONG and text[:1] in tuple("(0123456789"))


def _joined(items: list[Heading | Piece]) -> list[Heading | Piece]:
    """Return items with the paragraphs joined that one sentence was cut into."""
    out: list[Heading | Piece] = []
    for item in items:
        last = out[-1] if out else None
        if (
            isinstance(item, Piece)
            and isinstance(last, Piece)
            and item.kind == "paragraph"
            and last.kind in ("paragraph", "list_item")
            and not _CLOSED.search(last.text)
            and (goes_on(last.text, item.text) or _runs_into(last.text, item.text))
        ):
            out[-1] = replace(last, text=glue(last.text, item.text))
        else:
            out.append(item)
    return out
