"""What labels say of drugs that share an effect, of allergies, and of the course of a patient."""

from __future__ import annotations

import pytest

from clinrag_core.notes.doses import compare_doses
from clinrag_core.notes.extractive import extractive_summary
from clinrag_core.notes.patient import read_patient
from clinrag_core.notes.read import read_note
from tests.fakes.note_answers import Answers, verdicts


def patient(text: str):
    return read_patient(extractive_summary(read_note(text, 1_000)).summary)


def test_two_drugs_that_lengthen_the_qt_interval_are_warned_of():
    answers = Answers(("moxifloxacin", "warnings", "Moxifloxacin prolongs the QT interval."))
    found = verdicts(answers, "DH: methadone 60 mg daily\nPlan: moxifloxacin 400 mg daily\n")
    assert found["Does methadone interact with moxifloxacin?"] == "warns"


def test_a_long_qt_interval_is_a_reason_against_a_drug_that_lengthens_it():
    said = "Some patients have a longer QT interval."
    answers = Answers(("moxifloxacin", "warnings", said))
    found = verdicts(answers, "PMH: long QT syndrome\nDH: moxifloxacin 400 mg daily\n")
    assert found["Is moxifloxacin contraindicated in patients with qt prolongation?"] == "warns"


def test_a_drug_that_induces_enzymes_lowers_another():
    said = "Rifampin is a strong inducer of CYP3A4 and CYP2C9."
    found = verdicts(
        Answers(("rifampin", "interactions", said)),
        "DH: phenytoin 300 mg daily, ramipril 5 mg daily\nPlan: rifampin 600 mg daily\n",
    )
    assert found["Does phenytoin interact with rifampin?"] == "warns"
    assert found.get("Does ramipril interact with rifampin?") in (None, "no guideline evidence")


@pytest.mark.parametrize(
    ("drug", "said", "expected"),
    [
        ("amoxicillin", "Serious allergic reactions to any penicillin.", "warns"),
        ("levofloxacin", "Hypersensitivity to levofloxacin or another quinolone.", None),
    ],
)
def test_an_allergy_is_to_a_drug_or_its_class(drug: str, said: str, expected: str | None):
    found = verdicts(
        Answers((drug, "contraindications", said)),
        f"Allergies: penicillin\nPlan: {drug} 500 mg daily\n",
    )
    question = f"Is {drug} contraindicated in patients allergic to penicillin?"
    assert found.get(question) == expected
    assert not [q for q in found if "hypersensitivity" in q]


def test_a_label_that_says_the_disease_is_treated_with_a_drug_warns_of_nothing():
    said = "Active tuberculosis in pregnancy is treated with isoniazid."
    answers = Answers(("isoniazid", "specific_populations", said))
    found = verdicts(
        answers, "HPI: 30-year-old woman, 20 weeks pregnant\nDH: isoniazid 300 mg daily\n"
    )
    assert "warns" not in found.values()


def test_harm_to_the_unborn_is_a_reason_against_a_drug_in_pregnancy():
    said = "Streptomycin can harm the fetus."
    answers = Answers(("streptomycin", "specific_populations", said))
    text = "HPI: 30-year-old woman, 20 weeks pregnant\nDH: streptomycin 1 g daily\n"
    found = verdicts(answers, text)
    assert found["Is streptomycin contraindicated in patients with pregnancy?"] == "warns"


def test_a_contact_investigation_makes_no_infection_latent():
    text = "Assessment: Pulmonary tuberculosis.\nPlan: Contact investigation of the household.\n"
    assert not patient(text).is_latent
    assert patient("Assessment: Latent tuberculosis infection.\n").is_latent


@pytest.mark.parametrize(
    ("note", "said", "is_of"),
    [
        (
            "Assessment: Severe community-acquired pneumonia.\n",
            "Outpatients need no culture.",
            False,
        ),
        ("Assessment: Community-acquired pneumonia.\n", "Outpatients need no culture.", True),
        (
            "Assessment: Pulmonary tuberculosis.\n",
            "Latent infection needs no tests.",
            False,
        ),
        ("Weight 58 kg\nAssessment: Gout.\n", "Weight: 40 to 55 kg; Daily dose: 1,000 mg", False),
        ("Weight 58 kg\nAssessment: Gout.\n", "Weight: 56 to 75 kg; Daily dose: 1,500 mg", True),
    ],
)
def test_a_passage_is_on_the_course_of_the_patient(note: str, said: str, is_of: bool):
    assert patient(f"O/E: {note}" if note.startswith("W") else note).is_of_course([said]) is is_of


@pytest.mark.parametrize(
    ("note", "source", "verdict"),
    [
        ("1100 mg daily", "Dose in mg per kg: 15; Usual maximum per day: 1600 mg", "related"),
        ("600 mg daily", "10 mg/kg daily, at most 600 mg", "related"),
        ("200 mg daily", "200 mg daily for 4 to 7 days, followed by a taper", "supports"),
    ],
)
def test_the_most_of_a_dose_by_weight_supports_and_contradicts_nothing_below(
    note: str, source: str, verdict: str
):
    assert compare_doses(note, [(source, source)]) == verdict
