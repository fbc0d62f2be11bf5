"""Reads numbers without a unit, and codes of letters and digits such as "3HP" or "CYP3A4"."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from clinrag_core.facts.frequencies import NUMBER_WORDS
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold
from clinrag_core.text.units import NUMBER, canonical_number

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clinrag_core.facts.quantities import Quantity

_NUMBER = lazy_re(
    rf"[<>]?=?\s?(?<![^\W_])(?<!\d[.,])({NUMBER})(?![^\W\d_])|(?<![^\W\d_])({NUMBER})"
)
_CODE = lazy_re(r"(?<![^\W_])(?=[^\W_-]*\d)(?=[^\W_-]*[^\W\d_])[^\W_]+(?:-[^\W_]+)*")
_PLURAL = lazy_re(r"(?<=\d)s$")
"""Of a code: "N95s" are of "N95"."""
_WORDS = {word: str(n) for word, n in NUMBER_WORDS.items() if n > 1}
_NUMBER_WORD = lazy_re(
    r"(?<![^\W_])(" + "|".join(sorted(_WORDS, key=lambda w: -len(w))) + r")(?![^\W_])"
)


def numbers_and_codes(
    text: str, quantities: Iterable[Quantity]
) -> tuple[Counter[str], frozenset[str]]:
    """Return the numbers outside the quantities, as often as each occurs, and the codes."""
    characters = list(text)
    for quantity in quantities:
        characters[quantity.start : quantity.end] = " " * (quantity.end - quantity.start)
    folded = fold("".join(characters))
    codes = frozenset(_PLURAL.sub("", m.group().replace("-", "")) for m in _CODE.finditer(folded))
    digits = _NUMBER_WORD.sub(lambda m: _WORDS[m.group()], folded)
    numbers = Counter(canonical_number(m.group(1) or m.group(2)) for m in _NUMBER.finditer(digits))
    return numbers, codes
