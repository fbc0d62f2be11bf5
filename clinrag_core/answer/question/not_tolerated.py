"""Drugs that somebody of a question is not to have again: an allergy, or one not tolerated."""

from __future__ import annotations

from clinrag_core.answer.question.absent_drugs import REACH
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.word_starts import says

_ALLERGIC_TO = lazy_re(
    r"\ballerg\w*\s+(?:to\s+)?$|\bintoleran\w+\s+(?:of|to)\s+$|\banaphyla\w+ (?:to|with|from)\s+$"
)
_BETWEEN = lazy_re(r"\s+(?:(?:the|oral|any|taking)\s+)*")
"""What may be between that somebody does not tolerate something, and its name."""
_ALLERGY = lazy_re(r"[- ]allerg\w*|[- ]intoleran\w*")
"""What follows its name: "sulfa allergy"."""


def is_not_tolerated(folded: str, start: int, end: int) -> bool:
    """Return whether what a folded question names from `start` to `end` is not to be given again.

    "He can't tolerate X 600, lower it?" still asks for X.
    """
    before = folded[max(0, start - REACH) : start]
    if _ALLERGIC_TO.search(before) or _ALLERGY.match(folded, end):
        return True
    wordings = slot_lexicon().wordings
    said = list(wordings.not_tolerated.finditer(before))
    is_said = bool(said) and _BETWEEN.fullmatch(before, said[-1].end()) is not None
    return is_said and not says(folded, wordings.other_dose)
