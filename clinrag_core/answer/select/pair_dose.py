"""The dose of a drug with another one before its usual dose, where the patient takes that one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.fit.pairs import is_of_other_pair, is_on_pair
from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import RankedStatement
    from clinrag_core.facts.drugs import DrugLexicon

_INTERACTIONS = "interactions"
_CHANGES = lazy_re(
    r"\b(?:adjust|increas|reduc|decreas|lower|doubl|halv)\w*[^.;]{0,40}\bdos(?:e|age)s?\b"
    r"|\bdos(?:e|age)s?\b[^.;]{0,60}\b(?:adjust|increas|reduc|decreas|lower|doubl|halv|exceed)\w*"
)
"""What says how a dose is changed, or that it is not."""


def pair_dose_first(
    arranged: Sequence[RankedStatement],
    fitting: Sequence[RankedStatement],
    slots: QuestionSlots,
    drugs: DrugLexicon,
) -> list[RankedStatement]:
    """Return arranged statements with what changes the dose with the drug that is taken first.

    It is among those that fit, however far from the words of the question; what is said of the drug
    with others is left out then. Nothing changes where no dose is asked, or one drug is named.
    """
    shown = list(arranged)
    if not (slots.asks_dosing and len(slots.partners) == 1 and shown):
        return shown
    of_pair = next((one for one in fitting if _is_on_change(one, slots, drugs)), None)
    if of_pair is None or is_on_pair(slots, statement_slots(shown[0].statement, drugs)):
        return shown
    first = of_pair._replace(score=shown[0].score)
    rest = [
        one
        for one in shown
        if one.statement.id != of_pair.statement.id
        and not is_of_other_pair(slots, statement_slots(one.statement, drugs))
    ]
    return [first, *rest]


def _is_on_change(one: RankedStatement, slots: QuestionSlots, drugs: DrugLexicon) -> bool:
    """Return whether a label's section on interactions changes a dose for just the pair."""
    if one.statement.group != _INTERACTIONS or not _CHANGES.search(fold_chars(one.statement.said)):
        return False
    return is_on_pair(slots, statement_slots(one.statement, drugs))
