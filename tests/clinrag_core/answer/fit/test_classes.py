"""A class that only a cross reference names is not what a statement is on. Invented texts."""

from __future__ import annotations

import pytest
from fakes.gate_checks import check_fit, check_misfit
from fakes.statements import LABELS, label

from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
ASKED = "Can velotrib be given with rifampin?"


@pytest.mark.parametrize(
    "said",
    [
        "It clouds the urine [see Use with Rifamycins (7.1)].",
        "It clouds the urine (see Rifamycins (7.1)).",
    ],
)
def test_a_class_in_a_cross_reference_involves_none_of_its_drugs(said: str) -> None:
    check_misfit(ASKED, label(said, "velotrib"), "partner", DRUGS)


@pytest.mark.parametrize(
    "said",
    [
        "Rifamycins lower its level [see Clinical Pharmacology (12.3)].",
        "Rifamycins lower its level [see Use with Rifamycins (7.1)].",
    ],
)
def test_a_class_in_the_words_of_a_statement_involves_its_drugs(said: str) -> None:
    check_fit(ASKED, label(said, "velotrib"), DRUGS)
