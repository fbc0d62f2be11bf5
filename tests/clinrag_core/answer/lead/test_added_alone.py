"""One drug is not added to a regimen that fails. Invented texts."""

from __future__ import annotations

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import LABELS, label, statement

from clinrag_core.answer.lead.added_alone import added_alone, not_added_for_resistance
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
ERRORS = statement(
    "It is an error to give too little, or to add a single drug to a failing regimen."
)
SOLE = label("Zolumycin is never added as a sole agent to a failing regimen.", group="warnings")
COUNTED = statement("A drug of a failed regimen is not counted.")


def leads(question: str, *statements) -> list:
    found = added_alone(read_slots(question, DRUGS), sources_of(statements, DRUGS))
    return [one.statement for one in found]


@pytest.mark.parametrize(
    "question",
    [
        "MDR-TB regimen is failing at month 6, just add amikacin?",
        "Smear positive at 5 months on RHZE: add streptomycin?",
        "Can I add one drug to a TB regimen that failed?",
        "TB still culture positive on RH, may I add a fluoroquinolone?",
    ],
)
def test_what_is_said_against_one_more_drug_leads(question: str):
    assert leads(question, COUNTED, ERRORS) == [ERRORS]


def test_a_label_says_it_of_its_drug():
    assert leads("HIV regimen is failing. Add zolumycin?", ERRORS, SOLE) == [SOLE]


@pytest.mark.parametrize(
    "question",
    [
        "MDR-TB regimen is failing: add amikacin and linezolid?",
        "Smear positive at 2 months on RHZE: add streptomycin?",
        "Add pyridoxine to isoniazid in TB?",
        "Bacterial pneumonia, treatment is failing. Add amikacin?",
    ],
    ids=["two-drugs", "not-yet", "no-failure", "other-disease"],
)
def test_it_says_nothing_elsewhere(question: str):
    assert leads(question, ERRORS) == []


NOT_ADDED = statement(
    "In isoniazid-resistant tuberculosis it is not recommended to add streptomycin to the regimen."
)


def against(question: str) -> list:
    found = not_added_for_resistance(read_slots(question, DRUGS), sources_of([NOT_ADDED], DRUGS))
    return [one.statement for one in found]


def test_a_dose_to_add_for_a_resistance_gets_the_advice_against_adding():
    asked = "How much streptomycin should be added for isoniazid-resistant TB?"
    assert against(asked) == [NOT_ADDED]


@pytest.mark.parametrize(
    "question",
    [
        "How much streptomycin should be added for rifampicin-resistant TB?",
        "How much pyridoxine should be added for isoniazid-resistant TB?",
        "Dose of streptomycin in isoniazid-resistant TB?",
        "How much streptomycin should be added in TB?",
    ],
    ids=["other-strain", "other-drug", "not-added", "no-resistance"],
)
def test_the_advice_against_adding_says_nothing_elsewhere(question: str):
    assert against(question) == []
