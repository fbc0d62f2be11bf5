"""Whether a statement is for the people that a question is about.

A question that names nobody, or "adults", is about the usual adult: a dose for children, or for
failing kidneys, may qualify the answer and is never the answer. A question about a child, a
pregnancy or kidney function needs a dose that is stated for them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from clinrag_core.answer.fit.found import allergen_misfit, finding_misfit
from clinrag_core.answer.fit.her_child import is_on_her_child
from clinrag_core.answer.fit.misfit import Misfit
from clinrag_core.answer.fit.pairs import is_on_pair, is_on_supplement
from clinrag_core.answer.fit.ranges import any_has, any_meet, in_words
from clinrag_core.answer.fit.weights import (
    GROWN,
    USUAL_WEIGHT,
    forbids_weight,
    is_at_weight,
    is_lowest_of_adults,
    is_rounded,
    weight_misfits,
)
from clinrag_core.facts.creatinine import creatinine_of_row, serum_creatinine
from clinrag_core.facts.highest_doses import states_highest_dose
from clinrag_core.facts.intervals import Interval
from clinrag_core.facts.people import ADULT, AGE_GROUPS, CONDITIONS, DECOMPENSATED, read_people
from clinrag_core.facts.populations import OF_MOTHERS, is_for_several_groups
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.word_starts import says

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from clinrag_core.answer.fit.statement_slots import StatementSlots
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.facts.people import People
    from clinrag_core.lexicon.slots import Aspect
    from clinrag_core.model.statement import IndexedStatement

USUAL_AGE = 40.0
USUAL_KIDNEY = 100.0
"""Creatinine clearance of a healthy adult in mL/min: all labels' "normal" ranges have it."""
_OF_LIVER = frozenset({"hepatic_impairment"})
"""What patients of a degree of liver disease have."""
_SEVERE = frozenset({"severe"})
_CHILD = Interval(0, 0, "age", *AGE_GROUPS["children"], True, False)
NORMAL_KIDNEY = 90.0
"""Creatinine clearance in mL/min from which kidney function is normal (KDIGO G1)."""
_TITLES = 2
"""Innermost headings that say whom a subsection of a label is about."""
_IN_TEXT = 80
"""Characters in which a text that begins with its title has it."""
_OF_ANYONE: frozenset[Aspect] = frozenset({"test", "monitoring", "handling"})
"""Aspects in which what a label says of nobody in particular holds for a child as well."""
_DIALYSIS = frozenset({"dialysis"})
_FAILED_KIDNEY = Interval(0, 0, "kidney", 0.0, 15.0, True, False)
"""Creatinine clearance in mL/min of kidney failure (KDIGO G5)."""
WITH_KIDNEY = frozenset({"renal_impairment", "dialysis"})


def people_misfits(slots: QuestionSlots, own: StatementSlots) -> Iterator[Misfit]:
    """Yield why a statement is not for the people of a question."""
    if is_on_her_child(slots, own.statement):
        return
    if slots.people or slots.asks_dosing:  # else whom it is for need not be read
        read = (_ages, weight_misfits, _kidney, _conditions)
        found = (misfit for each in read for misfit in each(slots, own))
        is_of_all = not slots.asks_dosing and (
            is_on_pair(slots, own) or is_on_supplement(slots, own)
        )
        # What is said of two drugs given together is said of everybody whom it does not leave out.
        yield from (misfit for misfit in found if misfit.has or not is_of_all)
    yield from filter(None, (finding_misfit(slots, own), allergen_misfit(slots, own)))


