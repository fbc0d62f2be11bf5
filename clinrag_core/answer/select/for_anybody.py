"""What is said of all patients before what is said of some, where nobody is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.rank.boosts import NEAR
from clinrag_core.facts.people import ADULT
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import RankedStatement
    from clinrag_core.facts.drugs import DrugLexicon


_OF_DESCENT = lazy_re(r"\b(?:of|with) [a-z]+ (?:descent|ancestry|origin)\b")


def for_anybody_first(
    fitting: list[RankedStatement], slots: QuestionSlots, drugs: DrugLexicon
) -> list[RankedStatement]:
    """Return statements with one for any adult before the first, if that is for some people alone.

    These are children, or people of some descent: "ethambutol eye toxicity" asks for no child, and
    a statement nearly as good may be for anybody. What is forbidden to some stays first.
    """
    if not fitting or slots.people or not slots.drugs or "who" in slots.aspects:
        return fitting
    first = fitting[0]
    if not _is_for_some(first, drugs) or statement_slots(first.statement, drugs).forbids:
        return fitting
    near = (one for one in fitting if one.score >= NEAR * first.score)
    chosen = next((one for one in near if not _is_for_some(one, drugs)), None)
    if chosen is None:
        return fitting
    rest = [one for one in fitting if one is not chosen]
    return [chosen._replace(score=first.score), *rest]


def _is_for_some(one: RankedStatement, drugs: DrugLexicon) -> bool:
    ages = statement_slots(one.statement, drugs).people.ages
    is_of_children = bool(ages) and all(age.high <= ADULT for age in ages)
    return is_of_children or _OF_DESCENT.search(fold_chars(one.statement.said)) is not None
