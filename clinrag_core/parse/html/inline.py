"""What the inline markup of a page prints: underlined signs, list numbers, white space.

Old pages draw what their character set lacked: an underlined '<' is '≤'.
"""

from __future__ import annotations

import re
from string import ascii_lowercase
from typing import Any

from clinrag_core.parse.assemble.characters import clean, from_c1, squeeze
from clinrag_core.text.numerals import roman

Element = Any

_SIGNS = {"<": "≤", ">": "≥"}
_INNER = re.compile(r"(?<=[(\[])\s+|\s+(?=[)\]])|(?<=\S)\s+(?=[,;.](?:\s|$))")
_NOTE = re.compile(r"(?:\*{1,4}|†{1,3}|‡{1,3}|§{1,3}|¶{1,3})\s*(?=[^\W_]|[(\"“<≤≥])")
_START = re.compile(r"\d{1,6}")


def tidy(text: str) -> str:
    """Printed form of inline text: one space between words, none inside brackets."""
    return _INNER.sub("", squeeze(clean(from_c1(text))))


def is_note(text: str) -> bool:
    """True if a paragraph begins with the sign of a note: '† Not approved for children.'."""
    return bool(_NOTE.match(text))


def underlined_sign(element: Element) -> str | None:
    """'≤' or '≥' where an element underlines '<' or '>'."""
    return _SIGNS.get(element.text_content().strip()) if element.tag == "u" else None


def list_marker(item: Element) -> str:
    """Bullet or number that a browser prints before a list item."""
    parent = item.getparent()
    if parent is None or parent.tag != "ol":
        return "•"
    start = _START.fullmatch((parent.get("start") or "1").strip())
    position = len(list(item.itersiblings("li", preceding=True))) + int(start[0] if start else 1)
    style = parent.get("type") or "1"
    number = str(position)
    if style in "aA" and 0 < position <= len(ascii_lowercase):
        number = ascii_lowercase[position - 1]
    elif style in "iI":
        number = roman(position)
    return f"{number.upper() if style in 'AI' else number}."
