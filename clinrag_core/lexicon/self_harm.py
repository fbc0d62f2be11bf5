"""The table of questions about lethal doses and self-harm, and the reader of it.

Such a question is never answered with a figure or a passage, so it is recognised before anything
else is read. Questions about treating an overdose and about maximum doses are not of this kind.
"""

from __future__ import annotations

from clinrag_core.lexicon.loader import Expression, load_table
from clinrag_core.model.base import Record
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.word_starts import says


class SelfHarmTable(Record):
    """Expressions of such questions, and of those about care or microbes that look like them."""

    always: Expression
    despair: Expression
    an_amount: Expression
    unless_clinical: Expression
    clinical: Expression
    amount_and_death: Expression
    not_of_a_person: Expression


def asks_for_harm(question: str) -> bool:
    """Return whether a question asks how a drug may kill or harm a person.

    Raises:
        ConfigurationError: the table cannot be read.
    """
    table = load_table("self_harm", SelfHarmTable)
    text = " ".join(fold_chars(question).split())
    if says(text, table.always):
        return True
    if says(text, table.despair) and says(text, table.an_amount):
        return True
    if says(text, table.clinical):
        return False
    if says(text, table.unless_clinical):
        return True
    return says(text, table.amount_and_death) and not says(text, table.not_of_a_person)
