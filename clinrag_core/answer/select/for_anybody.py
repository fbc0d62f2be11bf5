"""What is said of all patients before what is said of some that a question does not name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.question.facets import names_hiv
from clinrag_core.answer.rank.boosts import NEAR
from clinrag_core.facts.people import ADULT
from clinrag_core.lexicon.drugs import hiv_drugs
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import RankedStatement
    from clinrag_core.facts.drugs import DrugLexicon

_OF_DESCENT = lazy_re(r"\b(?:of|with) [a-z]+ (?:descent|ancestry|origin)\b")
_WITH_HIV = frozenset({"positive"})


def for_anybody_first(
    fitting: list[RankedStatement], slots: QuestionSlots, drugs: DrugLexicon
) -> list[RankedStatement]:
    """Return statements with one for any patient before the first, if that is for some alone.

    These are children, people of some descent, or with HIV: "ethambutol eye toxicity" asks for none
    of them, and a statement nearly as good may be for anybody. What is forbidden to some stays
    first.
    """
    if not fitting or not slots.drugs or "who" in slots.aspects:
        return fitting
    first = fitting[0]
    if not _is_for_others(slots, first, drugs):
        return fitting
    if statement_slots(first.statement, drugs).forbids:
        return fitting
    near = (one for one in fitting if one.score >= NEAR * first.score)
    chosen = next((one for one in near if not _is_for_others(slots, one, drugs)), None)
    if chosen is None:
        return fitting
    rest = [one for one in fitting if one is not chosen]
    return [chosen._replace(score=first.score), *rest]


def _is_for_others(slots: QuestionSlots, one: RankedStatement, drugs: DrugLexicon) -> bool:
    own = statement_slots(one.statement, drugs)
    named = frozenset[str]().union(*slots.drugs, *slots.partners)
    asks_hiv = names_hiv(slots.text) or hiv_drugs() & named
    if own.facet("hiv_status") == _WITH_HIV and not asks_hiv:
        return True
    if slots.people:
        return False
    is_of_children = bool(own.people.ages) and all(age.high <= ADULT for age in own.people.ages)
    return is_of_children or _OF_DESCENT.search(fold_chars(one.statement.said)) is not None
