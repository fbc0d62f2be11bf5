"""The question gate: which statements may be quoted for a question, and which slot misfits.

Every rule is tested in both directions: a gate that drops the right statement leaves a clinician
without an answer, one that passes a wrong one shows a dose that is not theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fakes.statements import LABELS, label, statement

from clinrag_core.answer.question_gate import misfits
from clinrag_core.answer.slots import read_slots
from clinrag_core.facts.drugs import DrugLexicon

if TYPE_CHECKING:
    from clinrag_core.answer.misfit import Misfit
    from clinrag_core.model.statement import IndexedStatement


@pytest.fixture(scope="module")
def drugs() -> DrugLexicon:
    return DrugLexicon(LABELS)


DOSE = "What is the dose of zolumycin?"
FITS: list[tuple[str, str, IndexedStatement]] = [
    ("named-drug", DOSE, statement("Give zolumycin 300 mg once daily.")),
    ("label-names-no-drug", DOSE, label("The usual dose is 300 mg once daily.")),
    ("brand", "zolumax dose", label("Take 300 mg once daily.")),
    (
        "drug-in-run-in-label",
        DOSE,
        statement("300 mg once daily for six weeks.", run_in="Zolumycin:"),
    ),
    ("drug-in-heading", DOSE, statement("Give 300 mg once daily.", headings=("Zolumycin",))),
    ("drug-in-caption", DOSE, statement("Adults: 300 mg daily", caption="Doses of zolumycin")),
    (
        "own-figure-of-two",
        "dose of isoniazid",
        statement("Give isoniazid 300 mg and rifampin 600 mg every day."),
    ),
    (
        "owner-of-row",
        "dose of isoniazid",
        statement("Drug: Isoniazid; Dose: 10 mg/kg; Interactions: phenytoin, rifampin"),
    ),
    (
        "figure-before-its-drug",
        "dose of isoniazid",
        statement("600 mg of rifampin and 300 mg of isoniazid are given daily."),
    ),
    (
        "partner-does-not-own",
        DOSE,
        label("When taken with rifampin, give zolumycin 450 mg twice daily.", group="dosage"),
    ),
    (
        "combination-asked",
        "Dose of rifazol",
        label("Take two tablets daily.", "rifampin", "zolumycin"),
    ),
    (
        "combination-asked-by-parts",
        "dose of rifampin/zolumycin",
        label("Take two tablets daily.", "rifampin", "zolumycin"),
    ),
    (
        "part-named-in-combination-label",
        "Is isoniazid toxic to the liver?",
        label("Isoniazid may injure the liver.", "isoniazid", "rifampin"),
    ),
    (
        "pair-in-label-of-one",
        "velotrib with rifampin",
        label("Do not use together with rifampin.", "velotrib"),
    ),
    (
        "pair-in-label-of-other",
        "velotrib with zolumycin",
        label("Zolumycin lowers the level of velotrib.", "zolumycin"),
    ),
    (
        "partner-by-effect",
        "velotrib with rifampin",
        label("Strong CYP3A inducers are contraindicated.", "velotrib"),
    ),
    (
        "partner-by-class",
        "velotrib with rifampin",
        label("Rifamycins must not be used at the same time.", "velotrib"),
    ),
    (
        "regimen-by-letters",
        "Can pregnant women take 3HP?",
        statement("3HP is not advised during pregnancy."),
    ),
    (
        "regimen-by-drugs",
        "What is the dose of 3HP?",
        statement("Isoniazid 15 mg/kg and rifapentine 900 mg are taken once a week for latent TB."),
    ),
    ("adults-asked-and-meant", "zolumycin dose in adults", statement("Adults: zolumycin 300 mg.")),
    (
        "adults-asked-none-said",
        "zolumycin dose in adults",
        statement("Zolumycin is given at 300 mg daily."),
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
    ("route-named", "oral zolumycin dose", label("300 mg by mouth daily.")),
    ("route-by-form", "oral zolumycin dose", label("One 300 mg tablet daily.")),
    (
        "injection-by-route",
        "zolumycin injection dose",
        label("300 mg intramuscularly once daily."),
    ),
    (
        "disease-named",
        "zolumycin dose for tularemia",
        label("Tularemia: 1 g daily."),
    ),
    (
        "disease-not-said",
        "zolumycin dose for tuberculosis",
        label("The usual dose is 300 mg daily."),
    ),
    (
        "kind-of-disease",
        "zolumycin dose for pneumonia",
        label("Community-acquired pneumonia: 300 mg daily."),
    ),
    (
        "latent-by-title",
        "zolumycin dose for latent TB",
        statement("Zolumycin 300 mg daily.", document_title="Treatment of latent TB infection"),
    ),
    (
        "resistant-by-heading",
        "zolumycin dose for MDR-TB",
        statement("Zolumycin 300 mg daily.", headings=("Drug-resistant tuberculosis",)),
    ),
    (
        "weeks-of-course",
        "zolumycin dose in weeks 3 to 24",
        label("Weeks 3 to 24: 200 mg three times a week."),
    ),
    (
        "both-phases-in-one",
        "What is the loading dose of zolumycin?",
        label("Give 400 mg on the first day, then 200 mg daily."),
    ),
    (
        "no-drug-asked",
        "How long is the continuation phase of TB treatment?",
        statement("The continuation phase lasts four months."),
    ),
    (
        "class-member",
        "Which patients with TB should get corticosteroids?",
        statement("Dexamethasone is given in tuberculous meningitis."),
    ),
]


@pytest.mark.parametrize(
    ("question", "quoted"), [case[1:] for case in FITS], ids=[case[0] for case in FITS]
)
def test_right_statements_are_not_lost(
    question: str, quoted: IndexedStatement, drugs: DrugLexicon
) -> None:
    found = misfits(read_slots(question, drugs), quoted, drugs)
    assert [one for one in found if not one.is_qualifier] == []


DIRECT = {
    "partner-does-not-own",
    "both-phases-in-one",
}


@pytest.mark.parametrize(
    ("question", "quoted"),
    [case[1:] for case in FITS if case[0] not in DIRECT],
    ids=[case[0] for case in FITS if case[0] not in DIRECT],
)
def test_right_statements_may_be_the_direct_answer(
    question: str, quoted: IndexedStatement, drugs: DrugLexicon
) -> None:
    assert misfits(read_slots(question, drugs), quoted, drugs) == ()


MISFITS: list[tuple[str, str, IndexedStatement, str]] = [
    ("other-drug", DOSE, statement("Give velotrib 600 mg daily."), "subject"),
    ("nobody", DOSE, statement("Maximum dose: 600 mg"), "subject"),
    (
        "other-drug-under-the-heading",
        DOSE,
        statement("Velotrib 600 mg is added daily.", headings=("Zolumycin",)),
        "subject",
    ),
    (
        "other-drugs-figure",
        "dose of isoniazid",
        statement("Isoniazid may cause neuropathy: give pyridoxine 25 mg daily."),
        "subject",
    ),
    ("other-label", DOSE, label("Zolumycin raises the level: 50 mg daily.", "velotrib"), "subject"),
    (
        "other-label-without-figure",
        "side effects of zolumycin",
        label("Nausea is common.", "velotrib"),
        "subject",
    ),
    (
        "partners-figure",
        "dose of velotrib",
        label("Zolumycin 300 mg was given to volunteers taking velotrib.", "zolumycin"),
        "subject",
    ),
    ("animals", DOSE, label("Rats received 300 mg/kg of zolumycin."), "subject"),
    ("animal-asked", "zolumycin dose for dogs", label("300 mg daily."), "subject"),
    (
        "another-class",
        "Who gets corticosteroids in TB?",
        label("Take with food.", "velotrib"),
        "subject",
    ),
    (
        "resistance-is-no-drug",
        "dose of rifampin",
        statement("Rifampin-resistant TB: 600 mg daily."),
        "subject",
    ),
    ("regimen-of-others", "Can adults take 3HP?", statement("Rifampin is taken daily."), "subject"),
    (
        "combination-for-single",
        "dose of rifampin",
        label("Take five tablets daily.", "rifampin", "zolumycin"),
        "product",
    ),
    (
        "two-combinations-for-single",
        "dose of rifampin",
        statement("Amoxicillin-clavulanate 875 mg, or rifazol 4 tablets"),
        "product",
    ),
    (
        "combination-for-single-in-guideline",
        "dose of amoxicillin",
        statement("Amoxicillin-clavulanate 875 mg is taken twice daily."),
        "product",
    ),
    ("single-for-combination", "dose of rifazol", label("600 mg daily.", "rifampin"), "product"),
    (
        "fixed-dose-tablets",
        "dose of rifampin",
        statement("Rifampin is in the fixed-dose combination: 4 tablets daily."),
        "product",
    ),
    (
        "partner-not-named",
        "velotrib with rifampin",
        label("Take 50 mg once daily.", "velotrib"),
        "partner",
    ),
    (
        "dose-without-partner",
        "velotrib dose with rifampin",
        label("The usual dose is 50 mg once daily.", "velotrib"),
        "partner",
    ),
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
    ("other-route", "intrathecal zolumycin dose", label("300 mg intravenously daily."), "route"),
    ("route-not-said", "inhaled zolumycin dose", label("300 mg twice daily."), "route"),
    (
        "tablet-for-injection",
        "zolumycin injection dose",
        label("One 300 mg tablet daily."),
        "route",
    ),
    (
        "route-by-heading",
        "oral zolumycin dose",
        label("300 mg twice daily.", headings=("Intravenous infusion",)),
        "route",
    ),
    (
        "other-disease",
        "zolumycin dose for tuberculosis",
        label("Plague: 2 g daily in two doses."),
        "indication",
    ),
    (
        "other-disease-in-run-in-label",
        "zolumycin dose for tuberculosis",
        label("1 g twice daily for 14 days.", run_in="Tularemia:"),
        "indication",
    ),
    (
        "other-disease-in-heading",
        "zolumycin dose for malaria",
        label("400 mg daily.", headings=("Dosage", "Lupus erythematosus")),
        "indication",
    ),
    (
        "unlisted-disease",
        "zolumycin dose for sporotrichosis",
        label("Plague: 2 g daily."),
        "indication",
    ),
    (
        "hospital-pneumonia",
        "zolumycin dose for community-acquired pneumonia",
        label("Hospital-acquired pneumonia: 600 mg daily."),
        "indication",
    ),
    (
        "active-for-latent",
        "zolumycin dose for latent TB",
        statement("In active tuberculosis give zolumycin 600 mg daily."),
        "indication",
    ),
    (
        "tuberculosis-unqualified-for-latent",
        "zolumycin dose for LTBI",
        statement("Zolumycin 600 mg daily.", headings=("Treatment of tuberculosis",)),
        "indication",
    ),
    (
        "latent-for-active",
        "zolumycin dose for active TB",
        statement("Zolumycin 300 mg daily for latent tuberculosis infection."),
        "indication",
    ),
    (
        "susceptible-for-resistant",
        "zolumycin dose for MDR-TB",
        statement("Drug-susceptible TB: zolumycin 300 mg daily."),
        "indication",
    ),
    (
        "other-site",
        "How long is TB meningitis treated?",
        statement("TB of bone and joints is treated for nine months."),
        "indication",
    ),
    (
        "other-phase",
        "How long is the continuation phase of TB treatment?",
        statement("The intensive phase lasts two months."),
        "phase",
    ),
    (
        "other-weeks",
        "zolumycin dose in weeks 3 to 24",
        label("Weeks 1 to 2: 400 mg daily."),
        "phase",
    ),
    (
        "maintenance-for-loading",
        "loading dose of zolumycin",
        label("The maintenance dose is 200 mg daily."),
        "phase",
    ),
    ("overdose", DOSE, label("Doses of 20 g caused seizures.", group="overdosage"), "aspect"),
    (
        "level",
        DOSE,
        label("A dose of 500 mg gave a peak of 9 mg/L.", group="clinical_pharmacology"),
        "aspect",
    ),
    ("strength", DOSE, statement("Zolumycin is supplied as 100 mg and 300 mg tablets."), "aspect"),
]


@pytest.mark.parametrize(
    ("question", "quoted", "slot"),
    [case[1:] for case in MISFITS],
    ids=[case[0] for case in MISFITS],
)
def test_other_statements_are_dropped_by_the_slot_that_misfits(
    question: str, quoted: IndexedStatement, slot: str, drugs: DrugLexicon
) -> None:
    found = misfits(read_slots(question, drugs), quoted, drugs)
    assert slot in {one.slot for one in found if not one.is_qualifier}


QUALIFIERS: list[tuple[str, str, IndexedStatement]] = [
    ("children", DOSE, label("Children: 10 mg/kg daily.")),
    ("child-weights", DOSE, label("Weight: 5 kg to less than 10 kg; Dose: 50 mg")),
    ("older-adults", DOSE, label("Over 60 years of age: 150 mg daily.")),
    ("kidney-impairment", DOSE, label("CrCl 15 to 30 mL/min: 150 mg daily.")),
    ("dialysis", DOSE, label("On hemodialysis: 150 mg after each session.")),
    ("pregnancy", DOSE, label("In pregnancy: 150 mg daily.")),
    ("light-adults", DOSE, label("Adults of 60 kg or less: 150 mg daily.")),
    ("with-opens-the-sentence", DOSE, label("With rifampin, raise the dose to 450 mg daily.")),
    ("overdose-without-figure", DOSE, label("The dosage is stopped.", group="overdosage")),
    ("with-another-drug", DOSE, label("Coadministered with velotrib: zolumycin 100 mg daily.")),
    (
        "latent-for-tuberculosis",
        "zolumycin dose for TB",
        statement("Zolumycin 300 mg weekly for latent TB."),
    ),
    (
        "disease-of-another-field",
        DOSE,
        statement("Zolumycin 600 mg once a month.", headings=("Leprosy",)),
    ),
]


@pytest.mark.parametrize(
    ("question", "quoted"), [case[1:] for case in QUALIFIERS], ids=[case[0] for case in QUALIFIERS]
)
def test_a_special_case_may_qualify_an_answer_but_not_be_it(
    question: str, quoted: IndexedStatement, drugs: DrugLexicon
) -> None:
    found: tuple[Misfit, ...] = misfits(read_slots(question, drugs), quoted, drugs)
    assert found
    assert all(one.is_qualifier for one in found)


def test_a_treatment_dose_does_not_answer_a_question_on_prophylaxis(drugs) -> None:
    slots = read_slots("Zolumycin for prophylaxis of pneumocystis in adults", drugs)
    treatment = label("For treatment of pneumocystis pneumonia give zolumycin 20 mg/kg daily.")
    prophylaxis = label("For prophylaxis of pneumocystis give zolumycin 5 mg/kg daily.")
    assert [m.slot for m in misfits(slots, treatment, drugs)] == ["indication"]
    assert misfits(slots, prophylaxis, drugs) == ()


def test_the_dose_of_a_drug_that_no_table_knows_is_said_of_it_by_name(drugs) -> None:
    slots = read_slots("What is the dose of perfluzone?", drugs)
    assert [m.slot for m in misfits(slots, label("The dose is 30 mg daily."), drugs)] == ["subject"]
    assert misfits(slots, statement("Perfluzone is given at 600 mg daily."), drugs) == ()


def test_a_bracket_of_many_numbers_is_read_in_linear_time(drugs: DrugLexicon) -> None:
    """A nested repeat took a minute for one such sentence, and an answer with it."""
    numbers = ", ".join(map(str, range(100, 160)))
    said = f"Zolumycin 300 mg daily was studied in several trials ({numbers}; see the annex)."
    assert misfits(read_slots(DOSE, drugs), statement(said), drugs) == ()
