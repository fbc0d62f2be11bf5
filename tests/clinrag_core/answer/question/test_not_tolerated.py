"""Which drugs of a question are not to be given again. Invented names."""

from __future__ import annotations

import pytest
from fakes.statements import LABELS, statement

from clinrag_core.answer.fit.question_gate import is_fit
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
Z = frozenset({"zolumycin"})


@pytest.mark.parametrize(
    ("question", "asked", "allergies"),
    [
        ("How is TB treated in an adult who cannot tolerate zolumycin?", (), (Z,)),
        ("She doesn't tolerate zolumycin. What regimen now?", (), (Z,)),
        ("Anaphylaxis to zolumycin: which regimen?", (), (Z,)),
        ("Which regimen in zolumycin intolerance?", (), (Z,)),
        ("He can't tolerate zolumycin 600 mg. Lower the dose?", (Z,), ()),
        ("He tolerates zolumycin well. Which dose?", (Z,), ()),
    ],
)
def test_what_is_not_tolerated_is_not_asked_for(question, asked, allergies):
    slots = read_slots(question, DRUGS)
    assert (slots.drugs, slots.allergies) == (asked, allergies)


@pytest.mark.parametrize(
    ("said", "is_shown"),
    [
        ("Tuberculosis is treated with zolumycin and velotrib.", False),
        ("The regimen of zolumycin and velotrib was well tolerated.", False),
        ("Velotrib is recommended for people who cannot tolerate zolumycin.", True),
        ("If zolumycin cannot be used, treat tuberculosis for 9 months.", True),
    ],
)
def test_a_regimen_with_it_is_shown_only_if_it_says_what_to_do_without(said, is_shown):
    """A regimen with the very drug had been shown to somebody who "cannot tolerate" it."""
    slots = read_slots("How is TB treated in one who cannot tolerate zolumycin?", DRUGS)
    assert is_fit(slots, statement(said), DRUGS) == is_shown
