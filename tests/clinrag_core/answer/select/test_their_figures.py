"""A dose is that of the very patient: of a weight, a purpose, a site, a route. Invented texts."""

from __future__ import annotations

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import LABELS, label, statement

from clinrag_core.answer.fit.people import names_them
from clinrag_core.answer.fit.question_gate import is_fit
from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.lead.companions import stopped_for_another
from clinrag_core.answer.lead.label_sections import other_route_only, route_forbidden
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.rank.brands import (
    nothing_of_brand,
    without_other_forms,
    without_other_routes,
)
from clinrag_core.answer.rank.exact import most_exact_first
from clinrag_core.answer.select.arrange import arrange
from clinrag_core.answer.select.fitting import that_fit_after
from clinrag_core.answer.select.label_indications import LabelIndications
from clinrag_core.answer.sources import RankedStatement
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)


def ranked(*statements, step: float = 0.1) -> list[RankedStatement]:
    """Statements with scores that fall."""
    return [RankedStatement(one, "label", 5.0 - n * step, 1.0) for n, one in enumerate(statements)]


def fits(question: str, one) -> bool:
    return is_fit(read_slots(question, DRUGS), one, DRUGS)


@pytest.mark.parametrize(("weight", "is_first"), [("36 kg", True), ("70 kg", False)])
def test_a_dose_below_a_weight_comes_before_that_of_most(weight: str, is_first: bool):
    usual = label("Zolumycin: 200 mg twice daily", group="dosage", statement_kind="row")
    half = label("Adults under 40 kg should have half of the dose.", group="dosage")
    slots = read_slots(f"zolumycin dose, adult of {weight}", DRUGS)
    sources = sources_of([usual, half], DRUGS)
    said = [one.statement.said for one in arrange(ranked(usual, half), slots, sources)]
    assert (said[0] == half.said) == is_first


@pytest.mark.parametrize(("who", "is_first"), [("an elderly woman", True), ("an adult", False)])
def test_a_sentence_for_them_comes_before_the_usual_dose(who: str, is_first: bool):
    usual = label("The usual starting dose of zolumycin is 250 mg daily.", group="dosage")
    theirs = label("In elderly patients therapy should be 100 mg once a day.", group="dosage")
    theirs = theirs.model_copy(update={"block": 7, "order": theirs.order + 7})
    slots = read_slots(f"starting dose of zolumycin in {who}", DRUGS)
    found = arrange(ranked(usual, theirs, step=1.5), slots, sources_of([usual, theirs], DRUGS))
    assert (found[0].statement.said == theirs.said) is is_first


def test_how_long_is_no_question_on_the_dose_at_a_weight():
    course = label("Zolumycin 75 mg/kg daily for 14 to 21 days treats pneumonia.", group="dosage")
    row = label("Weight: 64 kg; Dose: 800 mg every 6 hours", group="dosage", statement_kind="row")
    slots = read_slots("Man of 64 kg. Zolumycin for pneumonia: for how long?", DRUGS)
    sources = sources_of([course, row], DRUGS)
    found = arrange(ranked(course, row, step=2.0), slots, sources)
    assert found[0].statement.said == course.said


@pytest.mark.parametrize(
    ("question", "said", "names"),
    [
        ("dose at 36 kg", "Under 40 kg: half.", True),
        ("dose at 60 kg", "55 to 70 kg: 4 tablets", True),
        ("dose at 60 kg", "50 kg and over: 4 tablets", False),
        ("dose at CrCl 45", "CrCl 30 to 59 mL/min: 5 mg", True),
        ("dose at CrCl 45", "CrCl 30 mL/min or more: 5 mg", False),
        ("dose in an adult", "65 years and older: 5 mg", False),
        ("dose for a man of 67 years", "65 years and older: 5 mg", True),
    ],
)
def test_a_range_of_most_adults_names_nobody(question: str, said: str, names: bool):
    assert names_them(read_slots(f"zolumycin {question}", DRUGS), said) == names


