"""Rows on other harms than asked about, and regimens with an allergen. Invented texts."""

from __future__ import annotations

import pytest
from fakes.statements import LABELS, statement

from clinrag_core.answer.fit.found import allergen_misfit, other_harm_misfit
from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
NODES = "My patient has TB, began treatment 3 weeks ago and has larger nodes. What do I do?"


@pytest.mark.parametrize(
    ("question", "said", "kind", "is_other"),
    [
        ("Can zolumycin cause haemolysis?", "Rash; Drug: zolumycin; Stop it", "row", True),
        ("Can zolumycin cause haemolysis?", "Hemolysis; Drug: zolumycin; Stop it", "row", False),
        ("Can zolumycin cause haemolysis?", "Zolumycin may cause a rash.", "sentence", False),
        ("Haemolysis on zolumycin: what now?", "Rash; Drug: zolumycin; Stop it", "row", False),
        (NODES, "Side-effects: Jaundice; Management: Stop all drugs", "row", True),
        (NODES, "Side-effects: Swollen nodes, jaundice; Management: Go on", "row", False),
        (NODES, "Patient group: Jaundice; Management: Stop all drugs", "row", False),
    ],
    ids=["other", "same", "prose", "not-whether", "other-finding", "same-finding", "no-harm"],
)
def test_a_row_on_another_harm_is_no_answer(question: str, said: str, kind: str, is_other: bool):
    own = statement_slots(statement(said, statement_kind=kind), DRUGS)
    assert (other_harm_misfit(read_slots(question, DRUGS), own) is not None) == is_other


@pytest.mark.parametrize(
    ("question", "said", "is_given"),
    [
        ("Treatment for a zolumycin-allergic adult", "Zolumycin 100 mg daily is given.", True),
        ("Treatment for a zolumycin-allergic adult", "Velotrib 100 mg daily is given.", False),
        (
            "Treatment for a zolumycin-allergic adult",
            "Zolumycin is substituted with velotrib 50 mg daily.",
            False,
        ),
        ("Treatment for an adult", "Zolumycin 100 mg daily is given.", False),
    ],
    ids=["allergen", "other", "substituted", "no-allergy"],
)
def test_what_gives_an_allergen_is_no_answer(question: str, said: str, is_given: bool):
    """A regimen with dapsone had been shown for somebody who is allergic to it."""
    own = statement_slots(statement(said), DRUGS)
    assert (allergen_misfit(read_slots(question, DRUGS), own) is not None) == is_given
