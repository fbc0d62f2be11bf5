"""The highest dose, where that is asked for: statements that give it, or that none does."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.answer.fit.subject import name_of
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import RankedStatement

_START = re.compile(r"\b(?:start|initial|usual|precaution|monitor)")
"""What asks for another dose than the maximum as well."""
_FIGURE = re.compile(r"\d|\b(?:one|once)\b")
"""What a maximum has: "do not exceed the recommended dose" has none."""


def with_maximum(fitting: list[RankedStatement], slots: QuestionSlots) -> list[RankedStatement]:
    """Return the statements that state a maximum, where that alone is asked for and any does."""
    if not _asks_maximum(slots):
        return fitting
    return [one for one in fitting if _states_maximum(one, slots)] or fitting


def no_maximum(slots: QuestionSlots, fitting: Sequence[RankedStatement]) -> str:
    """Return that the statements give the usual dose of a drug and no maximum; empty otherwise."""
    if not (fitting and slots.drugs and _asks_maximum(slots)):
        return ""
    if any(_states_maximum(one, slots) for one in fitting):
        return ""
    drugs = " or ".join(name_of(one) for one in slots.drugs)
    return f"No maximum dose of {drugs} in these sources; what they recommend is shown."


def _asks_maximum(slots: QuestionSlots) -> bool:
    wordings, folded = slot_lexicon().wordings, fold_chars(slots.text)
    asked = wordings.maximum.search(folded) or wordings.asks_maximum.search(folded)
    return asked is not None and not _START.search(folded)


def _states_maximum(one: RankedStatement, slots: QuestionSlots) -> bool:
    """Return whether a statement has a highest amount, or time where the question names one."""
    wordings, said = slot_lexicon().wordings, fold_chars(one.statement.said)
    by_time = wordings.names_time.search(fold_chars(slots.text)) is not None
    return _FIGURE.search(said) is not None and any(
        by_time or not wordings.maximum_of_time.match(said[match.end() - 1 :])
        for match in wordings.maximum.finditer(said)
    )
