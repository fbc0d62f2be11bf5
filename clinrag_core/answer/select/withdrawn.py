"""What a newer guideline withdrew of what an older one gives: it leads the answer.

A manual's dose of a drug is no answer by itself where a later guideline gives the drug no more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.fit.classes import involves
from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.fit.subject import PAIR
from clinrag_core.facts.indications import agree
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import RankedStatement
    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.model.statement import IndexedStatement

_RECOMMENDS = lazy_re(
    r"\b(?:first[- ]choice|of choice|recommended|suggested|preferred"
    r"|(?:can|may|should) be (?:used|included|given|chosen))\b"
)
_NOT_INCLUDED = lazy_re(r"\bshould not be included\b")
"""What withdraws a drug where its dose for resistant strains is asked for."""
_CLAUSE_END = lazy_re(r"[.;:]\s")
_WHICH = lazy_re(r"\bas well as\b|\bincluding\b")
"""What the drugs come after that a relative clause is about: "X, as well as Y, which are no longer
recommended" withdraws Y."""


def withdrawals(
    slots: QuestionSlots,
    shown: Sequence[RankedStatement],
    ranked: Sequence[RankedStatement],
    drugs: DrugLexicon,
) -> list[RankedStatement]:
    """Return the best statement of a newer guideline that withdraws a drug asked about, if any.

    Newer than the oldest guideline that is shown; what it withdraws for some people is left out.
    A statement that gives doses, which are those of other drugs, is shown only where no other is.
    """
    years = [
        one.statement.year
        for one in shown
        if one.statement.kind == "guideline" and one.statement.year is not None
    ]
    asked = frozenset[str]().union(*slots.drugs)
    if not years or not asked:
        return []
    with_doses: list[RankedStatement] = []
    for one in ranked:
        year = one.statement.year
        if year is not None and year > min(years) and withdraws(slots, one.statement, drugs):
            if not statement_slots(one.statement, drugs).has_regimen:
                return [one]
            with_doses.append(one)
    return with_doses[:1]


def withdraws(slots: QuestionSlots, statement: IndexedStatement, drugs: DrugLexicon) -> bool:
    """Return whether a guideline's statement withdraws a drug asked about, for everybody."""
    asked = frozenset[str]().union(*slots.drugs)
    folded = fold_chars(statement.said)
    match = slot_lexicon().wordings.withdrawn.search(folded)
    is_of_strains = slots.asks_dosing and "resistant" in slots.facet("resistance")
    match = match or (_NOT_INCLUDED.search(folded) if is_of_strains else None)
    if statement.kind != "guideline" or match is None:
        return False
    own = statement_slots(statement, drugs)
    of_disease = not (slots.diseases and own.diseases) or any(
        agree(mine, its) for mine in slots.diseases for its in own.diseases
    )
    clause = _WHICH.split(_CLAUSE_END.split(statement.said[: match.start()])[-1])[-1]
    return bool(asked & own.drugs_of(clause)) and of_disease and not own.people


def without_withdrawn(
    slots: QuestionSlots,
    leads: Sequence[RankedStatement],
    fitting: Sequence[RankedStatement],
    drugs: DrugLexicon,
) -> list[RankedStatement]:
    """Return statements without what older guidelines recommend of a drug that `leads` withdraw.

    Its doses are kept where they are asked for.
    """
    asked = frozenset[str]().union(*slots.drugs)
    year = max((one.statement.year or 0 for one in leads), default=0)

    def recommends_it(one: RankedStatement) -> bool:
        own = statement_slots(one.statement, drugs)
        is_older = one.statement.kind == "guideline" and (one.statement.year or year) < year
        if own.has_regimen:
            return not slots.asks_dosing and bool(asked & own.near_drugs)
        is_advice = is_older and _RECOMMENDS.search(fold_chars(one.statement.said))
        return bool(is_advice and asked & own.said_drugs) and not own.forbids

    return [one for one in fitting if not recommends_it(one)]


def without_outdated_pair(
    fitting: list[RankedStatement], slots: QuestionSlots, drugs: DrugLexicon
) -> list[RankedStatement]:
    """Return statements without what an older guideline allows of a pair that a newer one limits.

    Rifampin with pyrazinamide was recommended for a year, until patients died.
    """
    restricts = slot_lexicon().wordings.restricts
    asked = (*slots.drugs, *slots.partners)
    if len(asked) != PAIR or slots.asks_dosing:
        return fitting

    def limits(one: RankedStatement) -> bool:
        return restricts.search(fold_chars(one.statement.said)) is not None

    def is_on_pair(one: RankedStatement) -> bool:
        own = statement_slots(one.statement, drugs)
        return all(involves(own, drug, own.said_drugs) for drug in asked)

    limited = [
        one.statement.year
        for one in fitting
        if one.statement.kind == "guideline" and one.statement.year and limits(one)
        if is_on_pair(one)
    ]
    newest = max(limited, default=0)
    return [
        one
        for one in fitting
        if not (
            one.statement.kind == "guideline"
            and (one.statement.year or newest) < newest
            and not limits(one)
            and is_on_pair(one)
        )
    ]