def test_a_row_without_a_heading_is_no_dose_for_prevention():
    row = label("Weight: 64 kg; Zolumycin: 4 tablets every 6 hours", statement_kind="row")
    assert not fits("zolumycin prophylaxis of pneumocystis pneumonia at 64 kg, dose?", row)
    assert fits("zolumycin for pneumocystis pneumonia at 64 kg, dose?", row)
    headed = label(row.said, statement_kind="row", headings=("2.3 Prophylaxis of pneumonia",))
    assert fits("zolumycin prophylaxis of pneumonia at 64 kg, dose?", headed)


@pytest.mark.parametrize(
    ("question", "is_for"),
    [
        ("How long is TB of the spine treated?", False),
        ("How long is TB of the spine treated (no meningitis)?", False),
        ("How long is pulmonary TB treated?", True),
    ],
)
def test_what_leaves_a_site_out_is_not_for_it(question: str, is_for: bool):
    row = statement("All forms of TB (excluding TB meningitis and bone TB): 6 months")
    assert fits(question, row) == is_for


def test_how_to_use_a_product_is_no_answer_for_another_disease():
    use = label("The cream is indicated for acne.", group="indications")
    rub = label("Rub in zolumycin gently.", group="dosage")
    sources = sources_of([use, rub], DRUGS)
    (one,) = ranked(rub)
    for question, is_misfit in (("rub zolumycin in for leprosy?", True), ("for acne?", False)):
        slots = read_slots(f"Zolumycin {question}", DRUGS)
        assert (LabelIndications(sources).misfit(slots, one) is not None) == is_misfit


@pytest.mark.parametrize(
    ("question", "is_led"),
    [
        ("Intrathecal dose of zolumycin?", True),
        ("Intravenous dose of zolumycin?", False),
        ("Dose of zolumycin?", False),
    ],
)
def test_a_route_that_a_label_forbids_leads(question: str, is_led: bool):
    never = label(
        "Zolumycin must not be given by intrathecal injection.",
        group="warnings",
        routes=("intravenous",),
    )
    some = label(
        "Avoid intrathecal injection in renal impairment.",
        group="dosage",
        routes=("intravenous",),
    )
    found = route_forbidden(read_slots(question, DRUGS), sources_of([some, never], DRUGS))
    assert [one.statement.said for one in found] == ([never.said] if is_led else [])


def test_the_route_that_another_is_compared_with_is_not_asked_for():
    oral = statement("Isoniazid by mouth: 300 mg daily")
    assert not fits("intramuscular isoniazid for TB - same dose as oral, yes?", oral)
    assert fits("oral isoniazid for TB, dose?", oral)


def test_advice_to_stop_one_drug_for_another_leads_a_patients_story():
    question = (
        "HIV-positive woman takes zolumycin. She has leprosy. May she have rifampin plus velotrib?"
    )
    other = statement("Rifampin is given once a month.")
    stop = statement("In leprosy patients on zolumycin, velotrib should be stopped.")
    instead = statement("In them velotrib should be replaced with clofazimine.")
    slots = read_slots(question, DRUGS)
    found = stopped_for_another(ranked(other, stop, instead), slots, DRUGS)
    assert [one.statement.said for one in found] == [stop.said, instead.said]
    assert stopped_for_another(ranked(stop), read_slots("velotrib dose?", DRUGS), DRUGS) == []


def test_a_dose_for_what_is_asked_comes_before_that_for_something_else():
    other = statement(
        "Zolumycin is started with 60 mg and ended after 4 weeks.", headings=("Severe rashes",)
    )
    own = statement("Zolumycin 40 mg daily in week 1.", headings=("Severe nodules",))
    slots = read_slots("Zolumycin for severe nodules, what dose?", DRUGS)
    sources = sources_of([other, own], DRUGS)._replace(idf={"nodules": 5.0})
    best = most_exact_first(ranked(other, own), slots, sources)[0]
    assert best.statement.said == own.said


@pytest.mark.parametrize(("age", "is_first"), [(68, True), (40, False)])
def test_a_change_of_dose_at_an_age_comes_before_that_of_most(age: int, is_first: bool):
    usual = label("Adults: 15 mg/kg daily", group="dosage", statement_kind="row")
    less = label("In patients older than 60 years a reduced dosage is used.", group="dosage")
    slots = read_slots(f"{age} years old, full dose of zolumycin or less?", DRUGS)
    found = arrange(ranked(usual, less), slots, sources_of([usual, less], DRUGS))
    assert (found[0].statement.said == less.said) == is_first


