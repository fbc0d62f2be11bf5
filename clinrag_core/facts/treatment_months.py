"""Reads the months of treatment at which something is found or done: "positive at month 5"."""

from __future__ import annotations

import re

from clinrag_core.text.normalise import fold_chars

_MONTHS = re.compile(
    r"\b(?:months?|mos?|mths?) ?(\d{1,2})\b(?! ?(?:months?|weeks?|days?|years?|mg|/))"
    r"|\bend of (?:the )?(?:initial |first )?(\d{1,2}) months?\b"
    r"|\b(\d{1,2})(?:st|nd|rd|th) months?\b"
)


def treatment_months(text: str) -> frozenset[int]:
    """Return the months of treatment that a text names by their number."""
    found = (match.groups() for match in _MONTHS.finditer(fold_chars(text)))
    return frozenset(int(number) for groups in found for number in groups if number)
