"""What a label says of its drug with the one that it is taken with. Invented texts."""

from __future__ import annotations

import pytest
from fakes.statements import LABELS, label

from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.rank.of_drug import changes_with_partner, only_recommends, raises_risk
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
def test_the_dose_of_a_pair_is_no_mere_advice_to_change_it(said: str, *, changes: bool):
    """ "A decrease is recommended" had hidden the 25 mg of the same label."""
    slots = read_slots("Zolumycin with rifampin", DRUGS)
    assert changes_with_partner(slots, statement_slots(label(said), DRUGS)) == changes


@pytest.mark.parametrize(
    ("question", "said", "raises", "is_passed"),
    [
        (
            "Serious risks of zolumycin in the elderly",
            "The risk is higher over 60 years.",
            True,
            False,
        ),
        (
            "Serious risks of zolumycin in the elderly",
            "No overall difference was seen.",
            False,
            True,
        ),
        ("Serious risks of zolumycin", "The risk is higher over 60 years.", False, False),
        ("Dose of zolumycin in the elderly", "The risk is higher over 60 years.", False, False),
        (
            "Serious risks of zolumycin in children",
            "The risk is higher over 60 years.",
            False,
            False,
        ),
    ],
)
def test_what_raises_the_risk_of_the_very_people_leads(
    question: str, said: str, *, raises: bool, is_passed: bool
):
    """ "No overall differences in the elderly" had led, and the ruptured tendons were left out."""
    slots, own = read_slots(question, DRUGS), statement_slots(label(said), DRUGS)
    assert raises_risk(slots, own) == raises
    assert only_recommends(slots, own) == is_passed
