"""Brackets that are not closed: a text cut in its middle, or a line of another column in it."""

from __future__ import annotations

from clinrag_core.text.expressions import lazy_re

_ITEM_NUMBER = lazy_re(r"(?:^|[\s,;/])(?:\d{1,3}|[A-Za-z]|[ivx]{1,4})$")
_PAIRS = {")": "(", "]": "["}


def closes_brackets(text: str) -> bool:
    """Return whether every bracket is closed and opened; "a)" and "2)" number items."""
    open_: list[str] = []
    for at, sign in enumerate(text):
        if sign in "([":
            open_.append(sign)
        elif sign in _PAIRS:
            if _PAIRS[sign] in open_:
                while open_.pop() != _PAIRS[sign]:
                    continue
            elif not _ITEM_NUMBER.search(text[:at][-6:]):
                return False
    return not open_
