"""What is said of a drug together with one of a regimen is on the regimen too; invented texts."""

from __future__ import annotations

import pytest
from fakes.statements import LABELS, statement

from clinrag_core.answer.fit.question_gate import is_fit
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Zolumycin and linezolid may both harm the nerves.", True),
        ("Zolumycin and rifampin may both harm the nerves.", False),
    ],
)
def test_a_drug_together_with_one_of_a_regimen_fits_the_regimen(said, expected):
    slots = read_slots("HIV on zolumycin, starting BPaL. Leave it?", DRUGS)
    assert is_fit(slots, statement(said), DRUGS) == expected
