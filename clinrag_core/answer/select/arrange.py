"""Orders and completes the statements that fit a question, before any of them is shown.

A dose comes with what limits it, an item with its list, the row asked for without the rows next to
it; of doses, those for the diseases of the field come first.
"""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

from clinrag_core.answer.complete.announced import with_announced
from clinrag_core.answer.complete.exceptions import with_exceptions
from clinrag_core.answer.complete.lists import with_lists
from clinrag_core.answer.complete.paragraphs import with_paragraphs
from clinrag_core.answer.complete.procedures import with_procedures
from clinrag_core.answer.complete.referred_tables import with_referred_table
from clinrag_core.answer.complete.restrictions import completed, joined, with_such_drugs
from clinrag_core.answer.complete.schedules import with_schedules
from clinrag_core.answer.complete.tables import of_the_row_asked, of_the_table_asked
from clinrag_core.answer.fit.people import (
    USUAL_AGE,
    is_titled_for_them,
    names_their_clearance,
    names_them,
)
from clinrag_core.answer.fit.question_gate import OF_FIELD
from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.question.asking import asks, says_so_far
from clinrag_core.answer.question.facets import LENGTH
from clinrag_core.answer.rank.boosts import NEAR
from clinrag_core.answer.rank.brands import (
    of_brand,
    of_brand_first,
    without_other_forms,
    without_other_routes,
)
from clinrag_core.answer.rank.exact import most_exact_first
from clinrag_core.answer.rank.newer import newer_caution_first, newer_recommendation_first
from clinrag_core.answer.rank.sites import of_the_site_asked
from clinrag_core.answer.select.dose_order import (
    at_their_time_first,
    is_unusual,
    of_their_schedules,
    of_their_weight_first,
    speaking_of_dose,
    whole_length_first,
    without_studies,
)
from clinrag_core.answer.select.for_anybody import for_anybody_first
from clinrag_core.answer.select.label_indications import for_the_disease, without_approved_uses
from clinrag_core.answer.select.local_products import guideline_before_local
from clinrag_core.answer.select.maximum import TOTAL, with_maximum
from clinrag_core.answer.select.withdrawn import without_outdated_pair
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.word_starts import says

if TYPE_CHECKING:
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import RankedStatement, Sources
    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.facts.people import People
    from clinrag_core.model.statement import IndexedStatement

PACK_WORDS = 500
"""Words of statements that a generator gets: they hold .69 of the facts, five passages .37."""
OF_THE_FIELD = 0.25
"""Added to the score of a statement for a disease of the field, taken from that of others: both
together weigh as much as stating the aspect asked for."""
_CHANGED = lazy_re(r"\b(?:adjust|chang|reduc|increas|lower|rais|modif)\w*")
"""What asks for another dose than the usual one."""
_COMPARED = lazy_re(r"\b(?:achiev|exposure|equivalen)\w*")
"""What compares two doses by their effect and gives neither."""
_ASKS_TOTAL = lazy_re(r"\b(?:total|cumulative|whole course|altogether)\b")
MOST_JOINED = 70
"""Words of two sentences that are shown as one claim, by judgement."""


def arrange(
    fitting: list[RankedStatement], slots: QuestionSlots, sources: Sources
) -> list[RankedStatement]:
    """Return the statements that fit a question in the order and with the words they are shown."""
    if not fitting:
        return []
    fitting = most_exact_first(speaking_of_dose(fitting, slots), slots, sources)
    fitting = _without_highlights(whole_length_first(fitting, slots, sources.drugs), sources.drugs)
    fitting = _packed(with_maximum(for_the_disease(fitting, slots, sources), slots))
    fitting = of_the_table_asked(of_the_row_asked(fitting, slots, sources), slots, sources)
    if fitting and not slots.diseases:
        fitting = _of_the_field_first(fitting, sources.drugs, asks_dosing=slots.asks_dosing)
    fitting = _usual_dose_first(fitting, slots, sources.drugs)
    fitting = _dose_before_whom_it_bars(fitting, slots, sources.drugs)
    fitting = _at_their_figure_first(fitting, slots, sources.drugs)
    if asks(slots.text, "asks_permission") and not slots.asks_dosing:
        fitting.sort(key=lambda one: not names_their_clearance(slots, one.statement))
    fitting = of_their_weight_first(without_studies(fitting, slots), slots)
    fitting = of_their_schedules(at_their_time_first(fitting, slots), slots, sources.drugs)
    fitting = without_outdated_pair(fitting, slots, sources.drugs)
    fitting = newer_caution_first(fitting, slots, sources.drugs)
    fitting = without_other_forms(without_other_routes(fitting, slots, sources), slots)
    fitting = for_anybody_first(of_brand_first(fitting, slots, sources.drugs), slots, sources.drugs)
    fitting = guideline_before_local(fitting, slots, sources.drugs)
    fitting = newer_recommendation_first(fitting, slots, sources.drugs)
    fitting = [with_such_drugs(one, sources) for one in fitting]
    fitting = with_exceptions(with_lists(fitting, slots, sources), sources)
    fitting = with_schedules(with_announced(fitting, sources), slots, sources)
    fitting = with_paragraphs(with_procedures(fitting, slots, sources), slots, sources)
    fitting = _with_next(fitting)
    fitting = _without_doses_of_others(fitting, slots, sources.drugs)
    fitting = _without_rows_of_others(fitting, slots, sources.drugs)
    fitting = without_approved_uses(of_the_site_asked(fitting, slots, sources.drugs), slots)
    return completed(with_referred_table(fitting, slots, sources), sources)