def is_about(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a statement names people whom the question names."""
    asked, has = slots.people, own.people
    return bool(
        asked.conditions & has.conditions
        or (
            slots.is_for_child
            and has.ages
            and not (has.conditions | has.excluded) & OF_MOTHERS
            and any_meet(asked.ages or [_CHILD], has.ages)
        )
        or (asked.kidney and has.kidney and any_meet(asked.kidney, has.kidney))
    )


def names_them(slots: QuestionSlots, said: str, *, with_groups: bool = False) -> bool:
    """Return whether words name people asked about: "over 60 years: 500 mg" for a man of 67.

    A range without a lower end, such as "under 18 years", counts only `with_groups`, of weights
    always: "adults under 40 kg" narrows the dose.
    """
    asked = slots.people
    if not (asked.ages or asked.weights or asked.kidney or asked.conditions):
        return False
    has = read_people(said)
    if is_rounded(asked.weights, has.weights):
        return True
    pairs = ((asked.ages, has.ages), (asked.weights, has.weights), (asked.kidney, has.kidney))
    return bool(asked.conditions & has.conditions) or any(
        mine.meets(theirs)
        and (theirs.low > 0 or with_groups or theirs.of == "weight")
        and not (_is_usual(theirs, mine) or _is_any_adult(mine))
        for some, others in pairs
        for mine in some
        for theirs in others
    )


def _is_usual(measure: Interval, asked: Interval) -> bool:
    """Return whether a range is that of most adults; "13 years and older" does name a minor."""
    if measure.of == "age":
        return measure.has(USUAL_AGE) and not (measure.low >= 1 and 0 < asked.low < ADULT)
    usual = USUAL_WEIGHT if measure.of == "weight" else USUAL_KIDNEY
    return math.isinf(measure.high) and measure.has(usual)


def _is_any_adult(measure: Interval) -> bool:
    """Return whether a range is that of the word "adult", which names nobody over 65."""
    return measure.of == "age" and measure.low == ADULT and math.isinf(measure.high)


def names_their_clearance(slots: QuestionSlots, statement: IndexedStatement) -> bool:
    """Return whether a statement names, but for levels in blood, the very clearance asked about."""
    if not slots.people.kidney or statement.group == "clinical_pharmacology":
        return False
    has = read_people(statement.said).kidney
    return any(mine.meets(other) for mine in slots.people.kidney for other in has)


def is_titled_for_them(slots: QuestionSlots, statement: IndexedStatement) -> bool:
    """Return whether a label's subsection is on the people asked about: "8.5 Geriatric Use"."""
    if statement.kind != "label" or not slots.people:
        return False
    title = " > ".join(statement.headings[-_TITLES:])
    if statement.headings and not any(map(str.isalpha, statement.headings[-1])):
        title += f" {statement.said[:_IN_TEXT]}"  # some labels have the title in the text: "2.5"
    return _is_on_kidneys(slots.people, read_people(title)) or names_them(
        slots, title, with_groups=True
    )


def _is_on_kidneys(asked: People, has: People) -> bool:
    """Return whether a clearance is asked about that is low, and failing kidneys are named."""
    is_low = any(one.low < NORMAL_KIDNEY for one in asked.kidney)
    return is_low and bool(has.conditions & WITH_KIDNEY)


def _is_silent(own: StatementSlots, asked: str) -> Misfit:
    """Return the misfit of a statement that does not say whom it is for; a dose must say it."""
    return Misfit("people", asked, "", is_qualifier=not own.has_regimen)


def _ages(slots: QuestionSlots, own: StatementSlots) -> Iterator[Misfit]:
    """Yield a misfit if a statement is for another age, or does not say that it is for a child."""
    asked, has = slots.people.ages, own.people.ages
    if forbids_weight(slots, own) or _is_one_reason(slots, own):
        return
    of_others = own.has_regimen and _is_newborn(asked) and all(map(_is_of_children, has))
    of_others = of_others and not is_at_weight(slots, own)  # a row for just 3 kg is for a newborn
    of_others = of_others or (all(map(_is_of_children, asked)) and all(map(_is_of_grown, has)))
    if asked and has and (of_others or not any_meet(asked, has)):
        yield Misfit("people", in_words(asked), in_words(has))
    elif slots.is_for_child:
        weights = own.people.weights
        if not has and not weights:
            is_of_anyone = slots.drugs and slots.aspects and slots.aspects <= _OF_ANYONE
            asks = slots.drugs or slots.regimens or slots.aspects
            if own.has_regimen or (asks and not is_of_anyone):
                yield _is_silent(own, in_words(asked) or "a child")
        elif is_lowest_of_adults(slots, own):
            yield Misfit("people", in_words(asked) or "a child", in_words(weights))
        elif not asked and has and all(one.low >= AGE_GROUPS["adults"][0] for one in has):
            yield Misfit("people", "a child", in_words(has))
    elif has and slots.asks_dosing and _is_general(asked) and not any_has(has, USUAL_AGE):
        yield Misfit("people", in_words(asked) or "adults", in_words(has), is_qualifier=True)


def _is_one_reason(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a state of those asked about is one of several that keep from a regimen.

    "Not eligible: pregnant, or aged less than 14 years" is on a pregnant woman of 26.
    """
    is_listed = bool(slots.people.conditions & own.people.conditions)
    return is_listed and says(fold_chars(own.statement.said), slot_lexicon().wordings.not_eligible)


def _is_newborn(ages: Sequence[Interval]) -> bool:
    """Return whether these ages are newborns only: doses for older children are not for them."""
    return bool(ages) and all(one.high <= AGE_GROUPS["newborns"][1] for one in ages)


def _is_of_children(age: Interval) -> bool:
    """Return whether an age is that of children or infants in general, newborns not named."""
    return (age.low, age.high) in (AGE_GROUPS["children"], AGE_GROUPS["infants"])


def _is_of_grown(age: Interval) -> bool:
    """Return whether an age begins among adolescents and has no end: "over 15 years"."""
    return age.low >= GROWN and age.high == math.inf


def _is_general(ages: Sequence[Interval]) -> bool:
    """Return whether no age is asked, or adults in general."""
    return all(one.has(USUAL_AGE) and one.high > one.low for one in ages)


def _is_on_dialysis(own: StatementSlots) -> bool:
    """Return whether a statement is for patients on dialysis: a row that names it among others."""
    conditions = own.people.conditions & WITH_KIDNEY
    is_row = own.statement.statement_kind == "row" and "dialysis" in conditions
    on_dialysis = slot_lexicon().wordings.on_dialysis
    begins = on_dialysis.match(fold_chars(own.statement.said)) is not None
    return conditions == _DIALYSIS or is_row or begins


def _kidney(slots: QuestionSlots, own: StatementSlots) -> Iterator[Misfit]:
    """Yield a misfit if the kidney function asked about is not the statement's."""
    asked, has = slots.people.kidney, own.people.kidney
    of_row = creatinine_of_row(own.statement.said)
    if of_row and (mine := serum_creatinine(slots.text)):  # rows go by it: no clearance is needed
        if not of_row[0] <= mine[2] <= of_row[1]:
            yield Misfit("people", f"serum creatinine {mine[2]:g} mg/dL", "another one")
    elif asked:
        words = f"creatinine clearance {in_words(asked)}"
        if has:
            if not any_meet(asked, has):
                yield Misfit("people", words, f"creatinine clearance {in_words(has)}")
        elif all(one.high < NORMAL_KIDNEY for one in asked) and not (
            own.people.conditions & WITH_KIDNEY or _is_by_creatinine(own)
        ):
            yield _is_silent(own, words)
        elif "dialysis" not in slots.people.conditions and _is_on_dialysis(own):
            yield Misfit("people", words, CONDITIONS["dialysis"])
    elif (
        slots.asks_dosing
        and not slots.people.conditions & WITH_KIDNEY
        and has
        and not any_has(has, USUAL_KIDNEY)
    ):
        yield Misfit(
            "people",
            "adults with normal kidney function",
            f"creatinine clearance {in_words(has)}",
            is_qualifier=True,
        )


def _conditions_of(slots: QuestionSlots, own: StatementSlots) -> frozenset[str]:
    """Return the conditions of the people of a statement; the degree asked about is one."""
    is_of_degree = bool(slots.people.liver & own.people.liver)
    return own.people.conditions | (_OF_LIVER if is_of_degree else frozenset())


def _conditions(slots: QuestionSlots, own: StatementSlots) -> Iterator[Misfit]:
    """Yield misfits of pregnancy, breastfeeding, dialysis, kidney and liver impairment."""
    asked, has = slots.people.conditions, _conditions_of(slots, own)
    by_figure = bool(slots.people.kidney)
    for one in sorted(asked):
        if one == "renal_impairment" and (by_figure or "dialysis" in asked):
            continue  # judged by its figures, or by the dialysis
        if one in own.people.excluded:
            yield Misfit("people", CONDITIONS[one], f"people without {CONDITIONS[one]}")
        elif one not in has and not (
            (one == "renal_impairment" and (has & WITH_KIDNEY or _is_by_creatinine(own)))
            or (one == "dialysis" and (_is_on_failure(own) or _is_for_their_figure(slots, own)))
            or _is_limit_of_theirs(slots, own)
        ):
            yield _is_silent(own, CONDITIONS[one])
    mine, theirs = slots.people, own.people
    if mine.trimesters and theirs.trimesters and not mine.trimesters & theirs.trimesters:
        yield Misfit("people", _listed(mine.trimesters), _listed(theirs.trimesters))
    # A decompensated liver is moderately or severely ill: the advice for the worse decides.
    meets = mine.liver & theirs.liver and (
        not DECOMPENSATED.search(fold_chars(slots.text)) or theirs.liver >= _SEVERE
    )
    if mine.liver and theirs.liver and not meets:
        asked_of, stated = (f"{_listed(p.liver)} liver impairment" for p in (mine, theirs))
        yield Misfit("people", asked_of, stated)
    if not slots.asks_dosing:
        return
    extra = has - asked - own.warned
    if own.people.kidney or asked & WITH_KIDNEY:
        is_other = "dialysis" in extra and asked & WITH_KIDNEY and _is_on_dialysis(own)
        extra -= WITH_KIDNEY  # judged by its figures
        extra |= _DIALYSIS if is_other else frozenset[str]()
    said = own.statement.said
    also = is_for_several_groups(said) and names_them(slots, said)
    if extra and not also:
        names = ", ".join(sorted(CONDITIONS[one] for one in extra))
        yield Misfit("people", "people in general", names, is_qualifier=True)


def _is_for_their_figure(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a statement is for the clearance, of failed kidneys, of who is on dialysis."""
    failed = [one for one in slots.people.kidney if 0 < one.low <= one.high <= _FAILED_KIDNEY.high]
    return bool(failed) and any_meet(failed, own.people.kidney)


def _is_limit_of_theirs(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a statement sets the highest dose of another group that they belong to.

    "Not more than 300 mg over 75 years" is a limit for those over 75 on dialysis too.
    """
    said = own.statement.said
    if not states_highest_dose(said):
        return False
    on_dialysis = "dialysis" in slots.people.conditions
    is_of_failure = on_dialysis and any_meet([_FAILED_KIDNEY], own.people.kidney)
    return is_of_failure or names_them(slots, said)


def _is_by_creatinine(own: StatementSlots) -> bool:
    """Return whether a statement has a rule for whatever creatinine: "the creatinine times 8"."""
    return "serum creatinine" in own.statement.said.lower()


def _is_on_failure(own: StatementSlots) -> bool:
    """Return whether a guideline says something of kidney failure, for which there is dialysis."""
    failure = slot_lexicon().wordings.kidney_failure
    return own.statement.kind == "guideline" and says(fold_chars(own.statement.said), failure)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(name.replace("_", " ") for name in names))
