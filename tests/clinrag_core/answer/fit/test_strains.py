"""How common resistance to a drug is, is not said by figures on another drug. Invented texts."""

from __future__ import annotations

import pytest
from fakes.gate_checks import check_fit, check_misfit, found_misfits
from fakes.statements import LABELS, statement

from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
SHARE = "Resistance to {} was found in a tenth of strains."


@pytest.mark.parametrize(
    "question",
    [
        "How common is linezolid resistance?",
        "Prevalence of linezolid-resistant strains?",
        "What share of strains has resistance to linezolid?",
        "How many strains are linezolid non-susceptible?",
    ],
)
def test_figures_on_resistance_to_another_drug_misfit(question: str) -> None:
    check_misfit(question, statement(SHARE.format("zolumycin")), "subject", DRUGS)
    check_fit(question, statement(SHARE.format("linezolid")), DRUGS)


@pytest.mark.parametrize(
    ("question", "other"),
    [
        ("What is done in linezolid resistance?", "zolumycin"),
        ("How many days until linezolid resistance is excluded?", "zolumycin"),
        ("How common is zolumycin resistance?", "linezolid"),
        ("How common is linezolid resistance?", "any drug"),
    ],
    ids=["not-how-common", "how-many-of-something-else", "not-of-the-field", "no-drug-named"],
)
def test_only_a_question_on_how_common_it_is_needs_the_very_drug(question: str, other: str) -> None:
    found = found_misfits(question, statement(SHARE.format(other)), DRUGS)
    assert "subject" not in {one.slot for one in found}


def test_the_letters_of_a_regimen_name_drugs_that_the_strains_resist() -> None:
    """What is given for isoniazid resistance had been shown for multidrug resistance."""
    other = statement("If linezolid cannot be used, the patient may be given 6(H)REZ.")
    ratio = statement("Linezolid is used; the HR was 1.2.")
    check_misfit("Linezolid in MDR-TB?", other, "indication", DRUGS)
    check_fit("Linezolid in MDR-TB?", ratio, DRUGS)
