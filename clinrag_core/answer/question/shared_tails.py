"""What all clauses of a question are about that only its end says: "which X, and how long, in Y?".

A clause without a subject is no question of its own: "which drugs" would be answered for any
disease.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.answer.question.joined_aspects import names_subject
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.stems import key_stems

if TYPE_CHECKING:
    from clinrag_core.facts.drugs import DrugLexicon

_TAIL = lazy_re(r"[\s,]+(?P<tail>(?:in|for|of|with|during|against)\s[^?,;]+?)\W*$", re.IGNORECASE)
MOST_WORDS = 3
"""Words, besides those of grammar, of a clause that asks without a subject: "which drugs"."""


def shared_tail(before: str, after: str, drugs: DrugLexicon) -> str:
    """Return the end of a later clause that an earlier one is about as well; else nothing.

    The earlier one names nothing by itself, and the later one nothing but in its end.
    """
    if _names_something(before, drugs) or len(key_stems(before)) > MOST_WORDS:
        return ""
    match = _TAIL.search(after)
    if match is None or _names_something(after[: match.start()], drugs):
        return ""
    return match["tail"] if _names_something(match["tail"], drugs) else ""


def _names_something(text: str, drugs: DrugLexicon) -> bool:
    """Return whether a text names a subject, or whether disease is pauci- or multibacillary."""
    slots = read_slots(text, drugs)
    return names_subject(slots) or bool(slots.facet("bacillary"))