def test_how_the_dose_is_adjusted_comes_before_that_it_is():
    that = label("Adjust the dose of zolumycin at CrCl 15 to 60 mL/min.", group="dosage")
    how = label("CrCl: 15 to 30 mL/min; Dose: 10 mg/kg", group="dosage", statement_kind="row")
    slots = read_slots("zolumycin dose, CrCl 25 mL/min", DRUGS)
    found = arrange(ranked(that, how), slots, sources_of([that, how], DRUGS))
    assert found[0].statement.said == how.said


def test_advice_for_negative_cultures_leads_where_they_are_negative():
    every = statement("Longer regimens are given for 15 months after cultures turn.")
    theirs = statement("In culture-negative disease 18 months are given in all.")
    other = statement("In culture-positive disease 20 months are given in all.")
    slots = read_slots("Culture-negative TB on a longer regimen: how long in all?", DRUGS)
    found = most_exact_first(ranked(every, theirs), slots, sources_of([every, theirs], DRUGS))
    assert found[0].statement == theirs
    assert not is_fit(slots, other, DRUGS)


def test_what_is_said_with_rifampin_holds_with_its_regimen():
    twice = label("With rifampin zolumycin is given at 50 mg twice daily.", group="interactions")
    other = label("With velotrib zolumycin is given at 50 mg twice daily.", group="interactions")
    assert fits("zolumycin dose with rifampin, isoniazid and ethambutol", twice)
    assert not fits("zolumycin dose with rifampin, isoniazid and ethambutol", other)


def test_a_regimen_that_is_taken_answers_for_no_other_drug():
    own = statement("4R is recommended in adults.")
    assert not fits("Can zolumycin be started in a man on rifampin (4R)?", own)
    assert fits("Is 4R recommended in adults?", own)


def test_one_finding_of_several_is_enough():
    either = statement("Stop zolumycin if ALT is over 5 times normal or bilirubin above normal.")
    assert fits("On zolumycin, ALT 2x ULN, bilirubin above normal. Stop?", either)
    assert not fits("On zolumycin, ALT 2x ULN. Stop?", either)


def leads(question: str, *statements) -> str:
    found = arrange(ranked(*statements), read_slots(question, DRUGS), sources_of(statements, DRUGS))
    return found[0].statement.said


def test_a_dose_for_a_mutation_is_no_usual_one():
    mutated = statement("With inhA mutations the usual dose of isoniazid is 15 mg/kg daily.")
    usual = statement("Isoniazid is given at 5 mg/kg daily.")
    assert leads("dose of isoniazid", mutated, usual) == usual.said
    assert leads("dose of isoniazid, inhA mutation", mutated, usual).startswith(mutated.said)


@pytest.mark.parametrize(
    ("question", "is_dose"), [("dose of zolumycin", True), ("total dose of zolumycin", False)]
)
def test_the_total_of_a_course_is_no_usual_dose(question: str, is_dose: bool):
    total = label("A total dose of 120 g is usually given.", group="dosage")
    usual = label("Adults; Daily: 15 mg/kg", group="dosage", statement_kind="row")
    assert (leads(question, total, usual) == usual.said) == is_dose


def test_the_label_of_the_brand_named_leads():
    vial = statement("Zolumycin from a vial is given at 15 mg/kg daily.")
    own = label("ZOLUMAX is inhaled as 590 mg once daily.", group="dosage")
    assert leads("zolumax daily dose", vial, own) == own.said
    assert leads("zolumycin daily dose", vial, own).startswith(vial.said)