def _packed(fitting: list[RankedStatement]) -> list[RankedStatement]:
    """Return the best statements, about `PACK_WORDS` of them."""
    words = itertools.accumulate(len(one.statement.said.split()) for one in fitting)
    return fitting[: sum(so_far < PACK_WORDS for so_far in words) + 1]


def _without_highlights(
    fitting: list[RankedStatement], drugs: DrugLexicon
) -> list[RankedStatement]:
    """Return statements without rows of a label's highlights that do not say for whom they are.

    The section itself has the same table under a heading such as "Dosage in children".
    """
    sectioned = {
        one.statement.document_id
        for one in fitting
        if one.statement.kind == "label" and len(one.statement.headings) > 1
    }
    return [
        one
        for one in fitting
        if not (
            one.statement.statement_kind == "row"
            and one.statement.document_id in sectioned
            and one.statement.group == "dosage"
            and len(one.statement.headings) == 1
            and not statement_slots(one.statement, drugs).people
        )
    ]


def _is_total(one: RankedStatement, drugs: DrugLexicon) -> bool:
    """Return whether the only amount of a statement is that of a whole course: no usual dose."""
    found = statement_slots(one.statement, drugs).facts.quantities
    is_one = sum(quantity.kind == "dose" for quantity in found) == 1
    return is_one and TOTAL.search(fold_chars(one.statement.said)) is not None


def _usual_dose_first(
    fitting: list[RankedStatement], slots: QuestionSlots, drugs: DrugLexicon
) -> list[RankedStatement]:
    """Return statements with the usual dose before how it is raised, prepared or was studied.

    Only where nothing but the dose of a drug is asked.
    """
    narrowed = slots.people or slots.partners or slots.findings or slots.suggested or slots.course
    narrowed = narrowed or _CHANGED.search(fold_chars(slots.text))
    narrowed = narrowed or slots.facet("phase") or slots.facet("dose_level")
    narrowed = narrowed or "stopping" in slots.aspects  # at which dose it is started again
    if not fitting or narrowed or "dose" not in slots.aspects:
        return fitting
    first = fitting[0]
    near = [one for one in fitting if one.score >= NEAR * first.score]
    near = [one for one in near if not is_unusual(slots, one, drugs)] or near
    asks_total = _ASKS_TOTAL.search(fold_chars(slots.text)) or says_so_far(slots.text)
    near = [one for one in near if asks_total or not _is_total(one, drugs)]
    usual = [one for one in near if _gives_usual_dose(one.statement, first.statement)]
    if first not in near or not statement_slots(first.statement, drugs).has_amount:
        usual = usual or [o for o in near if statement_slots(o.statement, drugs).has_amount]
    usual = of_brand(usual, slots, drugs) or usual
    often = [one for one in usual if statement_slots(one.statement, drugs).has_schedule]
    sentences = [one for one in often if one.statement.statement_kind != "row"]
    if not usual:
        return _not_by_maximum(fitting, drugs)
    chosen = (sentences or often or usual)[0]
    rest = [one for one in fitting if one is not chosen]
    return [chosen._replace(score=first.score), *rest]


