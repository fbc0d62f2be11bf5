"""What is said of patients in general before what is said of children, where nobody is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.rank.boosts import NEAR
from clinrag_core.facts.people import ADULT

if TYPE_CHECKING:
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import RankedStatement
    from clinrag_core.facts.drugs import DrugLexicon


def for_anybody_first(
    fitting: list[RankedStatement], slots: QuestionSlots, drugs: DrugLexicon
) -> list[RankedStatement]:
    """Return statements with one for any adult before the first, if that is for children alone.

    "Ethambutol eye toxicity" asks for no child; one nearly as good may be for anybody. What is
    forbidden to children stays first.
    """
    if not fitting or slots.people or not slots.drugs or "who" in slots.aspects:
        return fitting
    first = fitting[0]
    if not _is_for_children(first, drugs) or statement_slots(first.statement, drugs).forbids:
        return fitting
    near = (one for one in fitting if one.score >= NEAR * first.score)
    chosen = next((one for one in near if not _is_for_children(one, drugs)), None)
    if chosen is None:
        return fitting
    rest = [one for one in fitting if one is not chosen]
    return [chosen._replace(score=first.score), *rest]


def _is_for_children(one: RankedStatement, drugs: DrugLexicon) -> bool:
    ages = statement_slots(one.statement, drugs).people.ages
    return bool(ages) and all(age.high <= ADULT for age in ages)
