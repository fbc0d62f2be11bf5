"""Whose medicine a note names, how old a child is, and which tuberculosis somebody has."""

from __future__ import annotations

import pytest

from clinrag_core.notes.patient import NotePatient, read_patient
from clinrag_core.notes.summarise import NoteSummariser
from clinrag_core.settings import Settings


def of_note(settings: Settings, text: str) -> dict[str, set[str]]:
    """Return the statuses that a note's summary gives each medicine."""
    found: dict[str, set[str]] = {}
    for _, item in NoteSummariser(settings).summarise(text, with_plan=True).summary.filed():
        for one in item.medications:
            found.setdefault(one.name.lower(), set()).add(one.status)
    return found


SEEN = "Mr B, 52 years, 61 kg, pulmonary tuberculosis.\n"


@pytest.mark.parametrize(
    "text",
    [
        "Social history: his partner Ann was seen too and takes isoniazid 900 mg weekly.",
        "His partner Ann was seen by the team and takes isoniazid 900 mg weekly.",
        "Her partner is on isoniazid 300 mg daily; he is not my patient.",
        "His 4-year-old grandson is well and was started on isoniazid 160 mg daily last month.",
        "Index case: father, smear-positive; he is in week 3 of isoniazid 300 mg daily.",
        "The index patient, her niece, takes isoniazid 300 mg daily.",
        "His flatmate was treated with isoniazid 300 mg daily in May.",
        "Her roommate is taking isoniazid 300 mg daily and offered some, she did not take it.",
        "Pt's daughter takes isoniazid 300 mg daily and asks about flu.",
        "Plan:\n1. Sons to attend; her elder son is on isoniazid 300 mg od since May.",
        "Plan:\n1. Wife takes isoniazid 300 mg od, no symptoms.",
        "Plan:\n1. His grandson to continue isoniazid 160 mg daily.",
        "Plan:\n1. Father to stay on isoniazid 300 mg daily for six months.",
        "Plan:\n1. Wife to complete isoniazid 300 mg daily.",
        "Plan:\n1. Baby sister Ada (5 months, 6.8 kg, well, film clear): isoniazid 68 mg daily.",
        "Plan:\n1. Brother Tom, 7 years, 22 kg, skin test negative: isoniazid 220 mg daily.",
    ],
)
def test_the_medicine_of_a_relative_is_not_the_patients(note_settings: Settings, text: str):
    assert of_note(note_settings, SEEN + text + "\n")["isoniazid"] == {"for somebody else"}


@pytest.mark.parametrize(
    "text",
    [
        "His wife reports that he takes isoniazid 300 mg daily.",
        "His mother had tuberculosis, and he was given isoniazid 300 mg daily.",
        "His mother gives him isoniazid 300 mg daily.",
        "He lives with his partner and takes isoniazid 300 mg daily.",
        "Plan:\n1. Child to start isoniazid 120 mg daily.",
        "Plan:\n1. Mother to continue giving isoniazid 120 mg daily.",
        "Plan:\n1. Isoniazid 300 mg daily; partner to attend for screening.",
    ],
)
def test_the_medicine_of_a_patient_whose_relative_is_named_stays_theirs(
    note_settings: Settings, text: str
):
    assert "for somebody else" not in of_note(note_settings, SEEN + text + "\n")["isoniazid"]


def patient_of(settings: Settings, text: str) -> NotePatient:
    return read_patient(NoteSummariser(settings).summarise(text, with_plan=True).summary)


@pytest.mark.parametrize(
    ("text", "age"),
    [
        ("Child: Ada K., 3 years 2 months, weight 12.5 kg\n", 3),
        ("Ada, 3 yrs 2 mths, 12.5 kg\n", 3),
        ("Re: Ada Kay, 3 years and 2 months\n", 3),
        ("Clinic note\nHis 4-year-old grandson is well.\nPlan:\n1. See in a year.\n", 40),
    ],
)
def test_the_age_of_a_child_in_years_and_months_is_read(
    note_settings: Settings, text: str, age: float
):
    assert patient_of(note_settings, text).age == pytest.approx(age, abs=1)


LATENT = "Impression\nLatent TB infection, contact of drug-susceptible TB. "


@pytest.mark.parametrize(
    ("text", "is_latent"),
    [
        (f"{LATENT}Active TB excluded.\n", True),
        (f"{LATENT}No evidence of active disease.\n", True),
        (f"{LATENT}Active tuberculosis has been ruled out.\n", True),
        ("Diagnoses\n1. Pulmonary tuberculosis\n2. Latent TB treated in 2015\n", False),
        ("Impression: latent TB in 2015, now cavities.\nPlan:\n1. RHZE 4 tablets daily\n", False),
        ("Problems:\nPrevious LTBI (6H in 2015)\nPlan:\n1. Ethambutol 800 mg od\n", False),
    ],
)
def test_what_is_excluded_or_past_does_not_say_which_tuberculosis_it_is(
    note_settings: Settings, text: str, is_latent: bool
):
    assert patient_of(note_settings, text).is_latent is is_latent
