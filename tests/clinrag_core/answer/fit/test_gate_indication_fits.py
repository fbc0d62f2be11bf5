"""The question gate keeps the right statements on route, disease, resistance, phase and aspect.

The statements that it drops are in `test_gate_indication`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fakes.gate_checks import check_fit
from fakes.statements import LABELS, label, statement

from clinrag_core.answer.fit.question_gate import is_fit, misfits
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
        "what-a-negative-test-for-tuberculosis-may-be",
        "TB suspected, smear positive, PCR negative twice. What do I call it?",
        statement("Smear positive and PCR negative twice is presumed to be NTM."),
    ),
    (
        "dose-of-what-is-available-under-a-permit",
        "What is the dose of zolumycin at 70 kg?",
        statement("Available under a permit – Drug: Zolumycin 600 mg IV x 1 from 65 to 90 kg"),
    ),
    (
        "what-to-do-with-and-without-resistance",
        "TB patient is back after 10 weeks, Xpert positive, no rifampicin resistance. Start over?",
        statement(
            "Xpert positive: if rifampicin resistance detected, treat as MDR-TB; if rifampicin "
            "resistance not detected, restart first-line TB treatment."
        ),
    ),
    (
        "what-is-for-resistance-to-rifampin-where-it-is-asked-about",
        "Isoniazid-resistant TB: is bedaquiline given for six months?",
        statement("Bedaquiline is given for six months."),
    ),
    (
        "pneumonia-where-tuberculosis-is-possible",
        "A fluoroquinolone for CAP if TB is possible?",
        statement("Fluoroquinolones alone for pneumonia delay the treatment of tuberculosis."),
    ),
    (
        "no-isolation-is-how-long-it-takes",
        "How long does someone with latent TB need isolation?",
        statement("People with latent TB infection do not require isolation."),
    ),
    (
        "a-respirator-for-staff",
        "Is a surgical mask enough for nurses of smear-positive TB patients?",
        statement("In wards for TB health workers should wear particulate respirators."),
    ),
    (
        "a-film-again",
        "How often is the chest x-ray repeated after LTBI treatment?",
        statement("After latent TB repeat chest radiographs are not advised."),
    ),
    (
        "tests-of-the-liver-before",
        "Who needs baseline LFTs before LTBI treatment?",
        statement("Before latent TB is treated, bilirubin is measured in those who drink."),
    ),
    (
        "a-mask-for-patients",
        "Should TB patients wear a mask in the waiting room?",
        statement("Give a face mask to people with TB who cough."),
    ),
    (
        "a-dose-beside-the-other-drug-taken",
        "Pt already on rifampin. She's 60 kg on oral zolumycin, what maintenance dose?",
        label("Zolumycin with rifampin: 400 mg by mouth every 12 hours as maintenance."),
    ),
    (
        "months-of-both-regimens",
        "How many months is the longer MDR-TB regimen?",
        statement("The shorter MDR-TB regimen takes 10 months, longer regimens take 19 months."),
    ),
    (
        "how-it-is-stored",
        "How is zolumycin stored?",
        label("Protect it from light."),
    ),
    (
        "the-heart-s-rhythm",
        "Does zolumycin prolong QT?",
        label("Zolumycin has no effect on the QTc."),
    ),
    (
        "enzymes-it-inhibits",
        "Is zolumycin an inhibitor of CYP enzymes?",
        label("Zolumycin blocks CYP2D6."),
    ),
    (
        "when-to-stop",
        "When should zolumycin be stopped?",
        label("If a seizure occurs, discontinue zolumycin."),
    ),
    (
        "before-a-meal",
        "Should zolumycin be taken with food?",
        label("Take zolumycin one hour before a meal."),
    ),
    (
        "a-loading-dose",
        "Loading dose of zolumycin?",
        label("Zolumycin 400 mg on the first day, then 100 mg daily."),
    ),
    (
        "the-liver",
        "Does zolumycin cause hepatitis?",
        label("Zolumycin may raise liver enzymes."),
    ),
    (
        "dialysis",
        "Is zolumycin dialysable?",
        label("Hemodialysis removes little of zolumycin."),
    ),
    (
        "a-dose-with-a-drug-that-is-named-as-well",
        "zolumycin dose adjustments with antivirals: velotrib, rifampin",
        label("Zolumycin 150 mg daily when it is administered to patients taking velotrib."),
    ),
    (
        "both-kinds-of-leprosy",
        "Paucibacillary leprosy: how many months?",
        statement("PB patients get two drugs for 6 months, MB patients three for 12 months."),
    ),
    (
        "an-antidote-after-an-overdose",
        "Overdose of rifampin with fits: how much zolumycin?",
        statement("After an overdose of rifampin, zolumycin 5 g is given once."),
    ),
    (
        "how-it-is-swallowed",
        "Can zolumycin tablets be swallowed crushed?",
        label("Take 2 tablets of zolumycin daily; do not crush them."),
    ),
    (
        "how-long-where-the-dose-is-asked-as-well",
        "zolumycin for plague: dose and shortest duration?",
        label("At least 9 days of therapy are recommended."),
    ),
    (
        "duration-of-treatment-is-no-purpose",
        "zolumycin prophylaxis after knee surgery: how many days?",
        label("The recommended duration of treatment is 9 days.", headings=("Prophylaxis",)),
    ),
    (
        "preventive-treatment-is-prevention",
        "zolumycin prophylaxis of pneumocystis",
        label("Zolumycin is stopped in patients on preventive treatment of pneumocystis."),
    ),
    (
        "weeks-since-the-last-dose",
        "zolumycin injection missed, the last injection was 10 weeks ago. What now?",
        label(
            "Time since last injection: Less than or equal to 3 months; Advice: give 300 mg of"
            " zolumycin.",
            statement_kind="row",
            caption="Missed injections",
        ),
    ),
    (
        "susceptible-to-another-drug",
        "Contacts of isoniazid-resistant TB: preventive therapy?",
        statement("Contacts of isoniazid-resistant, rifampin-susceptible TB get zolumycin."),
    ),
    (
        "treated-infection-is-prevention",
        "Preventive therapy after contact with TB",
        statement("Treatment of latent TB infection lowers the risk."),
    ),
    (
        "staff-of-a-ward-have-no-stage",
        "HIV positive nurse on an MDR ward: allowed?",
        statement("HIV-positive staff get preventive therapy and do no work on such wards."),
    ),
    (
        "a-course-against-mycobacteria-is-by-mouth",
        "zolumycin by mouth in leprosy: dose?",
        statement("The regimen for leprosy is zolumycin 100 mg daily.", headings=("Leprosy",)),
    ),
    (
        "active-disease-excluded",
        "Dose of zolumycin for latent tuberculosis",
        statement(
            "Once active tuberculosis has been excluded, give zolumycin 300 mg daily.",
            headings=("Latent tuberculosis",),
        ),
    ),
    (
        "months-in-letters",
        "How long is tuberculosis of the bone treated?",
        statement("Bone tuberculosis: 2RHZE, then 10RH.", statement_kind="row"),
    ),
    (
        "route-of-the-product",
        "oral zolumycin dose",
        label("The usual dose is 300 mg every 12 hours.", routes=("oral",)),
    ),
    (
        "resistance-of-the-question",
        "regimen for rifampin-resistant TB with resistance to fluoroquinolones",
        statement("In MDR-TB that is resistant to fluoroquinolones give velotrib."),
    ),
    (
        "useless-drug-advised-against",
        "Preventive treatment of contacts of isoniazid-resistant TB",
        statement("Contacts of such patients should not be given isoniazid."),
    ),
    (
        "row-of-the-first-days",
        "What is the starting dose of zolumycin?",
        label("Days 1 and 2: 2 mg daily", statement_kind="row"),
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
        "infection-by-its-test",
        "Which test for latent TB?",
        statement("TB blood tests are preferred for people with BCG.", headings=("Tuberculosis",)),
    ),
    (
        "either-test",
        "Skin test or blood test after BCG?",
        statement("TB blood test is the preferred method after BCG."),
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
]


@pytest.mark.parametrize(
    ("question", "quoted"), [case[1:] for case in FITS], ids=[case[0] for case in FITS]
)
def test_right_statements_are_not_lost(
    question: str, quoted: IndexedStatement, drugs: DrugLexicon
) -> None:
    check_fit(question, quoted, drugs)


def test_what_is_done_without_resistance_is_not_for_resistant_disease(drugs: DrugLexicon) -> None:
    said = "If rifampicin resistance is not detected, restart first-line TB treatment."
    slots = read_slots("Patient with MDR-TB is back after 10 weeks. Start over?", drugs)
    assert misfits(slots, statement(said), drugs)


def test_what_is_done_at_the_second_occurrence_is_not_what_is_done_at_the_first(drugs) -> None:
    asked = read_slots("Second time his counts fall on zolumycin: which dose?", drugs)
    for occurrence, fits in (("first", False), ("second", True)):
        said = f"For the {occurrence} occurrence zolumycin is resumed at 10 mg."
        assert is_fit(asked, label(said, group="dosage"), drugs) == fits
