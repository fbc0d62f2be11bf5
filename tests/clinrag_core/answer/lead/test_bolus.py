"""A label that forbids to give a drug all at once answers who asks for a bolus. Invented texts."""

from __future__ import annotations

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import LABELS, label

from clinrag_core.answer.lead.label_sections import bolus_forbidden
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
SLOWLY = label("Do not give zolumycin as an intravenous push or bolus.", group="dosage")
AIR = label("Do not try to push the air out of the syringe.", group="dosage")


@pytest.mark.parametrize(
    ("question", "is_led"),
    [
        ("IV bolus dose of zolumycin", True),
        ("Can zolumycin be given as IV push?", True),
        ("Zolumycin dose", False),
        ("IV bolus dose of velotrib", False),
    ],
)
def test_what_forbids_a_bolus_leads(question: str, *, is_led: bool) -> None:
    """The doses of an infusion over two hours had been shown to who asked for a bolus."""
    found = bolus_forbidden(read_slots(question, DRUGS), sources_of([AIR, SLOWLY], DRUGS))
    assert [one.statement for one in found] == ([SLOWLY] if is_led else [])
