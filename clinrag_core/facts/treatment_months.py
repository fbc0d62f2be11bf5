"""Reads the months of treatment at which something is found or done: "positive at month 5"."""

from __future__ import annotations

from functools import lru_cache

from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import CACHED_TEXTS, fold_chars

_WORDS = ("one", "two", "three", "four", "five", "six")
_NUMBER = rf"\d{{1,2}}|{'|'.join(_WORDS)}"
_MONTHS = lazy_re(
    r"\b(?:months?|mos?|mths?) ?(\d{1,2})\b(?! ?(?:months?|weeks?|days?|years?|mg|/))"
    r"|\bend of (?:the )?(?:initial |first )?(\d{1,2}) months?\b"
    r"|\b(\d{1,2})(?:st|nd|rd|th) ?months?\b"
    rf"|\bat ({_NUMBER}) months?\b(?! (?:old|of age))"
    rf"|\b({_NUMBER}) months? (?:into|in|of) (?:the )?(?:treatment|therapy|tb\b|rhze|hrze|anti-?tb)"
)


@lru_cache(maxsize=CACHED_TEXTS)
def treatment_months(text: str) -> frozenset[int]:
    """Return the months of treatment that a text names by their number."""
    found = (match.groups() for match in _MONTHS.finditer(fold_chars(text)))
    return frozenset(_number(named) for groups in found for named in groups if named)


def _number(named: str) -> int:
    return int(named) if named.isdigit() else 1 + _WORDS.index(named)
