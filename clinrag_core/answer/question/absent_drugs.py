"""Drugs that a text names and says are not given: "not on X", "unlike X"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.facts.negation import since_denial
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re

if TYPE_CHECKING:
    from clinrag_core.facts.drugs import Mention

REACH = 40
"""Characters before a drug that say what part it has."""
_UNLIKE = lazy_re(
    r"\b(?:unlike|other than)\s+(?:any\s+|the\s+)?$"
    r"|\b(?:like|same as|as we do|as is done|as it is) (?:with|for|on)\s+(?:the\s+)?$"
)
_STILL_DENIED = frozenset({"on", "taking", "receiving", "given", "with", "mean", "any", "the"})
"""Words between a denial and the drug that it says is not given."""


def is_absent(folded: str, mention: Mention) -> bool:
    """Return whether what is before a drug says that it is not given: "not taking", "unlike"."""
    before = folded[max(0, mention.start - REACH) : mention.start]
    if slot_lexicon().wordings.needed.search(before):
        return False
    between = since_denial(folded, mention.start)
    if between is not None and _STILL_DENIED.issuperset(between):
        return True
    return _UNLIKE.search(before) is not None
