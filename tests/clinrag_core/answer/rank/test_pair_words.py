"""A warning of two drugs together holds whatever either is given for; invented texts."""

from __future__ import annotations

import pytest
from fakes.statements import LABELS, label, statement

from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.rank.pair_words import warns_of_pair
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
WARNING = label("Rifampin lowers the levels of zolumycin.", group="interactions")
ALONE = label("Zolumycin lowers the heart rate.", group="interactions")
DOSE = statement("With rifampin 5 mg of zolumycin is given.")


@pytest.mark.parametrize(
    ("question", "shown", "expected"),
    [
        ("On rifampin, has gout. Can he have zolumycin?", WARNING, True),
        ("On rifampin, has gout. Can he have zolumycin?", ALONE, False),
        ("On rifampin. What is the dose of zolumycin for gout?", DOSE, False),
        ("On rifampin, has gout. Can he have zolumycin?", DOSE, False),
        ("Has gout. Can he have zolumycin?", WARNING, False),
    ],
)
def test_a_warning_names_the_drug_and_the_one_that_is_taken(question, shown, expected):
    assert warns_of_pair(read_slots(question, DRUGS), [shown], DRUGS) == expected
