"""What the sources give to other people than those asked about, in their own words.

A suggested figure, "800 mg", may be for 50 kg and more: the usual figure alone would leave open
where it comes from. A guideline that is named may give a drug to younger children only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.fit.people import names_them, people_misfits
from clinrag_core.answer.fit.question_gate import each_misfit, is_fit
from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.fit.subject import subject_misfits
from clinrag_core.answer.question.asking import asking_part
from clinrag_core.answer.rank.named_sources import named_sources
from clinrag_core.answer.sources import is_quotable
from clinrag_core.facts.people import read_people
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import RankedStatement, Sources

_INELIGIBLE = lazy_re(r"\b(?:ineligible|not (?:be )?(?:an )?eligible) ")
_OUTSIDE = lazy_re(r"\bextra-?pulmonary\b")
"""What says of no site in particular that disease is outside the lungs."""
_ASKS_WHICH = lazy_re(r"\b(?:what|which|how)\b")
"""What asks for a figure: then none is suggested, "they have 50 mg tablets: what dose?"."""
_WHOM = frozenset({"people", "indication"})
MOST_READ = 30
"""Ranked statements that are looked through, by judgement."""


def figure_for_others(
    ranked: Sequence[RankedStatement], slots: QuestionSlots, sources: Sources
) -> list[RankedStatement]:
    """Return the best statement that gives a suggested dose to other people only, in its own words.

    After the dose of those asked about, if one names them: the other alone would read as a yes.
    Nothing where a statement gives it to those asked about, or to anybody.
    """
    asked = {one.key for one in slots.suggested if one.kind == "dose"}
    people = slots.people
    is_open = _ASKS_WHICH.search(fold_chars(asking_part(slots.text))) is not None
    is_measured = people.ages or people.weights or people.kidney
    if is_open or not asked or not slots.drugs or not is_measured:
        return []
    found: list[tuple[set[object], RankedStatement]] = []
    for one in ranked[:MOST_READ]:
        own = statement_slots(one.statement, sources.drugs)
        given = {figure.key for figure in own.figures} & asked
        if not given or not is_quotable(one.statement) or any(subject_misfits(slots, own)):
            continue
        lost = list(people_misfits(slots, own))
        if not lost:
            asked -= given
            continue
        said = read_people(one.statement.said)
        if all(misfit.has for misfit in lost) and (said.ages or said.weights or said.kidney):
            found.append((set(given), one))
    others = [one for given, one in found if given & asked][:1]
    return [*(_for_them(ranked, slots, sources) if others else []), *others]


def _for_them(
    ranked: Sequence[RankedStatement], slots: QuestionSlots, sources: Sources
) -> list[RankedStatement]:
    """Return the best statement with a dose for the very people asked about."""
    return [
        one
        for one in ranked[:MOST_READ]
        if names_them(slots, one.statement.said)
        and statement_slots(one.statement, sources.drugs).has_regimen
        and is_fit(slots, one.statement, sources.drugs)
    ][:1]


def advice_for_others(
    ranked: Sequence[RankedStatement], slots: QuestionSlots, sources: Sources
) -> list[RankedStatement]:
    """Return whom a named document gives a drug to, where it has nothing for the age asked about.

    "Children under 5 who are contacts" answers whether one of 7 gets it by that guideline.
    """
    named = named_sources(slots.text, sources.engines).documents
    is_open = _ASKS_WHICH.search(fold_chars(asking_part(slots.text))) is not None
    if is_open or slots.asks_dosing or not (named and slots.drugs and slots.people.ages):
        return []
    found: list[RankedStatement] = []
    for one in ranked[:MOST_READ]:
        if one.statement.document_id not in named or not is_quotable(one.statement):
            continue
        lost = list(each_misfit(slots, one.statement, sources.drugs))
        if not lost:
            return []
        of_age = any(misfit.slot == "people" and misfit.has for misfit in lost)
        if of_age and all(misfit.slot in _WHOM and misfit.has for misfit in lost):
            found.append(one)
    return found[:1]


def not_eligible(
    ranked: Sequence[RankedStatement], slots: QuestionSlots, sources: Sources
) -> list[RankedStatement]:
    """Return what says that the people asked about cannot have the regimen asked about.

    "Those who are ineligible, such as children under 14, get another regimen" is for a child of 13
    what "no dose for 13 years" leaves open, and "severe extrapulmonary disease" for meningitis. A
    regimen with fewer of its drugs is meant as well.
    """
    regimen = frozenset[str]().union(*(drugs for _, drugs in slots.regimens))
    is_outside = bool(slots.facet("site"))
    if not (regimen and (slots.people or is_outside)):
        return []
    return [
        one
        for one in ranked[:MOST_READ]
        if _INELIGIBLE.search(fold_chars(one.statement.said))
        and (
            (is_outside and _OUTSIDE.search(fold_chars(one.statement.said)))
            or names_them(slots, one.statement.said, with_groups=True)
        )
        and (own := statement_slots(one.statement, sources.drugs).said_drugs)
        and own <= regimen
        and is_quotable(one.statement)
    ][:1]
