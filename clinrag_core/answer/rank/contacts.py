"""What is done for a child who lives with somebody who has tuberculosis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.fit.people import names_them
from clinrag_core.answer.rank.boosts import CONCLUSIVE
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from clinrag_core.answer.fit.statement_slots import StatementSlots
    from clinrag_core.answer.question.slots import QuestionSlots

ADULT = 18.0
_CONTACT = lazy_re(r"\bcontacts?\b|\b(?:same|in (?:the|a)) household\b|\bexpos(?:ed|ure) to\b")
_GIVES = lazy_re(
    r"\b(?:should|must) (?:be treated|receive|be given|get)\b|\bis recommended\b|\bgive\b"
)
_ASKS_WHAT = lazy_re(
    r"\b(?:give|treat\w*|start|prevent\w*|prophyla\w*|ipt|tpt|what (?:to do|now|next|should))\b"
)


def on_contacts(slots: QuestionSlots, own: StatementSlots) -> float:
    """Return what is added where a guideline says what child contacts get, and that is asked.

    A question that names a drug is on that drug alone.
    """
    is_of_other = not all(drug <= own.said_drugs for drug in slots.drugs)
    if is_of_other or slots.regimens or slots.partners or own.statement.kind != "guideline":
        return 0.0
    folded = fold_chars(slots.text)
    has_child = any(one.high <= ADULT for one in slots.people.ages)  # besides the adult who is ill
    asks = slots.asks_dosing or _ASKS_WHAT.search(folded)
    if not (has_child and _CONTACT.search(folded) and asks):
        return 0.0
    said = fold_chars(own.statement.said)
    gives = _CONTACT.search(said) and _GIVES.search(said) and own.said_drugs
    return 2 * CONCLUSIVE if gives and names_them(slots, said, with_groups=True) else 0.0
