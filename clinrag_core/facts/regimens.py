"""Reads drugs that a text names by the letters of a regimen: "3HP" is isoniazid, rifapentine."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

from clinrag_core.facts.abbreviations import abbreviations
from clinrag_core.facts.spans import CACHED_TEXTS
from clinrag_core.text.expressions import lazy_re

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clinrag_core.facts.drugs import DrugLexicon

_LETTERS = {
    "H": "isoniazid", "R": "rifampin", "Z": "pyrazinamide", "E": "ethambutol",
    "S": "streptomycin", "P": "rifapentine",
}  # fmt: skip
_LETTERED = lazy_re(r"(?<![A-Za-z0-9])(?P<drugs>[HRZES]{2,5}|HP)(?![A-Za-z])")
_WORD = lazy_re(r"\w+")
_CODE = lazy_re(r"(?<![\w-])(?:\d{1,2}[A-Z][A-Za-z]*|[A-Z][A-Za-z]{2,6})(?![\w])")
_OF_GERMS = lazy_re(r"\w-(?:resistant|sensitive|susceptible)\b")
"""Of a drug in the meaning of a short form, that germs are named by it."""


@cache
def _meanings() -> dict[str, str]:
    every = abbreviations().items()
    return {short.upper(): meaning for short, meaning in every if not _OF_GERMS.search(meaning)}


@lru_cache(maxsize=CACHED_TEXTS)
def regimens(text: str, drugs: DrugLexicon) -> dict[str, frozenset[str]]:
    """Return each regimen named by its letters, with the ingredients it means."""
    found: dict[str, frozenset[str]] = {}
    meanings = _meanings()
    text = text.upper()
    codes = [] if meanings.keys().isdisjoint(_WORD.findall(text)) else _CODE.findall(text)
    for code in codes:
        meaning = meanings.get(code)
        own = drugs.ingredients(meaning) if meaning else frozenset[str]()
        if own and not drugs.ingredients(code):
            found[code] = own
    return found


def letter_drugs(letters: str) -> frozenset[str]:
    """Return the drugs that the letters of a regimen stand for: "RH"."""
    return frozenset(_LETTERS[one] for one in letters)


def lettered_regimens(text: str) -> Iterator[tuple[int, int, frozenset[str]]]:
    """Yield the span and the drugs of each regimen that a text names by one letter a drug."""
    for match in _LETTERED.finditer(text):
        yield *match.span("drugs"), letter_drugs(match["drugs"])
