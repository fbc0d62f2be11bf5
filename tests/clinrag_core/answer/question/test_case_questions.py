"""The questions after a patient's story are asked one by one; invented texts."""

from __future__ import annotations

import pytest
from fakes.statements import LABELS

from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.question.split import split_questions
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "A boy of 14 kg. How much zolumycin a day? A colleague wants to add velotrib - ok?",
            [
                "A boy of 14 kg. How much zolumycin a day?",
                "A boy of 14 kg. A colleague wants to add velotrib - ok?",
            ],
        ),
        (
            "Zolumycin for a boy of 10 years? And the most velotrib for dad, CrCl 25?",
            ["Zolumycin for a boy of 10 years?", "And the most velotrib for dad, CrCl 25?"],
        ),
        (
            "Man with CrCl 20. How much zolumycin? And if he falls to CrCl 10?",
            [
                "Man with CrCl 20. How much zolumycin?",
                "Man with CrCl   . How much zolumycin if he falls to CrCl 10?",
            ],
        ),
        (
            "Zolumycin - how much for a woman of 60? She forgot a dose, does she take two today?",
            [
                "Zolumycin - how much for a woman of 60?",
                "Zolumycin: She forgot a dose, does she take two today?",
            ],
        ),
        (
            "Zolumycin dose when a man is on rifampin? And when he is on velotrib instead?",
            ["Zolumycin dose when a man is on rifampin? And when he is on velotrib instead?"],
        ),
    ],
    ids=["no-word-between", "no-story", "another-figure", "what-happened", "another-partner"],
)
def test_questions_after_a_story(question: str, parts: list[str]):
    assert list(split_questions(question, DRUGS)) == parts


def test_a_regimen_in_what_is_asked_is_not_taken():
    slots = read_slots("A boy of 14 kg. How many RHZ and ethambutol tablets a day?", DRUGS)
    assert (slots.drugs, slots.partners) == ((frozenset({"ethambutol"}),), ())
    assert [code for code, _ in slots.regimens] == ["RHZ"]


def test_a_regimen_that_is_taken_is_not_asked_about():
    slots = read_slots("Adult on RHZE is starting zolumycin 50 mg. Is that enough?", DRUGS)
    assert slots.drugs == (frozenset({"zolumycin"}),)
    assert frozenset({"rifampin"}) in slots.partners
    assert slots.regimens == ()


def test_a_problem_with_a_drug_is_asked_of_it():
    slots = read_slots("Man on velotrib, plan is rifampin. Any problem with zolumycin?", DRUGS)
    assert slots.drugs == (frozenset({"zolumycin"}),)


def test_a_combination_named_by_its_parts_is_asked_about_again() -> None:
    story = "Man of 60 kg with pneumonia. "
    asked = f"{story}I would use zolumycin/velotrib - does he need rest and for how long?"
    parts = split_questions(asked, DRUGS)
    assert parts[1:] == (f"{story}Zolumycin/velotrib: for how long?",)
