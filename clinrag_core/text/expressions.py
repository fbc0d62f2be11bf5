"""Joins regular expressions into one that rejects a text fast."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from re import Pattern

TABLES = 64
"""Sets of expressions whose union is kept: there are about twenty."""
_BOUNDARY = r"\b"


@lru_cache(maxsize=TABLES)
def any_of(expressions: tuple[Pattern[str], ...]) -> Pattern[str]:
    """Return one expression that matches where any of some does; most texts match none.

    Alternatives that begin at a word are tried at the beginnings of words only: searching a text
    for 92 diseases takes 0.08 instead of 0.5 ms.
    """
    every = [one for expression in expressions for one in _alternatives(expression.pattern)]
    of_words = [one.removeprefix(_BOUNDARY) for one in every if one.startswith(_BOUNDARY)]
    others = [one for one in every if not one.startswith(_BOUNDARY)]
    words = [rf"\b(?:{'|'.join(of_words)})"] if of_words else []
    return re.compile("|".join([*words, *others]))


def _alternatives(pattern: str) -> list[str]:
    """Return the alternatives of an expression, those outside brackets."""
    found, depth, in_class, start, at = list[str](), 0, False, 0, 0
    while at < len(pattern):
        sign = pattern[at]
        if sign == "\\":
            at += 1
        elif in_class:
            in_class = sign != "]"
        elif sign == "[":
            in_class = True
        elif sign == "|" and not depth:
            found.append(pattern[start:at])
            start = at + 1
        else:
            depth += (sign == "(") - (sign == ")")
        at += 1
    return [*found, pattern[start:]]
