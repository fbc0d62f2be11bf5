"""Whether a claim holds the terms of a nugget or trap, whatever way either was printed. Pure.

Wider than the match of locators: number words, ranges, hyphens and plurals are folded too, because
a claim may reword what a passage prints.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from clinrag_core.text.normalise import ENDS_IN_UNIT, fold, normalise_for_match
from clinrag_core.text.numerals import ONES

if TYPE_CHECKING:
    from collections.abc import Iterable

_WORDS = (*ONES, "ten")
_NUMBER_WORDS = {word: str(number) for number, word in enumerate(_WORDS, start=1)}
_NUMBER_WORD = re.compile(rf"(?<![^\W_])(?:{'|'.join(_WORDS)})(?![^\W_])")
_NUMBER_TO_NUMBER = re.compile(r"(?<=\d)\s+to\s+(?=\d)")
_HYPHEN = re.compile(r"(?<=[a-z])-(?=[a-z])")
_IRREGULAR = {"children": "child", "women": "woman", "men": "man"}
_PLURAL = re.compile(rf"(?<![^\W_])(?:[a-z]{{3,}}s|{'|'.join(_IRREGULAR)})(?![^\W_])")

_BEFORE = r"(?<![^\W_])(?<!\d[.,])"
_AFTER = r"(?![^\W_])(?![.,]\d)"
# "600 mg/day" is a 600 mg dose; "10 mg/kg" and "10 mg/ml" are no 10 mg.
_AFTER_UNIT = rf"{_AFTER}(?!/(?:kg|g|m2|ml|l|dl|hour|minute)(?![^\W_]))"


@lru_cache(maxsize=4096)
def matchable(text: str) -> str:
    """Return text in which terms can be looked up; of a term, what to look up.

    "Six-month", "6 months" -> "6 month"; "10 to 15 mg" -> "10-15 mg"; "once-weekly doses" -> "once
    weekly dose".
    """
    text = _NUMBER_WORD.sub(lambda m: _NUMBER_WORDS[m.group()], fold(text))
    text = normalise_for_match(_NUMBER_TO_NUMBER.sub("-", text))
    return _PLURAL.sub(lambda m: _singular(m.group()), _HYPHEN.sub(" ", text))


def _singular(word: str) -> str:
    """Return the singular of a word that ends in s or has an irregular plural; else the word."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word.endswith(("ss", "us", "is")):
        return word
    if word.endswith(("ches", "shes", "xes", "sses")):
        return word[:-2]
    return f"{word[:-3]}y" if word.endswith("ies") else word[:-1]


@lru_cache(maxsize=4096)
def _pattern(term: str) -> re.Pattern[str]:
    """Pattern of a term: any of its alternatives, as whole words and numbers; `*` ends a prefix."""
    options: list[str] = []
    for alternative in term.split("|"):
        wanted = matchable(alternative.rstrip("* "))
        after = _AFTER_UNIT if ENDS_IN_UNIT.search(wanted) else _AFTER
        is_prefix = alternative.rstrip().endswith("*")
        options.append(re.escape(wanted) + ("" if is_prefix else after))
    return re.compile(f"{_BEFORE}(?:{'|'.join(options)})")


def holds_any(matchable_text: str, terms: Iterable[str]) -> bool:
    """Return whether the result of `matchable` holds at least one term."""
    return any(_pattern(term).search(matchable_text) for term in terms)


def holds_all(matchable_text: str, terms: Iterable[str]) -> bool:
    """Return whether the result of `matchable` holds every term; '|' separates alternatives."""
    return all(_pattern(term).search(matchable_text) for term in terms)
