"""The highest dose that a text allows: "not to exceed 300 mg a day", "900 mg maximum"."""

from __future__ import annotations

from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.normalise import fold_chars

BEFORE, REACH = 12, 100
"""Characters before and after what says "at most" that have its amount: "900 mg maximum"."""


def states_highest_dose(text: str, *, or_time: bool = False) -> bool:
    """Return whether a text says "at most" of an amount, or, if `or_time`, of anything."""
    wordings, folded = slot_lexicon().wordings, fold_chars(text)
    return any(
        or_time or wordings.maximum_amount.match(_around(folded, match.start()))
        for match in wordings.maximum.finditer(folded)
    )


def _around(folded: str, start: int) -> str:
    """Return what says "at most" with the words around it that may have its amount."""
    before = folded[max(start - BEFORE, 0) : start].rpartition(";")[2]
    return before + folded[start : start + REACH]