def test_a_guideline_has_no_dose_of_a_brand_by_another_route():
    vial = statement("Zolumycin (1 g vial) is given at 15 mg/kg daily.")
    plain = statement("Zolumycin is given at 15 mg/kg daily.")
    own = label("ZOLUMAX is inhaled once daily.", group="dosage", routes=("inhaled",))
    sources = sources_of([vial, plain, own], DRUGS)

    def left(question: str) -> list[str]:
        slots = read_slots(question, DRUGS)
        found = without_other_routes(ranked(vial, plain), slots, sources)
        return [one.statement.said for one in found]

    assert left("zolumax dose for TB") == [plain.said]
    assert left("zolumycin dose for TB") == [vial.said, plain.said]
    slots = read_slots("zolumax dose for TB", DRUGS)
    assert nothing_of_brand(slots, DRUGS) == "No dose of zolumax for tuberculosis in these sources."
    assert nothing_of_brand(read_slots("zolumycin dose for TB", DRUGS), DRUGS) == ""


def test_a_row_of_levels_is_no_dose():
    row = label(
        "Coadministered: Rifampin; Dose: 600 mg; Number of Subjects: 12", statement_kind="row"
    )
    assert not fits("zolumycin dose with rifampin", row)


def test_one_of_several_reasons_keeps_from_a_regimen():
    said = "Not eligible for BPaL: people who are pregnant, lactating, or aged less than 14 years."
    one = statement(said)
    asked = "A pregnant 26-year-old woman has rifampin-resistant TB. May she have BPaL?"
    assert fits(asked, one)
    assert not fits(asked.replace(" pregnant", ""), one)


def test_what_names_all_that_narrows_a_question_comes_before_what_names_a_part():
    part = statement("Test the first smear-positive specimen.")
    whole = statement("If it is smear-positive and NAA-negative, test for inhibitors.")
    question = "The smear is positive, the NAA comes back negative: what next?"
    assert leads(question, part, whole) == whole.said


@pytest.mark.parametrize(
    ("question", "is_first"),
    [
        ("She had bedaquiline for 3 weeks last year. Does that rule out BPaL?", True),
        ("Does a long QT rule out BPaL?", False),
    ],
)
def test_what_somebody_had_before_decides_by_the_newest_text(question: str, is_first: bool):
    general = statement("BPaL is given to adults for 6 months.", year=2020)
    older = statement("BPaL: no previous exposure to bedaquiline over 2 weeks.", year=2020)
    newer = statement("BPaL: no previous exposure to bedaquiline over a month.", year=2025)
    assert (leads(question, general, older, newer) == newer.said) == is_first


def test_why_with_food_begins_with_how_it_is_taken():
    absorbed = label("A fatty meal raises the peak of zolumycin by 40%.", group="dosage")
    fasting = label("Take zolumycin on an empty stomach, at bedtime.", group="dosage")
    question = "Why should zolumycin be taken with a fatty meal?"
    assert leads(question, absorbed, fasting) == fasting.said


def test_a_brand_that_is_inhaled_only_is_not_injected():
    own = label("ZOLUMAX is for oral inhalation use only.", group="dosage", routes=("inhaled",))
    sources = sources_of([own], DRUGS)
    asked = "Can {} be given into a vein?"
    found = other_route_only(read_slots(asked.format("zolumax"), DRUGS), sources)
    assert [one.statement for one in found] == [own]
    assert other_route_only(read_slots(asked.format("zolumycin"), DRUGS), sources) == []


def test_the_row_of_a_clearance_with_its_unit_in_the_heading_comes_before_care_for_the_old():
    row = label(
        "Creatinine Clearance (mL/min): > 15 to 29; Daily Dose (mg/day): 200 to 700; QD",
        group="dosage",
        statement_kind="row",
    )
    care = label(
        "Dose selection for an elderly patient should be cautious.",
        group="specific_populations",
        headings=("8.5 Geriatric Use",),
    )
    slots = read_slots("zolumycin dose, man of 78, CrCl 24 mL/min", DRUGS)
    found = most_exact_first(ranked(care, row), slots, sources_of([care, row], DRUGS))
    assert found[0].statement == row


@pytest.mark.parametrize(
    ("question", "is_kept"),
    [
        ("By what percentage do I cut the zolumycin dose for hiccups?", True),
        ("By what percentage do I cut the zolumycin dose for gout?", False),
        ("What is the zolumycin dose for hiccups?", False),
    ],
)
def test_that_a_dose_stays_as_it_is_answers_by_how_much_it_is_cut(question: str, is_kept: bool):
    none = label("There are no dose modifications recommended for hiccups.", group="dosage")
    assert fits(question, none) == is_kept


