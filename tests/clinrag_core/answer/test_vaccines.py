"""A vaccine is no drug of a label: what is asked of it is answered by what names it."""

from __future__ import annotations

import pytest
from fakes.gate_checks import found_misfits
from fakes.statements import LABELS, statement

from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
BCG = statement("BCG is not given to children with HIV.")
OTHER = statement("Zolumycin is given to children in the dose of 5 mg daily.")


@pytest.mark.parametrize(
    "question",
    [
        "A newborn with HIV: what BCG dose is used, half or full?",
        "Mother has TB. When should the baby get BCG?",
        "Do we go ahead with BCG now?",
    ],
)
def test_what_is_asked_of_a_vaccine_is_answered_by_what_names_it(question: str) -> None:
    assert "aspect" in {one.slot for one in found_misfits(question, OTHER, DRUGS)}
    assert "aspect" not in {one.slot for one in found_misfits(question, BCG, DRUGS)}


def test_who_had_a_vaccine_is_not_asked_about_it() -> None:
    found = found_misfits("Which treatment for somebody who received BCG?", OTHER, DRUGS)
    assert "aspect" not in {one.slot for one in found}
