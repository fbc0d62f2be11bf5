"""What a patient takes is not what is asked: labels of others and doses misfit. Invented texts."""

from __future__ import annotations

import pytest
from fakes.gate_checks import check_fit, check_misfit
from fakes.statements import LABELS, label, statement

from clinrag_core.answer.question.slots import read_slots
from clinrag_core.facts.drugs import DrugLexicon
from clinrag_core.model.statement import IndexedStatement

DRUGS = DrugLexicon(LABELS)
STORY = "Man of 70 on velotrib for gout. He is also on zolumycin. Cough for a week"
STEROID = "Man of 60 on RHZE. What corticosteroid dose?"


def test_the_label_of_a_drug_that_a_patient_does_not_take_is_not_on_him() -> None:
    third = label("Cough was seen.", "rifampin")
    check_misfit(f"{STORY}?", third, "subject", DRUGS)
    check_fit(f"{STORY}. Which antibiotic?", third, DRUGS)


@pytest.mark.parametrize(
    "said",
    [
        label("Cough was seen."),
        label("Cough was seen.", "velotrib"),
        statement("Rifampin may cause cough."),
    ],
    ids=["taken", "taken-too", "guideline"],
)
def test_what_is_said_of_a_drug_that_a_patient_takes_is_on_him(said: IndexedStatement) -> None:
    check_fit(f"{STORY}?", said, DRUGS)


@pytest.mark.parametrize(
    "question", [STEROID, "On RHZE, corticosteroid dose?", "On RHZE: dose of corticosteroids?"]
)
def test_a_class_is_asked_about_and_not_the_regimen_that_is_taken(question: str) -> None:
    slots = read_slots(question, DRUGS)
    assert slots.regimens == ()
    assert slots.classes == {"corticosteroid"}


def test_a_regimen_whose_dose_is_asked_stays_asked_about() -> None:
    assert [code for code, _ in read_slots("On RHZE, which dose?", DRUGS).regimens] == ["RHZE"]


@pytest.mark.parametrize(
    "said",
    [
        statement("Zolumycin 300 mg is given daily."),
        label("Take 300 mg daily."),
        label("Take 600 mg daily.", "rifampin"),
    ],
    ids=["guideline", "label", "label-of-the-regimen"],
)
def test_a_dose_of_a_drug_outside_the_class_asked_about_in_a_case_misfits(
    said: IndexedStatement,
) -> None:
    check_misfit(STEROID, said, "subject", DRUGS)


def test_a_dose_of_a_drug_of_the_class_fits_a_case() -> None:
    check_fit(STEROID, label("Take 30 mg daily.", "prednisone"), DRUGS)
    check_fit(STEROID, statement("Prednisone 30 mg is given daily."), DRUGS)