def test_an_injection_is_given_as_its_label_says():
    drop = label("Zolumycin injection is kept cold.", routes=("intravenous",))
    assert statement_slots(drop, DRUGS).routes == {"intravenous"}
    swab = label("Zolumycin is kept cold.", routes=("intramuscular", "topical"))
    assert statement_slots(swab, DRUGS).routes == {"intramuscular"}
    both = label("The intravenous infusion, then oral tablets.", routes=("oral",))
    assert statement_slots(both, DRUGS).routes == {"intravenous", "oral"}


def test_no_adjustment_in_either_organ_answers_for_one():
    either = label(
        "No studies were done in hepatic or renal impairment. No dosage adjustment is necessary.",
        group="clinical_pharmacology",
    )
    assert fits("zolumycin dose with eGFR 28", either)
    assert not fits("zolumycin dose", either)


def test_what_is_not_added_to_a_regimen_answers_for_how_long_it_is_added():
    none = statement("In isoniazid-resistant tuberculosis it is not recommended to add zolumycin.")
    assert fits("Isoniazid-resistant TB: how many months of zolumycin do I add?", none)
    assert not fits("How many months of zolumycin do I add in leprosy?", none)


@pytest.mark.parametrize(
    ("question", "is_shown"),
    [
        ("zolumycin 44 mcg subcutaneously three times a week, correct?", True),
        ("zolumycin 44 mcg intrathecally, correct?", False),
        ("zolumycin dose subcutaneously?", False),
    ],
)
def test_a_suggested_dose_by_another_route_gets_the_right_one(question: str, is_shown: bool):
    right = label(
        "The recommended dose is 30 mcg once a week.", group="dosage", routes=("intramuscular",)
    )
    slots, sources = read_slots(question, DRUGS), sources_of([right], DRUGS)
    found, missing = that_fit_after([], ranked(right), slots, sources, forbid_pair=False)
    assert "route" in missing
    assert [one.statement for one in found] == ([right] if is_shown else [])


def test_directions_for_tablets_are_none_for_capsules(drugs: DrugLexicon) -> None:
    tablet = label("Put a zolumycin tablet in water for a tube of 8 French.")
    capsule = label("Open a zolumycin capsule into juice for a tube of 16 French.")
    either = label("Inject it through the tube.")
    asked = read_slots("Can zolumycin capsules go down a tube?", drugs)
    found = without_other_forms(ranked(tablet, capsule, either), asked)
    assert [one.statement for one in found] == [capsule, either]
    assert len(without_other_forms(ranked(tablet, either), asked)) == 2
    open_question = read_slots("Can zolumycin go down a tube?", drugs)
    assert len(without_other_forms(ranked(tablet, capsule), open_question)) == 2


def test_a_row_with_its_unit_in_a_heading_is_a_dose_at_their_figures():
    """ "How is it dosed with a clearance of 24?" had got "adjust it in the elderly" alone."""
    general = label("Adjust the dose of zolumycin in the elderly.", group="specific_populations")
    general = general.model_copy(update={"headings": ("8.5 Geriatric Use",)})
    row = label(
        "Creatinine clearance (mL/min): 15 to 29; Daily dose (mg/day): 200 to 700",
        group="dosage",
        statement_kind="row",
    )
    slots = read_slots("Zolumycin dose for a woman 72 years old with CrCl 24", DRUGS)
    found = arrange(ranked(general, row), slots, sources_of([general, row], DRUGS))
    assert found[0].statement.said == row.said


def test_a_dose_comes_before_who_must_not_have_it():
    bars = statement("Zolumycin is not recommended for: children", statement_kind="item")
    dose = statement("Zolumycin 900 mg once weekly is the maximum dose.")
    slots = read_slots("Confirm zolumycin 1800 mg once weekly", DRUGS)
    found = arrange(ranked(bars, dose), slots, sources_of([bars, dose], DRUGS))
    assert found[0].statement.said == dose.said
