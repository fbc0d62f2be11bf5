"""What a label says of an allergy to another drug leads where a question tells of one."""

from __future__ import annotations

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import LABELS, label

from clinrag_core.answer.lead.label_warnings import crossing_allergies
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.facts.drugs import DrugLexicon

INQUIRE = label("Ask for hypersensitivity to other penicillins first.", group="warnings")
CROSS = label("Cross-sensitivity among these drugs is established.", group="contraindications")
OWN = label("If an allergic reaction occurs, stop zolumycin.", group="warnings")
OTHER = label("Cross-sensitivity with rifabutin is known.", "rifampin", group="warnings")


@pytest.fixture(scope="module")
def drugs() -> DrugLexicon:
    return DrugLexicon(LABELS)


@pytest.mark.parametrize(
    ("question", "leads"),
    [
        ("49F, penicillin anaphylaxis in 2019. Is zolumycin safe?", True),
        ("Penicillin-allergic patient: zolumycin ok?", True),
        ("Hives with amoxicillin. Zolumycin?", True),
        ("Allergic to zolumycin, may I give it again?", False),
        ("Is zolumycin safe in asthma?", False),
        ("Penicillin allergy: which antibiotic?", False),
    ],
)
def test_cross_sensitivity_leads_where_another_allergy_is_told(
    question: str, leads: bool, drugs: DrugLexicon
) -> None:
    sources = sources_of([INQUIRE, CROSS, OWN, OTHER], drugs)
    found = crossing_allergies(read_slots(question, drugs), sources)
    expected = {CROSS.said, INQUIRE.said} if leads else set()
    assert {one.statement.said for one in found} == expected
