"""What a dose is not complete without: the usual one, its amount, the row of maintenance doses.

"Half the usual regimen" and "twice daily" give nobody a dose, nor does a supplement after dialysis.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from clinrag_core.answer.complete.lists import with_lists
from clinrag_core.answer.complete.tables import table_of
from clinrag_core.answer.fit.people import names_them
from clinrag_core.answer.fit.question_gate import each_misfit, is_fit
from clinrag_core.answer.fit.ranges import any_meet
from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.rank.labels import of_labels
from clinrag_core.facts.people import read_people
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.word_starts import says

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from clinrag_core.answer.fit.statement_slots import StatementSlots
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import RankedStatement, Sources
    from clinrag_core.facts.drugs import DrugLexicon

_TABLETS = lazy_re(r"\b(?:\d|½|one|two)[^.;]{0,40}\btablets?\b")
_WEIGHT_BASED = lazy_re(r"\bweight-based dos\w+")
_BY_CLEARANCE = lazy_re(r"\bmaintenance dos\w+ based on (?:estimates of )?creatinine clearance\b")


def completing(
    slots: QuestionSlots,
    fitting: Sequence[RankedStatement],
    ranked: Iterable[RankedStatement],
    sources: Sources,
) -> list[RankedStatement]:
    """Return what completes the dose that the first statement gives, from the same document.

    It is worth as much as the first: neither is shown without the other.
    """
    first = next(iter(fitting), None)
    if first is None or not (slots.asks_dosing or slots.partners):
        return []
    added = _without_partner(slots, first, ranked, sources)
    added = added or slots.asks_dosing * (
        _usual_dose(slots, first, ranked, sources.drugs)
        or _amount(slots, first, [*fitting[1:], *ranked], sources.drugs)
        or _row_of_clearance(slots, first, sources)
        or _regimen_for_them(slots, first, sources)
        or _dose_by_weight(slots, first, sources)
    )
    return [one._replace(score=first.score) for one in added]


def _usual_dose(
    slots: QuestionSlots,
    first: RankedStatement,
    ranked: Iterable[RankedStatement],
    drugs: DrugLexicon,
) -> list[RankedStatement]:
    """Return the usual dose that another one is stated as a part of.

    "Half the usual regimen" at a low clearance says nothing without the regimen for the disease.
    Where none is asked about, that for one of several is not the usual one; a maximum is none.
    """
    wordings = slot_lexicon().wordings
    if not wordings.part_of_usual.search(fold_chars(first.statement.said)):
        return []
    found: list[RankedStatement] = []
    for one in _of_document(first, ranked):
        own = statement_slots(one.statement, drugs)
        folded = fold_chars(one.statement.said)
        has_dose = own.has_dose or _TABLETS.search(folded)
        if not (has_dose and own.has_regimen) or wordings.maximum.search(folded):
            continue
        if own.diseases and not slots.diseases:
            return []
        kept_from = list(each_misfit(slots, one.statement, drugs))
        if all(misfit.slot == "people" and not misfit.has for misfit in kept_from):
            found.append(one)
    return found[:1]


def _amount(
    slots: QuestionSlots,
    first: RankedStatement,
    ranked: Iterable[RankedStatement],
    drugs: DrugLexicon,
) -> list[RankedStatement]:
    """Return the dose with its amount, where only how often it is given with a partner is said."""
    own = statement_slots(first.statement, drugs)
    if "dose" not in slots.aspects or not slots.partners or own.has_dose or not _times(own):
        return []
    for one in _of_document(first, ranked):
        its = statement_slots(one.statement, drugs)
        if its.figures and _times(its) & _times(own) and is_fit(slots, one.statement, drugs):
            return [one]
    return []


def _rows_of_label(
    slots: QuestionSlots, first: RankedStatement, sources: Sources
) -> Iterator[RankedStatement]:
    """Yield the rows of doses of the label that the first statement is from."""
    for one in of_labels(slots, sources, ("dosage",)):
        is_of_label = one.statement.document_id == first.statement.document_id
        if is_of_label and one.statement.statement_kind == "row":
            yield one


def _dose_by_weight(
    slots: QuestionSlots, first: RankedStatement, sources: Sources
) -> list[RankedStatement]:
    """Return the row of the weight asked about, whose dose the first statement changes.

    "Give the weight-based dose twice daily" gives nobody a dose.
    """
    if not (slots.people.weights and _WEIGHT_BASED.search(fold_chars(first.statement.said))):
        return []
    return [
        one
        for one in _rows_of_label(slots, first, sources)
        if names_them(slots, one.statement.said)
        and statement_slots(one.statement, sources.drugs).has_regimen
    ][:1]


def _times(own: StatementSlots) -> set[tuple[object, ...]]:
    """Return how often a statement says that something is given."""
    return {q.key for q in own.facts.quantities if q.kind == "frequency"}


def _row_of_clearance(
    slots: QuestionSlots, first: RankedStatement, sources: Sources
) -> list[RankedStatement]:
    """Return the row of the maintenance dose to which a row of dialysis adds a supplement.

    It is that of the clearance asked about, else that of the lowest one.
    """
    row = first.statement
    if row.statement_kind != "row" or not _BY_CLEARANCE.search(fold_chars(row.said)):
        return []
    rows = [
        (kidney, one)
        for one in of_labels(slots, sources, (row.group or "",))
        if one.statement.statement_kind == "row" and table_of(one.statement) == table_of(row)
        if (kidney := read_people(one.statement.said).kidney)
    ]
    theirs = [pair for pair in rows if any_meet(slots.people.kidney, pair[0])]
    lowest = min(theirs or rows, key=lambda pair: (pair[0][0].low, pair[0][0].high), default=None)
    return [] if lowest is None else [lowest[1]]


def _regimen_for_them(
    slots: QuestionSlots, first: RankedStatement, sources: Sources
) -> list[RankedStatement]:
    """Return the row of the dosage for the very degree of liver disease whose dose stays as it is.

    "No adjustment in Child-Pugh B" is not all where such patients are given another drug as well.
    """
    said = fold_chars(first.statement.said)
    if not slots.people.liver or not says(said, slot_lexicon().wordings.no_change):
        return []
    return [
        one
        for one in _rows_of_label(slots, first, sources)
        if slots.people.liver <= read_people(one.statement.said).liver
        and all(lost.slot == "aspect" for lost in each_misfit(slots, one.statement, sources.drugs))
    ][:1]


def _without_partner(
    slots: QuestionSlots,
    first: RankedStatement,
    ranked: Iterable[RankedStatement],
    sources: Sources,
) -> list[RankedStatement]:
    """Return the dose for the very age or weight, where the first is that of anyone with a partner.

    Half of the usual dose with a partner is not half of it for somebody who gets less at 80 years.
    """
    drug, own = (
        frozenset(first.statement.ingredients),
        statement_slots(first.statement, sources.drugs),
    )
    alone = slots._replace(drugs=(drug,), partners=())
    measured = alone._replace(people=slots.people._replace(kidney=(), conditions=frozenset()))
    if not (slots.partners and drug and own.figures) or names_them(measured, first.statement.said):
        return []
    found = (
        one
        for one in _of_document(first, ranked)
        if one.statement.group == "dosage"
        and statement_slots(one.statement, sources.drugs).has_amount
        and names_them(measured, one.statement.said)
        and is_fit(alone, one.statement, sources.drugs)
    )
    return with_lists(list(islice(found, 1)), alone, sources)


def _of_document(
    first: RankedStatement, ranked: Iterable[RankedStatement]
) -> Iterable[RankedStatement]:
    """Return the other statements of the document of the first one."""
    own = first.statement
    return (
        one
        for one in ranked
        if one.statement.document_id == own.document_id and one.statement.id != own.id
    )
