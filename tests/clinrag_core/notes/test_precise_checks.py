"""What the check of a plan must leave alone: rows of other weights, regimens, people and stages."""

from __future__ import annotations

import pytest

from clinrag_core.notes.extractive import extractive_summary
from clinrag_core.notes.patient import read_patient
from clinrag_core.notes.read import read_note
from tests.fakes.note_answers import GUIDELINE, Answers, verdicts

TB = "Tuberculosis"
FLAGS = {"warns", "contradicts"}
DOSE = "What is the dose of {} in adults for tuberculosis?"


def plan(
    line: str, before: str = "HPI: 40-year-old man.\nImpression: pulmonary tuberculosis"
) -> str:
    return f"{before}\nPlan:\n1. {line}\n"


def weighed(line: str, kilograms: int) -> str:
    return plan(line, f"HPI: weight {kilograms} kg.\nImpression: pulmonary tuberculosis")


def flagged(engine: Answers, text: str) -> set[str]:
    """Return the questions about a note that end in a warning or a contradiction."""
    return {question for question, said in verdicts(engine, text).items() if said in FLAGS}


# --- doses

BANDS = (
    "Drug (presentation): Linezolid (150, 400 mg); Weight - <30 kg: 8-12 mg/kg daily; "
    "Weight - 30-49 kg: 450 mg; Weight - 50-70 kg: 700 mg; Weight - >70 kg: 800 mg"
)


@pytest.mark.parametrize(
    ("mg", "kilograms", "verdict"),
    [
        (700, 60, "supports"),
        (450, 40, "supports"),
        (700, 40, "contradicts"),
        (600, 60, "no guideline evidence"),  # near it
        (400, 60, "contradicts"),  # what a tablet has is no dose
        (500, 25, "contradicts"),
    ],
)
def test_the_cell_of_a_row_for_the_weight_of_the_patient_decides(
    mg: int, kilograms: int, verdict: str
):
    found = verdicts(
        Answers((TB, GUIDELINE, BANDS)), weighed(f"Linezolid {mg} mg daily", kilograms)
    )
    assert found[DOSE.format("linezolid")] == verdict


def test_a_dose_that_one_source_states_is_contradicted_by_no_other():
    rows = (
        (TB, GUIDELINE, "Linezolid: 500 mg daily."),
        (TB, GUIDELINE, "Linezolid: 10 mg/kg daily, maximum 400 mg."),
    )
    found = verdicts(Answers(*rows), weighed("Linezolid 500 mg daily", 45))
    assert found[DOSE.format("linezolid")] != "contradicts"


@pytest.mark.parametrize(
    ("said", "is_flagged"),
    [
        ("High-dose isoniazid 18 mg/kg daily.", False),
        ("Isoniazid 18 mg/kg daily in MDR-TB.", False),
        ("Isoniazid 18 mg/kg daily.", True),
    ],
)
def test_a_row_of_another_regimen_contradicts_no_usual_dose(said: str, is_flagged: bool):
    rows = ((TB, GUIDELINE, said), ("rifampin", "warnings", "Take on an empty stomach."))
    note = weighed("Rifampin 600 mg and isoniazid 300 mg daily", 60)
    assert (DOSE.format("isoniazid") in flagged(Answers(*rows), note)) == is_flagged


@pytest.mark.parametrize("when", ["each morning", "every evening", "at bedtime"])
def test_a_time_of_the_day_is_once_a_day(when: str):
    row = "Isoniazid 5 mg/kg daily, maximum 300 mg."
    note = weighed(f"Isoniazid 900 mg {when}", 60)
    assert DOSE.format("isoniazid") in flagged(Answers((TB, GUIDELINE, row)), note)


@pytest.mark.parametrize(
    ("text", "age", "weight"),
    [
        ("Patient: female, 47, 61 kg.\nHPI: weight loss 9 kg.\n", 47, 61),
        ("HPI: He is 33 and weighs 58 kg. He has lost 4 kg.\n", 33, 58),
        ("HPI: woman, 29, cough. Weight fell 6 kg.\n", 29, None),
    ],
)
def test_age_and_weight_of_the_patient(text: str, age: float, weight: float | None):
    patient = read_patient(extractive_summary(read_note(text, 1_000)).summary)
    assert (patient.age, patient.weight) == (age, weight)


