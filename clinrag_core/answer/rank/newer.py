"""What a newer guideline says comes before what an older one says of the same."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from clinrag_core.answer.fit.conclusive import gives_limit
from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.rank.boosts import NEAR
from clinrag_core.answer.rank.turning import is_on_earlier_use
from clinrag_core.facts.regimens import regimens
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Callable

    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import RankedStatement
    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.model.statement import IndexedStatement


_GIVES = lazy_re(
    r"\b(?:can|should|may) (?:be )?(?:use|treat|given?)\w*|\b(?:is|are|(?:has|have) been)"
    r" (?:strongly |conditionally )?recommended\b"
    r"|\bpreferred\b"
)
"""What says that a regimen is to be given."""
_ADVISES = lazy_re(r"\b(?:is|are) (?:suggested|(?:strongly |conditionally )?recommended)\b")
"""What gives a length of treatment as advice."""
AS_NEAR = 0.99
"""Share of the best score from which two statements are equally near, by judgement."""


def newer_caution_first(
    fitting: list[RankedStatement], slots: QuestionSlots, drugs: DrugLexicon
) -> list[RankedStatement]:
    """Return statements with a newer guideline's caution before what an older one allows.

    A column of contraindications beside a dose is no caution on it.
    """
    wordings = slot_lexicon().wordings
    asked = frozenset[str]().union(*slots.drugs, *slots.partners)
    if not fitting or not asked:
        return fitting
    first = fitting[0]
    folded = fold_chars(first.statement.said)
    if first.statement.year is None or wordings.restricts.search(folded):
        return fitting
    cautions = wordings.prohibits if slots.asks_dosing else wordings.restricts
    for one in fitting[1:]:
        said, year = one.statement.said, one.statement.year
        if one.score < NEAR * first.score:
            break
        if (
            one.statement.kind == first.statement.kind == "guideline"
            and one.statement.statement_kind != "row"
            and year is not None
            and year > first.statement.year
            and cautions.search(fold_chars(said))
            and asked <= statement_slots(one.statement, drugs).said_drugs
        ):
            return _first_of(one, fitting)
    return fitting


def newer_recommendation_first(
    fitting: list[RankedStatement], slots: QuestionSlots, drugs: DrugLexicon
) -> list[RankedStatement]:
    """Return statements with a newer guideline's recommendation before an older text as near.

    Where the regimen of a disease is asked for, with a newer guideline's regimen near the first.
    """
    fitting = _newer_limit_first(_newest_of_regimen_first(fitting, slots, drugs), slots)
    first = fitting[0].statement if fitting else None
    if first is None or first.year is None:
        return fitting
    if is_on_earlier_use(slots, first.said):
        near = [one for one in fitting if one.score >= NEAR * fitting[0].score]
        same = [one for one in near if is_on_earlier_use(slots, one.statement.said)]
        return _first_of(max(same, key=lambda one: one.statement.year or 0), fitting)
    is_on_length = bool("duration" in slots.aspects or slots.facet("regimen_length"))
    is_on_regimen = "regimen" in slots.aspects and not slots.regimens
    if (is_on_length or is_on_regimen) and not slots.drugs:
        advises = _advises_length if is_on_length else _gives_regimen
        return _newest_first(fitting, first.year, partial(advises, drugs=drugs))
    if first.statement_kind == "recommendation":
        return fitting
    for one in fitting[1:]:
        newer = one.statement.year is not None and one.statement.year > first.year
        is_near = one.score >= AS_NEAR * fitting[0].score
        if is_near and newer and one.statement.statement_kind == "recommendation":
            return _first_of(one, fitting)
    return fitting


def _newer_limit_first(
    fitting: list[RankedStatement], slots: QuestionSlots
) -> list[RankedStatement]:
    """Return statements with a newer guideline's limit before an older one's, which is left out.

    Where it is asked at which value of a measure something is done.
    """
    limits = [
        one
        for one in fitting
        if one.score >= NEAR * fitting[0].score
        and one.statement.kind == "guideline"
        and gives_limit(slots, one.statement.said)
    ]
    if not limits or limits[0] is not fitting[0]:
        return fitting
    newest = max(limits, key=lambda one: one.statement.year or 0)
    older = [one for one in limits if (one.statement.year or 0) < (newest.statement.year or 0)]
    return _first_of(newest, [one for one in fitting if one not in older]) if older else fitting


def _newest_of_regimen_first(
    fitting: list[RankedStatement], slots: QuestionSlots, drugs: DrugLexicon
) -> list[RankedStatement]:
    """Return statements with who may have a regimen asked about by its newest guideline first.

    Only those near the first change places: "BPaL or BPaLM?" is answered for each of the two.
    """
    for code, _ in () if slots.asks_dosing else slots.regimens:
        at = [
            place
            for place, one in enumerate(fitting)
            if one.statement.kind == "guideline"
            and one.score >= NEAR * fitting[0].score
            and _GIVES.search(fold_chars(one.statement.said))
            and [*regimens(one.statement.said, drugs)] == [code]
        ]
        newest = sorted(
            (fitting[place] for place in at), key=lambda one: -(one.statement.year or 0)
        )
        for place, one in zip(at, newest, strict=True):
            fitting[place] = one._replace(score=fitting[place].score)
    return fitting


def _newest_first(
    fitting: list[RankedStatement], year: int, advises: Callable[[IndexedStatement], bool]
) -> list[RankedStatement]:
    """Return statements with the newest of guidelines that advises something first, if near."""
    newer = [
        one
        for one in fitting
        if one.statement.kind == "guideline"
        and (one.statement.year or 0) > year
        and one.score >= NEAR * fitting[0].score
        and advises(one.statement)
    ]
    newest = max(newer, key=lambda one: (one.statement.year or 0, one.score), default=fitting[0])
    return _first_of(newest, fitting)


def _gives_regimen(statement: IndexedStatement, drugs: DrugLexicon) -> bool:
    """Return whether a statement says that several drugs are to be given."""
    gives = _GIVES.search(fold_chars(statement.said)) is not None
    return gives and len(statement_slots(statement, drugs).said_drugs) > 1


def _advises_length(statement: IndexedStatement, drugs: DrugLexicon) -> bool:
    """Return whether a statement advises a length of treatment."""
    quantities = statement_slots(statement, drugs).facts.quantities
    advises = _ADVISES.search(fold_chars(statement.said)) is not None
    return advises and any(q.kind == "duration" for q in quantities)


def _first_of(one: RankedStatement, fitting: list[RankedStatement]) -> list[RankedStatement]:
    """Return statements with one of them first."""
    rest = [other for other in fitting if other is not one]
    return [one._replace(score=fitting[0].score), *rest]
