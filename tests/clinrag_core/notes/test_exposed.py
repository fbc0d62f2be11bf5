"""Preventive treatment and the resistance of its source, choices of a plan, classes of labels."""

from __future__ import annotations

import pytest

from tests.fakes.note_answers import GUIDELINE, Answers, verdicts

TB = "Tuberculosis"
FLAGS = {"warns", "contradicts"}
FOR_EXPOSED = "Four months of rifampin are for people exposed to isoniazid-resistant disease."


def flagged(engine: Answers, text: str) -> set[str]:
    """Return the questions about a note that end in a warning or a contradiction."""
    return {question for question, said in verdicts(engine, text).items() if said in FLAGS}


@pytest.mark.parametrize(
    ("strain", "drug", "is_flagged"),
    [
        ("Line probe: isoniazid resistance.", "isoniazid 150 mg daily", True),
        ("The isolate is resistant to isoniazid.", "isoniazid 150 mg daily", True),
        ("Line probe: no isoniazid resistance.", "isoniazid 150 mg daily", False),
        ("Line probe: isoniazid resistance.", "rifampicin 200 mg daily", False),
    ],
)
def test_a_contact_gets_no_drug_that_the_strain_resists(strain: str, drug: str, is_flagged: bool):
    engine = Answers((TB, GUIDELINE, FOR_EXPOSED))
    note = (
        f"HPI: 40-year-old man with pulmonary tuberculosis. {strain} His daughter, aged 4, is well."
        f"\nImpression: pulmonary tuberculosis\nPlan:\n1. For the daughter, {drug} as a contact\n"
        "2. Sputum monthly\n"
    )
    asked = "Is isoniazid recommended for contacts of isoniazid-resistant disease?"
    assert (asked in flagged(engine, note)) == is_flagged


def test_the_choice_of_a_plan_is_checked_against_what_is_taken():
    said = "Rifampin is contraindicated with ritonavir."
    engine = Answers(("rifampin", "interactions", said))
    note = (
        "HPI: 40-year-old woman on ritonavir 100 mg daily.\nImpression: latent tuberculosis\n"
        "Plan:\n1. Isoniazid 300 mg daily\n"
        "2. Should that not suit her then rifampicin 600 mg daily is the alternative\n"
    )
    assert any("rifampin" in q and "ritonavir" in q for q in flagged(engine, note))


def test_a_label_names_nitrates_by_their_class():
    said = "Sildenafil is contraindicated with organic nitrates in any form."
    engine = Answers(("sildenafil", "contraindications", said))
    note = (
        "HPI: 70-year-old man with pneumonia.\nImpression: pneumonia\nPlan:\n"
        "1. Isosorbide mononitrate 60 mg daily continues\n2. Sildenafil 50 mg may be restarted\n"
    )
    assert any("sildenafil" in q and "isosorbide" in q for q in flagged(engine, note))


def test_resistance_that_a_test_did_not_find_is_none():
    said = (
        "In rifampicin-susceptible, isoniazid-resistant tuberculosis it is not recommended to add "
        "streptomycin."
    )
    engine = Answers((TB, GUIDELINE, said))
    note = (
        "HPI: 40-year-old man. Xpert: no rifampicin resistance. Line probe: isoniazid resistance.\n"
        "Impression: isoniazid-resistant pulmonary tuberculosis\nPlan:\n"
        "1. Streptomycin 1 g daily\n"
    )
    assert any("streptomycin" in question for question in flagged(engine, note))