def _dose_before_whom_it_bars(
    fitting: list[RankedStatement], slots: QuestionSlots, drugs: DrugLexicon
) -> list[RankedStatement]:
    """Return statements with a dose before who must not have it, where nobody is asked about."""
    if not (fitting and slots.asks_dosing and slots.drugs) or slots.people or slots.partners:
        return fitting
    first = statement_slots(fitting[0].statement, drugs)
    is_of_list = fitting[0].statement.statement_kind == "item"
    if first.has_amount or not (first.forbids and is_of_list):
        return fitting
    near = (one for one in fitting if one.score >= NEAR * fitting[0].score)
    dose = next((o for o in near if statement_slots(o.statement, drugs).has_amount), None)
    if dose is None:
        return fitting
    rest = [one for one in fitting if one is not dose]
    return [dose._replace(score=fitting[0].score), *rest]


def _at_their_figure_first(
    fitting: list[RankedStatement], slots: QuestionSlots, drugs: DrugLexicon
) -> list[RankedStatement]:
    """Return statements with a dose at a patient's very figures before that of most.

    A row for adults is not for one of 36 kg where the label says "half of it below 40 kg", nor for
    one of 68 where it says "less over 60"; "adjust it below 60 mL/min" comes after how.
    """
    narrowed = slots.people.weights or slots.people.kidney or slots.people.ages
    if not (fitting and slots.asks_dosing and narrowed) or slots.aspects == LENGTH:
        return fitting
    first = fitting[0]
    gives_dose = statement_slots(first.statement, drugs).has_regimen
    if gives_dose == _is_for_them(slots, first):
        return fitting
    wordings = slot_lexicon().wordings
    theirs = [
        one
        for one in fitting
        if one.statement.document_id == first.statement.document_id
        and names_them(slots, one.statement.said)
        and _says_dose(one, drugs)
    ]
    if gives_dose:
        theirs.sort(key=lambda one: not says(fold_chars(one.statement.said), wordings.other_dose))
    else:
        theirs = [one for one in theirs if statement_slots(one.statement, drugs).has_amount]
    chosen = [one._replace(score=first.score) for one in theirs[:1]]
    return [*chosen, *(one for one in fitting if one not in theirs[:1])]


def _not_by_maximum(fitting: list[RankedStatement], drugs: DrugLexicon) -> list[RankedStatement]:
    """Return statements without a maximum as the first where another gives how often, how much."""
    maximum = slot_lexicon().wordings.maximum
    doses = [
        one
        for one in fitting
        if statement_slots(one.statement, drugs).has_schedule
        and one.statement.document_id == fitting[0].statement.document_id
        and not maximum.search(fold_chars(one.statement.said))
    ]
    first = fitting[0].statement.said
    limit = maximum.search(fold_chars(first))
    if doses and limit and not re.search(r"\d", first[: limit.start()]):
        rest = [one for one in fitting if one is not doses[0]]
        return [doses[0]._replace(score=fitting[0].score), *rest]
    return fitting


def _without_rows_of_others(
    fitting: list[RankedStatement], slots: QuestionSlots, drugs: DrugLexicon
) -> list[RankedStatement]:
    """Return statements without rows of regimens with more drugs where one alone is asked for.

    Only where its own dose is there: three months with rifampin are no course of isoniazid. What it
    interacts with makes a row that it begins no regimen.
    """
    if not (fitting and slots.asks_dosing and len(slots.drugs) == 1) or slots.partners:
        return fitting
    own = [statement_slots(one.statement, drugs) for one in fitting]
    if slots.regimens or not (own[0].has_regimen and own[0].said_drugs == slots.drugs[0]):
        return fitting
    return [
        one
        for one, its in zip(fitting, own, strict=True)
        if not (
            one.statement.statement_kind == "row"
            and its.has_regimen
            and slots.drugs[0] < its.said_drugs
            and its.drugs_of(one.statement.said.partition("; ")[0]) != slots.drugs[0]
        )
    ]


def _without_doses_of_others(
    fitting: list[RankedStatement], slots: QuestionSlots, drugs: DrugLexicon
) -> list[RankedStatement]:
    """Return statements without doses for people in general where the first is for those asked.

    "2.5 mg at 80 years and 60 kg" is not followed by "5 mg for most patients".
    """
    if not (fitting and slots.asks_dosing and slots.people):
        return fitting
    first = fitting[0]
    if not (statement_slots(first.statement, drugs).has_regimen and _is_for_them(slots, first)):
        return fitting
    return [
        one
        for one in fitting
        if not statement_slots(one.statement, drugs).has_regimen
        or _is_for_them(slots, one)
        or not _is_for_all(statement_slots(one.statement, drugs).people)
    ]


