"""A very heavy patient's dose comes with the weight it is worked out by. Invented texts."""

from __future__ import annotations

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import LABELS, label

from clinrag_core.answer.lead.heavy_patients import weight_to_dose_by
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
LEAN = label("The dose of zolumycin in obese patients is based on lean body mass.", group="dosage")
RISK = label("Obesity is a risk factor for hepatitis.", group="warnings")
KNOWN = label("Zolumycin 3 mg/kg daily is given.", group="dosage")


@pytest.mark.parametrize(
    ("question", "is_shown"),
    [
        ("Zolumycin dose at 35 stone?", True),
        ("Zolumycin dose for a man of 150 kg?", True),
        ("Zolumycin dose for an obese man?", True),
        ("Zolumycin dose, BMI 41?", True),
        ("Zolumycin dose for a man of 70 kg?", False),
        ("Zolumycin dose, BMI 22?", False),
        ("Zolumycin dose?", False),
        ("Side effects of zolumycin in obesity?", False),
        ("Velotrib dose for a man of 150 kg?", False),
    ],
)
def test_the_weight_a_dose_is_for_is_shown_to_the_heavy(question: str, *, is_shown: bool) -> None:
    """Milligrams per kilogram had been shown for 222 kg without the word on lean body mass."""
    found = weight_to_dose_by(read_slots(question, DRUGS), sources_of([RISK, KNOWN, LEAN], DRUGS))
    assert [one.statement for one in found] == ([LEAN] if is_shown else [])
