"""What the inline markup of a page prints: raised text, underlined signs, list numbers.

Old pages draw what their character set lacked (an underlined '<' is '≤') and some were pretty-
printed by a program, so that a raised exponent stands on a line of its own.
"""

from __future__ import annotations

import re
from typing import Any

from clinrag_core.parse.assemble.characters import clean, from_c1, squeeze
from clinrag_core.parse.assemble.raised import read_raised

Element = Any

_SIGNS = {"<": "≤", ">": "≥"}
_INNER = re.compile(r"(?<=[(\[])\s+|\s+(?=[)\]])|(?<=\S)\s+(?=[,;.](?:\s|$))")
_NOTE = re.compile(r"(?:\*{1,4}|†{1,3}|‡{1,3}|§{1,3}|¶{1,3})\s*(?=[^\W_]|[(\"“<≤≥])")
_ROMAN = tuple(
    " i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx".split(" ")  # noqa: SIM905
)
_NUMBERING = {
    "a": lambda n: chr(96 + n) if n <= 26 else str(n),
    "A": lambda n: chr(64 + n) if n <= 26 else str(n),
    "i": lambda n: _ROMAN[n] if n < len(_ROMAN) else str(n),
    "I": lambda n: _ROMAN[n].upper() if n < len(_ROMAN) else str(n),
}


def tidy(text: str) -> str:
    """Printed form of inline text: one space between words, none inside brackets."""
    return _INNER.sub("", squeeze(clean(from_c1(text))))


def is_note(text: str) -> bool:
    """Whether a paragraph begins with the sign of a note: '† Not approved for children.'."""
    return bool(_NOTE.match(text))


def underlined_sign(element: Element) -> str | None:
    """'≤' or '≥' where an element underlines '<' or '>'."""
    return _SIGNS.get(element.text_content().strip()) if element.tag == "u" else None


def with_raised(before: str, element: Element) -> str:
    """The running text `before` and what a `sup` element adds to it; see `raised`."""
    raised = from_c1(element.text_content())
    if _on_own_line(element):
        # Pretty-printing put white space before the exponent of '100/mm³' that nobody printed.
        stem, run = before.rstrip(), raised.strip()
        added = read_raised(stem, run)
        if added not in ("", " ", run):
            return stem + added
    return before + read_raised(before, raised)


def _on_own_line(element: Element) -> bool:
    previous, parent = element.getprevious(), element.getparent()
    ahead = previous.tail if previous is not None else parent.text if parent is not None else None
    return bool(ahead) and "\n" in ahead[len(ahead.rstrip()) :]


def list_marker(item: Element) -> str:
    """Bullet or number that a browser prints before a list item."""
    parent = item.getparent()
    if parent is None or parent.tag != "ol":
        return "•"
    position = len(list(item.itersiblings("li", preceding=True))) + _start(parent)
    style = _NUMBERING.get(parent.get("type") or "1", str)
    return f"{style(position)}."


def _start(parent: Element) -> int:
    text = (parent.get("start") or "1").strip()
    return int(text) if text.isdigit() and len(text) < 7 else 1
