"""The question gate on people: age, weight, kidney, liver, pregnancy, findings.

Every rule is tested in both directions: a gate that drops the right statement leaves a clinician
without an answer, one that passes a wrong one shows a dose that is not theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fakes.gate_checks import check_fit, check_misfit, check_qualifier
from fakes.statements import LABELS, label, statement

from clinrag_core.answer.fit.people import names_them
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.facts.drugs import DrugLexicon

if TYPE_CHECKING:
    from clinrag_core.model.statement import IndexedStatement


@pytest.fixture(scope="module")
def drugs() -> DrugLexicon:
    return DrugLexicon(LABELS)


DOSE = "What is the dose of zolumycin?"
FITS: list[tuple[str, str, IndexedStatement]] = [
    (
        "row-for-children-of-a-newborn-s-weight",
        "Zolumycin dose for a newborn of 3 kg?",
        label(
            "For pediatric use; Body weight: 2.6 kg to less than 4 kg; Dose: 0.3 mg twice daily",
            group="dosage",
            statement_kind="row",
        ),
    ),
    (
        "bands-of-adults-for-an-adolescent",
        "Zolumycin dose for a girl of 16?",
        statement("<33 kg: zolumycin 15 mg/kg daily; >70 kg: 1000 mg", statement_kind="row"),
    ),
    (
        "limit-of-one-of-two-groups",
        "maximum daily dose of zolumycin above 75 years on dialysis?",
        label("Do not exceed 300 mg of zolumycin a day in patients over 75 years.", group="dosage"),
    ),
    (
        "limit-of-failing-kidneys-on-dialysis",
        "maximum daily dose of zolumycin on dialysis?",
        label(
            "Creatinine clearance below 30 mL/min: zolumycin every 12 hours, at most 200 mg daily.",
            group="dosage",
        ),
    ),
    (
        "by-the-creatinine",
        "zolumycin, serum creatinine 3 mg/dL: interval between doses?",
        label("The interval in hours is the serum creatinine times 8 for 60 mg."),
    ),
    (
        "not-the-reverse",
        "Can zolumycin be given to a patient with nonrefractory disease?",
        label("Not recommended in non-refractory disease. Only refractory disease was studied."),
    ),
    (
        "not-the-reverse-alone",
        "Can zolumycin be given to a patient with non-refractory disease?",
        label("Not recommended in non-refractory disease."),
    ),
    (
        "pounds-are-rounded",
        "zolumycin dose, 154 lb",
        label("Weight (kg): 70; Dose of zolumycin: 70 mg every 8 hours", statement_kind="row"),
    ),
    (
        "normal-function-in-a-caption",
        "zolumycin dose",
        label(
            "Zolumycin dose: 70 mg every 8 hours",
            statement_kind="row",
            caption="Doses for adults with normal renal function",
        ),
    ),
    (
        "a-mask-for-a-child",
        "a surgical mask for a child with TB?",
        statement("Patients with TB wear a surgical mask."),
    ),
    ("adults-asked-and-meant", "zolumycin dose in adults", statement("Adults: zolumycin 300 mg.")),
    (
        "adults-asked-none-said",
        "zolumycin dose in adults",
        statement("Zolumycin is given at 300 mg daily."),
    ),
    (
        "children-asked-as-well",
        "zolumycin dose for adults and children",
        statement("Children: zolumycin 20 mg/kg daily."),
    ),
    (
        "row-of-the-kidney-function",
        "zolumycin dose with CrCl 22 mL/min",
        label("Creatinine clearance (mL/min): 5 to 29; Dose: 250 mg", statement_kind="row"),
    ),
    (
        "child-by-run-in-label",
        "zolumycin dose in children",
        label("Infections in Adults and Children Children: 10 mg/kg once daily."),
    ),
    (
        "run-in-label-of-several",
        "zolumycin dose in adults",
        label("Pneumonia Adults and Children: the usual dose is 5 mg/kg once daily."),
    ),
    (
        "with-or-without-liver-impairment",
        DOSE,
        label("Adults without cirrhosis or with compensated cirrhosis: 300 mg once daily."),
    ),
    (
        "newborn-from-birth",
        "zolumycin dose for a newborn",
        statement("From birth to 3 months: zolumycin 5 mg/kg daily."),
    ),
    (
        "premature-in-words",
        "zolumycin dose for a premature baby",
        statement("Preterm infants of less than 34 weeks gestational age: zolumycin 5 mg/kg."),
    ),
    (
        "newborn-forbidden-with-children",
        "can a newborn have zolumycin",
        statement("Zolumycin must not be given to children."),
    ),
    (
        "weight-in-pounds",
        "zolumycin dose for a girl who weighs 55 lb",
        statement("Children of 20 to 30 kg: zolumycin 150 mg daily."),
    ),
    (
        "adults-and-children-together",
        DOSE,
        statement("Adults and children from 12 years: zolumycin 300 mg daily."),
    ),
    (
        "child-by-age",
        "zolumycin dose for a 6-year-old",
        statement("Children 2 to 12 years: zolumycin 10 mg/kg daily."),
    ),
    (
        "weight-that-a-label-forbids-under-adults",
        "zolumycin tablets for a child of 25 kg",
        label("Do not use the tablets in patients under 31 kg.", headings=("Adults",)),
    ),
    (
        "child-by-weight-band",
        "zolumycin dose for a 20 kg child",
        statement("Weight: 14 kg to less than 25 kg; Zolumycin: 150 mg daily"),
    ),
    (
        "child-by-heading",
        "zolumycin dose in children",
        label("10 mg/kg once daily.", headings=("Use in children",)),
    ),
    (
        "not-recommended-under-age",
        "zolumycin for children under 2 years",
        statement("Zolumycin is not recommended for: children younger than 2 years"),
    ),
    (
        "kidney-interval",
        "zolumycin dose with CrCl 25 mL/min",
        label("Creatinine clearance 15 to 30 mL/min: 150 mg once daily."),
    ),
    (
        "kidney-unit-in-heading",
        "zolumycin dose with CrCl 25 mL/min",
        label("Creatinine clearance (mL/min): 15-29; Dose: 150 mg once daily"),
    ),
    (
        "kidney-covered-in-words",
        "zolumycin dose with creatinine clearance 40",
        label("No change of dose is needed in renal impairment."),
    ),
    (
        "kidney-severity-in-words",
        "zolumycin dose with CrCl 25 mL/min",
        label("Severe renal impairment: 150 mg once daily."),
    ),
    (
        "liver-by-child-pugh",
        "zolumycin dose in severe hepatic impairment",
        label("Child-Pugh class C: at most 100 mg daily."),
    ),
    (
        "adult-weight-band-of-a-row",
        DOSE,
        label("Weight: 40 to 54 kg; Dose: 300 mg daily", statement_kind="row"),
    ),
    (
        "normal-kidney-row-is-usual",
        DOSE,
        label("Creatinine clearance: more than 50 mL/min; Dose: 300 mg every 12 hours"),
    ),
    (
        "dialysis",
        "zolumycin dose on hemodialysis",
        label("After each hemodialysis session give 150 mg."),
    ),
    (
        "pregnancy",
        "Is zolumycin safe in pregnancy?",
        label("Zolumycin can harm the fetus."),
    ),
    (
        "pregnancy-by-heading",
        "zolumycin in pregnancy",
        label("No harm is known so far.", headings=("Specific populations", "Pregnancy")),
    ),
]
MISFITS: list[tuple[str, str, IndexedStatement, str]] = [
    (
        "row-for-children-without-a-weight-for-a-newborn",
        "Zolumycin dose for a newborn of 3 kg?",
        label("Children: zolumycin 5 mg/kg twice daily", group="dosage", statement_kind="row"),
        "people",
    ),
    (
        "bands-of-adults-for-a-toddler",
        "Zolumycin dose for a toddler?",
        statement("<33 kg: zolumycin 15 mg/kg daily; >70 kg: 1000 mg", statement_kind="row"),
        "people",
    ),
    (
        "the-reverse",
        "Can zolumycin be given to a patient with refractory disease?",
        label("Not recommended in non-refractory disease."),
        "people",
    ),
    (
        "pounds-below-a-band",
        "zolumycin dose, 154 lb",
        label("Weight (kg): 72; Dose of zolumycin: 72 mg every 8 hours", statement_kind="row"),
        "people",
    ),
    (
        "first-band-of-adults-for-a-child",
        "zolumycin dose for a toddler of 9.5 kg",
        label(
            "Patients weighing <=44 kg: 4 tablets daily. Patients weighing 45-54 kg: 5 tablets"
            " daily. It may not suit children under the age of 15."
        ),
        "people",
    ),
    (
        "dialysis-row-for-a-clearance",
        "zolumycin dose with CrCl 22 mL/min",
        label(
            "Creatinine clearance (mL/min): Patients on dialysis; Dose: 250 mg daily",
            statement_kind="row",
        ),
        "people",
    ),
    (
        "row-of-another-creatinine",
        "zolumycin dose, creatinine 3 mg/dL",
        label("Serum creatinine: 1.4 - 1.6; Percent of dose: 65", statement_kind="row"),
        "people",
    ),
    (
        "a-disease-that-is-not-meant",
        "zolumycin dose for arthritis, not malaria",
        label("In malaria give 800 mg of zolumycin."),
        "indication",
    ),
    (
        "dialysis-for-a-clearance-though-it-names-clearance",
        "zolumycin dose with CrCl 22 mL/min",
        label("Patients on hemodialysis get 150 mg by their creatinine clearance."),
        "people",
    ),
    ("animal-asked", "zolumycin dose for dogs", label("300 mg daily."), "people"),
    (
        "child-gets-no-adult-dose",
        "zolumycin dose for a 6-year-old",
        statement("Adults: zolumycin 300 mg daily."),
        "people",
    ),
    (
        "child-gets-no-dose-without-people",
        "zolumycin dose in children",
        label("The usual dose is 300 mg daily."),
        "people",
    ),
    (
        "child-of-another-weight",
        "zolumycin dose for a 20 kg child",
        statement("Weight: 30 kg and more; Zolumycin: 300 mg daily"),
        "people",
    ),
    (
        "infant-below-the-age",
        "zolumycin dose for a 3-month-old infant",
        label("Children 2 years and older: 10 mg/kg daily."),
        "people",
    ),
    (
        "adults-by-run-in-label-under-a-heading-for-both",
        "zolumycin dose in children",
        label("Infections in Adults and Children Adults: the usual dose is 300 mg once daily."),
        "people",
    ),
    (
        "newborn-gets-no-dose-of-children-in-general",
        "zolumycin dose for a premature baby",
        statement("Children: zolumycin 20 mg/kg daily."),
        "people",
    ),
    (
        "adult-gets-no-childs-dose",
        "zolumycin dose in adults",
        label("Children: 10 mg/kg daily."),
        "people",
    ),
    (
        "child-under-a-heading-for-adults",
        "zolumycin dose in children",
        label("300 mg once daily.", headings=("Dosage in adults",)),
        "people",
    ),
    (
        "kidney-of-another-interval",
        "zolumycin dose with CrCl 25 mL/min",
        label("Creatinine clearance 30 to 50 mL/min: 200 mg daily."),
        "people",
    ),
    (
        "kidney-not-said",
        "zolumycin dose with CrCl 25 mL/min",
        label("Adults: 300 mg every 12 hours."),
        "people",
    ),
    (
        "milder-kidney-impairment",
        "zolumycin dose with CrCl 25 mL/min",
        label("Mild to moderate renal impairment: no change of the dose of 300 mg daily."),
        "people",
    ),
    (
        "severe-asked-by-word",
        "zolumycin dose in severe renal impairment",
        label("Creatinine clearance 30 to 60 mL/min: 200 mg daily."),
        "people",
    ),
    (
        "milder-liver-impairment",
        "zolumycin dose in severe hepatic impairment",
        label("No change of dose in mild or moderate hepatic impairment."),
        "people",
    ),
    (
        "liver-by-child-pugh",
        "zolumycin dose in Child-Pugh C cirrhosis",
        label("Child-Pugh A or B: 200 mg daily."),
        "people",
    ),
    (
        "kidney-is-not-liver",
        "zolumycin dose in renal failure",
        label("In hepatic impairment give 150 mg daily."),
        "people",
    ),
    (
        "normal-kidney-for-failing",
        "zolumycin dose in renal failure",
        label("Adults with normal renal function: 300 mg daily."),
        "people",
    ),
    (
        "dialysis-not-said",
        "zolumycin dose on hemodialysis",
        label("Mild renal impairment: 200 mg daily."),
        "people",
    ),
    (
        "pregnancy-not-said",
        "zolumycin dose in pregnancy",
        label("The usual dose is 300 mg daily."),
        "people",
    ),
    (
        "not-pregnant",
        "Can a pregnant woman take zolumycin?",
        statement("Non-pregnant adults may take zolumycin 300 mg daily."),
        "people",
    ),
    (
        "other-trimester",
        "zolumycin in the first trimester of pregnancy",
        label("Third trimester of pregnancy: monitor closely."),
        "people",
    ),
]
QUALIFIERS: list[tuple[str, str, IndexedStatement]] = [
    ("children", DOSE, label("Children: 10 mg/kg daily.")),
    ("child-weights", DOSE, label("Weight: 5 kg to less than 10 kg; Dose: 50 mg")),
    ("older-adults", DOSE, label("Over 60 years of age: 150 mg daily.")),
    ("kidney-impairment", DOSE, label("CrCl 15 to 30 mL/min: 150 mg daily.")),
    ("dialysis", DOSE, label("On hemodialysis: 150 mg after each session.")),
    (
        "dialysis-for-a-creatinine",
        "zolumycin dose, creatinine 3 mg/dL",
        label("The dose at the end of each dialysis is 100 mg."),
    ),
    ("pregnancy", DOSE, label("In pregnancy: 150 mg daily.")),
    ("light-adults", DOSE, label("Adults of 60 kg or less: 150 mg daily.")),
]


@pytest.mark.parametrize(
    ("question", "quoted"), [case[1:] for case in FITS], ids=[case[0] for case in FITS]
)
def test_right_statements_are_not_lost(
    question: str, quoted: IndexedStatement, drugs: DrugLexicon
) -> None:
    check_fit(question, quoted, drugs)


@pytest.mark.parametrize(
    ("question", "quoted", "slot"),
    [case[1:] for case in MISFITS],
    ids=[case[0] for case in MISFITS],
)
def test_other_statements_are_dropped_by_the_slot_that_misfits(
    question: str, quoted: IndexedStatement, slot: str, drugs: DrugLexicon
) -> None:
    check_misfit(question, quoted, slot, drugs)


@pytest.mark.parametrize(
    ("question", "quoted"), [case[1:] for case in QUALIFIERS], ids=[case[0] for case in QUALIFIERS]
)
def test_a_special_case_may_qualify_an_answer_but_not_be_it(
    question: str, quoted: IndexedStatement, drugs: DrugLexicon
) -> None:
    check_qualifier(question, quoted, drugs)


def test_whom_a_cell_on_contraindications_names_is_not_whom_the_dose_is_for(drugs) -> None:
    said = "Drug: zolumycin 200 mg daily; Contraindications: eGFR below 30 mL/min, pregnancy"
    check_fit("Zolumycin dose?", statement(said, statement_kind="row"), drugs)
    only = "Drug: zolumycin 200 mg daily; For: eGFR below 30 mL/min"
    check_qualifier("Zolumycin dose?", statement(only, statement_kind="row"), drugs)


def test_a_row_for_the_clearance_of_who_is_on_dialysis_is_theirs(drugs) -> None:
    row = statement("Glomerular filtration rate: <10 ml/min; Dose: zolumycin 500 mg every 8 hours",
                    statement_kind="row")  # fmt: skip
    check_fit("Zolumycin dose on HD with GFR 6?", row, drugs)
    check_misfit("Zolumycin dose on HD?", row, "people", drugs)
    check_misfit("Zolumycin dose with GFR 22?", row, "people", drugs)


def test_an_amount_in_brackets_for_some_leaves_the_other_for_all(drugs) -> None:
    said = (
        "Velotrib: raise zolumycin to 400 mg daily (200 mg in patients weighing less than 40 kg)."
    )
    row = label(said, group="interactions", statement_kind="row")
    for weight in (35, 70):
        check_fit(f"Zolumycin dose with velotrib, {weight} kg?", row, drugs)
    below = label("Zolumycin 200 mg (in patients weighing less than 40 kg).", group="dosage")
    check_misfit("Zolumycin dose, 70 kg?", below, "people", drugs)


def test_a_limit_below_adult_age_names_a_minor(drugs: DrugLexicon) -> None:
    said = "Adults and adolescents of 13 years and older: 5 mg of zolumycin."
    assert names_them(read_slots("Zolumycin for a 14 year old: dose?", drugs), said)
    assert not names_them(read_slots("Zolumycin for a 34 year old: dose?", drugs), said)


MILDER = label("No zolumycin dose adjustment in mild or moderate hepatic impairment.")
SEVERE = label("At most zolumycin 8 mg daily in severe hepatic impairment.")


def test_what_is_for_a_severely_ill_liver_decides_for_a_decompensated_one(drugs: DrugLexicon):
    question = "Zolumycin dose in decompensated cirrhosis?"
    check_fit(question, SEVERE, drugs)
    check_misfit(question, MILDER, "people", drugs)
    check_fit("Zolumycin dose in moderate hepatic impairment?", MILDER, drugs)
