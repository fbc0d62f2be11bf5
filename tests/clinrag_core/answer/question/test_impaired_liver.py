"""A liver that something else harmed is an impaired one for another drug. Invented questions."""

from __future__ import annotations

import pytest
from fakes.statements import LABELS

from clinrag_core.answer.question.impaired_liver import with_impaired_liver
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)


@pytest.mark.parametrize(
    ("question", "read"),
    [
        (
            "Zolumycin dose for a man with jaundice?",
            "Zolumycin dose for a man with hepatic impairment?",
        ),
        (
            "Zolumycin dose after drug-induced hepatitis?",
            "Zolumycin dose after hepatic impairment?",
        ),
        (
            "Jaundice, then drug-induced hepatitis: zolumycin?",
            "Hepatic impairment, then hepatic impairment: zolumycin?",
        ),
        (
            "Zolumycin dose with jaundice in decompensated cirrhosis?",
            "Zolumycin dose with severe hepatic impairment in decompensated cirrhosis?",
        ),
    ],
)
def test_harm_to_the_liver_is_an_impaired_liver_for_a_drug_of_another_field(
    question: str, read: str
) -> None:
    found = with_impaired_liver(read_slots(question, DRUGS))
    assert found.casefold() == read.casefold()


@pytest.mark.parametrize(
    "question",
    [
        "Rifampin dose for a man with jaundice?",
        "Man on rifampin with jaundice. Zolumycin dose?",
        "Zolumycin dose, ALT 200?",
        "Zolumycin dose for a man of 60?",
        "What is done in jaundice?",
    ],
)
def test_nothing_is_rewritten_for_drugs_that_may_have_done_it_or_without_harm(
    question: str,
) -> None:
    assert with_impaired_liver(read_slots(question, DRUGS)) == ""
