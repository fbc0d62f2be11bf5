"""What to do where two drugs that are not to be given together have to be: "no alternative to Y".

That they must not be is known to who asks; what the label says for this case is the answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.complete.paragraphs import with_following
from clinrag_core.answer.fit.pairs import is_on_pair
from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.sources import is_quotable
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.word_starts import says

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import RankedStatement, Sources
    from clinrag_core.model.statement import IndexedStatement

PAIR = 2
MOST_READ = 100
"""Ranked statements that are looked through."""


def advice_where_unavoidable(
    ranked: Sequence[RankedStatement], slots: QuestionSlots, sources: Sources
) -> list[RankedStatement]:
    """Return what the label of one drug says for those who need both, with its next sentences."""
    wordings = slot_lexicon().wordings
    if len(slots.drugs) == PAIR and not slots.partners:  # "X and urgent Y, no alternative"
        slots = slots._replace(drugs=slots.drugs[:1], partners=slots.drugs[1:])
    if not (slots.partners and says(fold_chars(slots.text), wordings.no_alternative)):
        return []
    for one in ranked[:MOST_READ]:
        own = statement_slots(one.statement, sources.drugs)
        if (
            is_for_the_unavoidable(one.statement)
            and is_quotable(one.statement)
            and is_on_pair(slots, own)
        ):
            return [with_following(one, slots, sources)]
    return []


def is_for_the_unavoidable(statement: IndexedStatement) -> bool:
    """Return whether a statement is only for those who need both: without the rule it allows it."""
    return says(fold_chars(statement.said), slot_lexicon().wordings.where_unavoidable)
