"""Numbers in words, and Roman numerals as page numbers and list numbers use them."""

from __future__ import annotations

import re

from clinrag_core.text.expressions import lazy_re

ONES = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_NUMERAL = lazy_re(r"(?=.)c{0,3}(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})", re.IGNORECASE)
_SIGNS = {"c": 100, "xc": 90, "l": 50, "xl": 40, "x": 10, "ix": 9, "v": 5, "iv": 4, "i": 1}


def roman_value(text: str) -> int | None:
    """Value of a Roman numeral below 400 in either case, None where the letters form none."""
    if not _NUMERAL.fullmatch(text):
        return None
    values = [_SIGNS[letter] for letter in text.lower()]
    following = [*values[1:], 0]
    return sum(-v if n > v else v for v, n in zip(values, following, strict=True))


def roman(number: int) -> str:
    """Lower-case Roman numeral of a positive number."""
    out = ""
    for sign, value in _SIGNS.items():
        out += sign * (number // value)
        number %= value
    return out
