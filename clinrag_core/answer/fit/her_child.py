"""What a guideline says of the child of a mother with the disease."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.question.asking import asks
from clinrag_core.facts.people import read_people
from clinrag_core.facts.populations import OF_MOTHERS, YOUNG, population_spans
from clinrag_core.facts.spans import names_of
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.model.statement import IndexedStatement

_HARMED = lazy_re(r"\b(?:effects?|risks?|harm\w*) (?:to|on|for|in) (?:the |her )?[a-z]+\b")
"""What speaks of the child as harmed by a drug, not of what it gets."""


def is_on_her_child(slots: QuestionSlots, statement: IndexedStatement) -> bool:
    """Return whether a text on mothers says what their children get, where that is asked."""
    if not asks(slots.text, "for_her_child"):
        return False
    if _HARMED.search(fold_chars(statement.said)):
        return False
    heads = read_people(" > ".join(statement.headings)).conditions
    return bool(heads & OF_MOTHERS and YOUNG & names_of(population_spans(statement.said)))
