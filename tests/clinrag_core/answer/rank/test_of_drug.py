"""What a label says of its drug with the one that it is taken with. Invented texts."""

from __future__ import annotations

import pytest
from fakes.statements import LABELS, label

from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.rank.of_drug import changes_with_partner
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)


@pytest.mark.parametrize(
    ("said", "changes"),
    [
        ("With rifampin the recommended dose of zolumycin is 25 mg in 48 hours.", True),
        ("Do not exceed 25 mg of zolumycin with rifampin.", True),
        ("With rifampin increase zolumycin to 600 mg daily.", True),
        ("Rifampin raises zolumycin; a decrease in its dose is recommended.", False),
        ("The recommended dose of zolumycin is 25 mg.", False),
    ],
)
def test_the_dose_of_a_pair_is_told_from_the_advice_to_change_it(said: str, *, changes: bool):
    """ "A decrease is recommended" had hidden the 25 mg of the same label."""
    slots = read_slots("Zolumycin with rifampin", DRUGS)
    assert changes_with_partner(slots, statement_slots(label(said), DRUGS)) == changes