def test_a_drug_that_a_plan_drops_is_not_given():
    rows = ((TB, GUIDELINE, "Linezolid should not be used in children under 6 years."),)
    before = "HPI: 4-year-old girl on linezolid 50 mg daily.\nImpression: pulmonary tuberculosis"
    asked = "Is linezolid contraindicated in patients of this age?"
    engine = Answers(*rows)
    assert asked not in flagged(engine, plan("Drop linezolid; isoniazid 100 mg daily", before))
    assert asked in flagged(engine, plan("Stop linezolid if she has a rash", before))
    assert asked in flagged(engine, plan("Sore joints: stop linezolid that day", before))


# --- stages of a condition, and regimens


@pytest.mark.parametrize(
    ("said", "before", "is_flagged"),
    [
        ("Not for pregnant women in the first trimester.", "She is 22 weeks pregnant.", False),
        ("Not for pregnant women in the first trimester.", "She is 9 weeks pregnant.", True),
        ("Not for pregnant women in the first trimester.", "She is pregnant.", True),
        ("Avoid in patients with severe renal impairment.", "Chronic kidney disease.", True),
        (
            "Avoid in patients with severe renal impairment.",
            "Chronic kidney disease, CrCl 48.",
            False,
        ),
        (
            "Avoid in patients with severe renal impairment.",
            "Chronic kidney disease, CrCl 22.",
            True,
        ),
        ("Avoid in patients with hepatic impairment.", "Hepatitis C, no cirrhosis.", False),
        ("Avoid in patients with hepatic impairment.", "Hepatitis C with cirrhosis.", True),
        ("See B for use in hepatic decompensation.", "Hepatitis C, no cirrhosis.", False),
        ("Avoid in patients with hepatic failure.", "Cirrhosis, Child-Pugh A.", False),
        ("Avoid in patients with hepatic failure.", "Cirrhosis, Child-Pugh C.", True),
    ],
)
def test_a_warning_for_another_stage_is_none(said: str, before: str, is_flagged: bool):
    engine = Answers(("linezolid", "contraindications", said))
    note = plan("Linezolid 600 mg daily", f"HPI: 40-year-old woman. {before}\nImpression: TB")
    found = {q for q in flagged(engine, note) if q.startswith("Is linezolid contraindicated")}
    assert bool(found) == is_flagged


def test_what_is_said_of_nursing_is_said_of_no_child():
    said = "Linezolid is contraindicated in nursing mothers and their infants."
    engine = Answers(("linezolid", "contraindications", said))
    note = plan("Linezolid 100 mg daily", "HPI: 5-year-old boy.\nImpression: TB")
    assert not {q for q in flagged(engine, note) if "under 8" in q}


def test_a_regimen_of_latent_infection_is_none_of_disease():
    said = (
        "Isoniazid plus linezolid for latent tuberculosis infection is not recommended for "
        "patients with liver disease."
    )
    engine = Answers((TB, GUIDELINE, said))
    line = "Isoniazid 300 mg with linezolid 600 mg daily"
    asked = "Is isoniazid with linezolid contraindicated in patients with liver disease?"
    ill = plan(line, "HPI: liver disease.\nImpression: active pulmonary tuberculosis")
    latent = plan(line, "HPI: liver disease.\nImpression: latent tuberculosis, no active disease")
    assert asked in flagged(engine, latent)
    assert asked not in flagged(engine, ill)


# --- interactions


@pytest.mark.parametrize(
    ("said", "is_flagged"),
    [
        ("Do not take with isoniazid.", True),
        ("No clinically significant drug interactions are expected with isoniazid.", False),
        ("Not for use with a tablet which contains linezolid and isoniazid.", False),
    ],
)
def test_a_sentence_that_warns_of_no_partner_is_no_warning(said: str, is_flagged: bool):
    engine = Answers(("linezolid", "interactions", said))
    note = plan("Linezolid 600 mg and isoniazid 300 mg daily")
    found = {q for q in flagged(engine, note) if "interact" in q}
    assert bool(found) == is_flagged


