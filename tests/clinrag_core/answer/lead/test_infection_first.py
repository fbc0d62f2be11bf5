"""A latent infection is treated before a drug that wakes it. Invented texts."""

from __future__ import annotations

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import LABELS, label

from clinrag_core.answer.lead.infection_first import infection_first
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
FIRST = label("Treat latent TB before zolumycin is given.", group="boxed_warning")
TEST = label("Test for latent TB before zolumycin is given.", group="boxed_warning")


def leads(question: str) -> list[str]:
    found = infection_first(read_slots(question, DRUGS), sources_of([TEST, FIRST], DRUGS))
    return [one.statement.said for one in found]


@pytest.mark.parametrize(
    "question",
    [
        "IGRA positive, CXR clear. OK to start zolumycin?",
        "About to begin zolumycin; TST 7 mm. Do I treat first?",
        "A man with LTBI: is it safe to start zolumycin?",
    ],
)
def test_what_is_treated_first_leads(question: str):
    assert leads(question) == [FIRST.said]


@pytest.mark.parametrize(
    "question",
    [
        "IGRA negative. OK to start zolumycin?",
        "Positive IGRA on zolumycin. How common is that?",
        "What TST size counts as positive before starting zolumycin?",
        "TST 7 mm in a man about to begin zolumycin: positive?",
        "OK to start zolumycin?",
        "IGRA positive. OK to start velotrib?",
    ],
)
def test_nothing_leads_without_infection_start_or_such_a_label(question: str):
    assert leads(question) == []
