"""Treatment that somebody is on anyway is not what another drug is asked for. Invented texts."""

from __future__ import annotations

import pytest
from fakes.statements import LABELS

from clinrag_core.answer.question.reasons import turning_on
from clinrag_core.answer.question.scope_question import ScopeQuestion
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)


@pytest.mark.parametrize(
    "question",
    [
        "On TB treatment, low mood: zolumycin up to 20?",
        "Dose of zolumycin while taking TB tablets?",
        "Month 3 of TB therapy: dose of zolumycin?",
        "Dose of zolumycin during her MDR-TB regimen?",
        "Dose of zolumycin in a woman with pneumonia?",
        "Dose of zolumycin in a woman with a bad chest infection?",
    ],
)
def test_a_drug_of_another_field_is_not_asked_for_the_disease_treated(question: str) -> None:
    assert read_slots(question, DRUGS).diseases == frozenset()


@pytest.mark.parametrize(
    ("question", "disease"),
    [
        ("Dose of linezolid on TB treatment?", "tuberculosis"),
        ("Dose of levofloxacin in a woman with pneumonia?", "pneumonia"),
        ("Dose of prednisolone on TB treatment?", "tuberculosis"),
        ("Dose of budesonide on TB treatment?", "tuberculosis"),
        ("Dose of zolumycin for pneumonia?", "pneumonia"),
        ("What is done with pneumonia?", "pneumonia"),
    ],
)
def test_a_drug_against_the_disease_is_asked_for_it(question: str, disease: str) -> None:
    assert read_slots(question, DRUGS).diseases == {disease}


@pytest.mark.parametrize(
    ("question", "turns_on"),
    [
        ("Can zolumycin be given with velotrib for gout?", "Can zolumycin be given with velotrib?"),
        ("Is it gout (not sepsis), zolumycin?", "Is it gout, zolumycin?"),
        ("May a pregnant woman with spinal TB have zolumycin?",
         "May a pregnant woman with TB have zolumycin?"),
        ("Dose of zolumycin in spinal TB, pregnant?", "Dose of zolumycin in spinal TB, pregnant?"),
        ("Zolumycin for gout?", "Zolumycin for gout?"),
        ("Zolumycin in decompensated cirrhosis?", "Zolumycin in cirrhosis?"),
    ],
)  # fmt: skip
def test_an_answer_turns_on_no_reason_of_a_partner_and_on_no_site(
    question: str, turns_on: str
) -> None:
    left = " ".join(turning_on(read_slots(question, DRUGS), DRUGS).split())
    assert left.replace(" ?", "?").replace(" ,", ",") == turns_on


@pytest.mark.parametrize(
    ("drug", "conditions"), [("zolumycin", []), ("linezolid", ["tuberculosis"])]
)
def test_what_treatment_is_for_is_no_condition_that_a_drug_of_another_field_is_for(
    drug: str, conditions: list[str]
) -> None:
    asked = ScopeQuestion(f"Dose of {drug} while on TB treatment?", DRUGS)
    assert [one.name for one in asked.conditions] == conditions