@pytest.mark.parametrize(
    ("said", "is_flagged"),
    [
        ("RHZE 4 tablets daily", True),
        ("Stop RHZE today", False),
        ("RHZE if the film is bad", False),
    ],
)
def test_a_regimen_by_its_letters_is_its_drugs(said: str, is_flagged: bool):
    engine = Answers(("linezolid", "interactions", "Rifampin lowers linezolid."))
    found = {
        q for q in flagged(engine, plan(f"{said}\n- Linezolid 600 mg daily")) if "rifampin" in q
    }
    assert bool(found) == is_flagged


def test_a_calcium_channel_blocker_is_no_mineral():
    engine = Answers(("isoniazid", "interactions", "Calcium channel blockers: less effect."))
    note = plan("Isoniazid 300 mg daily", "HPI: takes calcium tablets.\nImpression: TB")
    assert flagged(engine, note) == set()
    minerals = Answers(("isoniazid", "interactions", "Calcium: less absorption of isoniazid."))
    assert flagged(minerals, note)


# --- several people

VISIT = """Index: Mr D., lung TB, smear 2+, at home.

Aunt, 61. Cirrhosis. Weight 70 kg.
Nephew, 7 y, 20 kg. Well. On linezolid 100 mg daily.
Sister, 30. Pregnant. Weight 62 kg. On sofosbuvir 400 mg daily.

Plan:
- aunt, isoniazid 300 mg daily, six months
- nephew, isoniazid 200 mg daily, six months
- sister, no tablets
"""


@pytest.mark.parametrize(
    ("drug", "group", "said", "asked", "is_flagged"),
    [
        ("linezolid", "contraindications", "Do not use in patients with cirrhosis.",
         "Is linezolid contraindicated in patients with liver disease?", False),
        ("isoniazid", "contraindications", "Do not use in patients with cirrhosis.",
         "Is isoniazid contraindicated in patients with liver disease?", True),
        ("linezolid", "interactions", "Do not give with isoniazid.",
         "Does isoniazid interact with linezolid?", True),
        ("sofosbuvir", "interactions", "Do not give with linezolid.",
         "Does linezolid interact with sofosbuvir?", False),
    ],
)  # fmt: skip
def test_no_warning_joins_two_people(
    drug: str, group: str, said: str, asked: str, is_flagged: bool
):
    assert (asked in flagged(Answers((drug, group, said)), VISIT)) == is_flagged


def test_a_dose_in_a_household_is_compared_with_the_weight_of_its_line():
    row = "Isoniazid for children: 10 mg/kg daily."
    engine = Answers((TB, GUIDELINE, row))
    assert not {q for q in flagged(engine, VISIT) if "dose" in q}
    assert {
        q for q in flagged(engine, VISIT.replace("isoniazid 200", "isoniazid 400")) if "dose" in q
    }


# --- what only relates


def test_of_what_relates_to_a_drug_one_finding_is_shown_and_only_where_nothing_else_is_said():
    row = (TB, GUIDELINE, "Linezolid 400 mg daily if it is not tolerated.")
    note = plan("Linezolid 500 mg daily", "HPI: gout.\nImpression: TB")
    asked = DOSE.format("linezolid")
    assert verdicts(Answers(row), note)[asked] == "no guideline evidence"
    gout = ("linezolid", "contraindications", "Acute gout.")
    assert asked not in verdicts(Answers(row, gout), note)


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("A sputum culture takes six weeks in tuberculosis.", "no guideline evidence"),
        ("If tuberculosis relapses, a sputum culture should be done.", "no guideline evidence"),
    ],
)
def test_what_only_names_care_is_not_shown(said: str, verdict: str):
    found = verdicts(Answers((TB, GUIDELINE, said)), plan("Sputum culture"))
    assert found["Is a sputum culture recommended for tuberculosis?"] == verdict