def _is_for_all(people: People) -> bool:
    """Return whether people are any, or adults of any age."""
    narrowed = people.weights or people.kidney or people.conditions or people.liver
    return not narrowed and all(one.has(USUAL_AGE) for one in people.ages)


def _says_dose(one: RankedStatement, drugs: DrugLexicon) -> bool:
    """Return whether a statement says a dose, or gives one in a sentence without the word."""
    says_it = says(fold_chars(one.statement.said), slot_lexicon().wordings.says_dose)
    is_sentence = one.statement.statement_kind == "sentence"
    return says_it or (is_sentence and statement_slots(one.statement, drugs).has_amount)


def _is_for_them(slots: QuestionSlots, one: RankedStatement) -> bool:
    return names_them(slots, one.statement.said) or is_titled_for_them(slots, one.statement)


def _gives_usual_dose(one: IndexedStatement, first: IndexedStatement) -> bool:
    """Return whether a statement of the first one's label, or a guideline's, gives a usual dose."""
    is_near = one.kind == "guideline" == first.kind or one.document_id == first.document_id
    usual = slot_lexicon().wordings.usual_dose
    has_figure = any(letter.isdigit() for letter in one.said)
    folded = fold_chars(one.said)
    gives = usual.search(folded) and not _COMPARED.search(folded)
    return is_near and has_figure and bool(gives)


def _with_next(fitting: list[RankedStatement]) -> list[RankedStatement]:
    """Return statements with each joined with the sentence right after it, where that fits as well.

    "10 mg twice daily for the first 7 days" goes on "After 7 days, 5 mg twice daily".
    """
    best = max((one.score for one in fitting), default=0.0)
    after = {_place(one.statement): one for one in fitting if one.score >= NEAR * best}
    taken: set[str] = set()
    found: list[RankedStatement] = []
    for one in fitting:
        statement = one.statement
        if statement.id in taken:
            continue
        document, section, block, order = _place(statement)
        following = after.get((document, section, block, order + 1))
        if (
            following is not None
            and following.statement.id not in taken
            and _joinable(one, following)
        ):
            taken.add(following.statement.id)
            statement = joined(statement, [statement, following.statement])
        found.append(one._replace(statement=statement))
    return found


def _place(one: IndexedStatement) -> tuple[str, int, int, int]:
    return one.document_id, one.section_ordinal, one.block, one.order


def _joinable(one: RankedStatement, following: RankedStatement) -> bool:
    """Return whether two adjacent statements are sentences, short enough to be one claim."""
    parts = (one.statement, following.statement)
    words = sum(len(part.said.split()) for part in parts)
    is_prose = all(part.statement_kind in ("sentence", "recommendation") for part in parts)
    return is_prose and words <= MOST_JOINED and one.statement.said not in following.statement.said


def _of_the_field_first(
    fitting: list[RankedStatement], drugs: DrugLexicon, *, asks_dosing: bool
) -> list[RankedStatement]:
    """Return statements with those for tuberculosis or pneumonia raised, others lowered.

    A question that names no disease is asked by somebody who treats these two: of doses, the best
    for one of the two comes first.
    """
    fields = [_of_the_field(one, drugs) for one in fitting]
    if asks_dosing and max(fields) <= 0:
        return fitting  # no dose is for the field: one for no disease is no better
    raised = [
        one._replace(score=one.score + more) for one, more in zip(fitting, fields, strict=True)
    ]
    best = max(one.score for one in raised)
    doses = [
        n
        for n, more in enumerate(fields)
        if more > 0 and statement_slots(fitting[n].statement, drugs).has_regimen
    ]
    if asks_dosing and doses:
        first = max(doses, key=lambda n: raised[n].score)
        raised.insert(0, raised.pop(first)._replace(score=best))
    return sorted(raised, key=lambda one: -one.score)


def _of_the_field(one: RankedStatement, drugs: DrugLexicon) -> float:
    named = statement_slots(one.statement, drugs).diseases
    if not named:
        return 0.0
    return OF_THE_FIELD if any(name.split(".")[0] in OF_FIELD for name in named) else -OF_THE_FIELD
