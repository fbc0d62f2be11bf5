"""A dose of nothing in particular is not given; invented texts."""

from __future__ import annotations

import pytest
from fakes.statements import LABELS

from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.select.far import is_dose_of_nothing, is_length_of_nothing
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)


@pytest.mark.parametrize(
    ("question", "of_nothing"),
    [
        ("20 kg child, how many mg?", True),
        ("Man of 70 with a cough. Which antibiotics and doses?", True),
        ("20 kg child, how many mg of zolumycin?", False),
        ("20 kg child with TB, how many tablets?", False),
        ("20 kg child on RHZE, how many tablets?", False),
        ("What dose of a fluoroquinolone for a child?", False),
        ("How are fixed-dose combinations dosed?", False),
        ("How many months for latent infection?", False),
    ],
)
def test_a_dose_must_be_of_something(question: str, of_nothing: bool):
    assert is_dose_of_nothing(read_slots(question, DRUGS)) == of_nothing


@pytest.mark.parametrize(
    ("question", "of_nothing"),
    [
        ("How long should a defect in a roof be treated?", True),
        ("How long is TB treated?", False),
        ("How long is zolumycin given?", False),
        ("How long is a latent infection treated?", False),
        ("How much for a defect in a roof?", False),
    ],
)
def test_a_length_must_be_of_something(question: str, of_nothing: bool):
    """A defect in a roof had been answered with a latent infection."""
    assert is_length_of_nothing(read_slots(question, DRUGS)) == of_nothing
