"""What a drug is not for, what may come to a patient, courses that are too short, and statuses."""

from __future__ import annotations

import pytest

from clinrag_core.notes.extractive import extractive_summary
from clinrag_core.notes.measures import read_medications
from clinrag_core.notes.patient import read_patient
from clinrag_core.notes.plan import extractive_plan
from clinrag_core.notes.read import read_note
from tests.fakes.note_answers import GUIDELINE, Answers, verdicts

TB = "Tuberculosis"
PNEUMOCOCCAL = "HPI: 60-year-old man.\nImpression: pneumonia, {} in blood culture\nPlan:\n1. {}\n"
FLAGS = {"warns", "contradicts"}


@pytest.mark.parametrize(
    ("organism", "limit", "verdict"),
    [
        ("Streptococcus pneumoniae", "not a drug of first choice in {}", "warns"),
        ("pneumococcus", "not a drug of first choice in {}", "warns"),
        ("Haemophilus influenzae", "not a drug of first choice in {}", None),
        ("Streptococcus pneumoniae", "a drug of first choice in {}", None),
        ("Streptococcus pneumoniae", "not indicated for {} unless nothing else is left", None),
    ],
)
def test_what_a_label_says_that_its_drug_is_not_for(organism: str, limit: str, verdict: str | None):
    said = f"It is {limit.format('pneumonia due to Streptococcus pneumoniae')}."
    engine = Answers(("ciprofloxacin", "indications", said))
    text = PNEUMOCOCCAL.format(organism, "Ciprofloxacin 500 mg twice daily")
    assert verdicts(engine, text).get("Is ciprofloxacin meant for this infection?") == verdict


LATENT = "HPI: 28-year-old woman.\nImpression: latent tuberculosis infection\nPlan:\n"
NOT_PREGNANT = (TB, GUIDELINE, "Rifapentine is not recommended for pregnant women.")


@pytest.mark.parametrize(
    ("line", "is_flagged"),
    [
        ("If she becomes pregnant, continue rifapentine to the end.", True),
        ("Should she conceive, carry on with rifapentine.", True),
        ("If she becomes pregnant, stop rifapentine and ring us.", False),
        ("If she loses a tablet, continue rifapentine the next day.", False),
    ],
)
def test_what_goes_on_in_a_condition_that_may_come_is_checked_for_it(line: str, is_flagged: bool):
    found = verdicts(
        Answers(NOT_PREGNANT), f"{LATENT}1. Rifapentine 900 mg once weekly\n2. {line}\n"
    )
    question = "Is rifapentine contraindicated in patients with pregnancy?"
    assert (found.get(question) == "warns") == is_flagged


RESISTANT = "HPI: 45-year-old man.\nImpression: pulmonary tuberculosis, {}\nPlan:\n1. {}\n"


@pytest.mark.parametrize(
    ("resistance", "is_flagged"),
    [("isoniazid-resistant, rifampicin-susceptible", True), ("fully susceptible", False)],
)
def test_a_drug_is_not_added_against_the_resistance_it_is_advised_against(
    resistance: str, is_flagged: bool
):
    said = "In isoniazid-resistant tuberculosis it is not recommended to add streptomycin."
    text = RESISTANT.format(resistance, "Add streptomycin 750 mg daily")
    found = verdicts(Answers((TB, GUIDELINE, said)), text)
    question = "Is streptomycin contraindicated in patients with this drug resistance?"
    assert (question in found) == is_flagged


COURSES = (
    (TB, GUIDELINE, "Continuation phase: 4RH for pulmonary tuberculosis."),
    (TB, GUIDELINE, "TB meningitis requires a longer duration of treatment than other sites."),
)
HOW_LONG = "How long is isoniazid with rifampin given for tuberculosis?"


@pytest.mark.parametrize(
    ("site", "plan", "verdict"),
    [
        ("TB meningitis", "2RHZE/4RH", "contradicts"),
        ("TB meningitis", "2RHZE/10RH", None),
        ("pulmonary tuberculosis", "2RHZE/4RH", None),
    ],
)
def test_a_site_that_needs_longer_treatment_contradicts_the_usual_course(
    site: str, plan: str, verdict: str | None
):
    text = f"HPI: 45-year-old man.\nImpression: {site}\nPlan:\n1. {plan}\n"
    assert verdicts(Answers(*COURSES), text).get(HOW_LONG) == verdict


def test_early_antiretrovirals_in_meningitis_are_warned_of_where_advice_leaves_it_out():
    said = (
        "With a CD4 count less than 50, ART should be initiated within 2 weeks of tuberculosis "
        "treatment unless tuberculous meningitis is present."
    )
    text = "HPI: 45-year-old man with HIV, CD4 30.\nImpression: {}\nPlan:\n1. Start ART on day 9.\n"
    question = "When are antiretrovirals started in tuberculosis?"
    engine = Answers((TB, GUIDELINE, said))
    assert verdicts(engine, text.format("TB meningitis"))[question] == "warns"
    assert question not in verdicts(engine, text.format("pulmonary tuberculosis"))


@pytest.mark.parametrize(
    ("drug", "is_flagged"), [("phenytoin", True), ("amlodipine", False), ("paracetamol", False)]
)
def test_a_label_that_names_strong_inducers_names_each_of_them(drug: str, is_flagged: bool):
    rows = (
        ("bedaquiline", "interactions", "Avoid strong CYP3A4 inducers during treatment."),
        ("bedaquiline", "interactions", "Exposure is reduced with inducers of CYP3A4."),
    )
    text = (
        "HPI: 45-year-old man.\nImpression: pulmonary tuberculosis\n"
        f"Plan:\n1. Bedaquiline 400 mg daily\n2. Continue {drug} 5 mg daily\n"
    )
    found = verdicts(Answers(*rows), text)
    flagged = [q for q, v in found.items() if v in FLAGS and drug in q and "interact" in q]
    assert bool(flagged) == is_flagged


@pytest.mark.parametrize(
    ("line", "statuses"),
    [
        ("Stop amoxicillin. Doxycycline 100 mg bd", ["stopped", "planned"]),
        ("Stop: amlodipine, lisinopril", ["stopped", "stopped"]),
        ("Stop aspirin and ibuprofen", ["stopped", "stopped"]),
    ],
)
def test_what_is_stopped_ends_with_its_sentence(line: str, statuses: list[str]):
    assert [m.status for m in read_medications(line, "plan")] == statuses


def test_a_dose_in_words_is_in_the_field_of_its_medicine():
    (one,) = read_medications("carbamazepine two hundred milligrams twice a day", "medications")
    assert (one.dose, one.frequency) == ("two hundred milligrams", "twice a day")


@pytest.mark.parametrize(
    ("line", "age"),
    [
        ("ED   6 y M   wt 20 kg", 6.0),
        ("Mr J. Kay, 36, bed 12.", 36.0),
        ("Seen with wife, 50", 40.0),
    ],
)
def test_an_age_behind_a_name_or_before_a_sex_is_read(line: str, age: float):
    note = read_note(f"{line}\nPlan:\n1. Chest film\n", 1_000)
    assert read_patient(extractive_summary(note).summary).age == age


PROBLEM_LIST = """HPI: 45-year-old man.
Plan:
#1 Pulmonary tuberculosis
 a. Start linezolid 600 mg daily.
#2 Opioid dependence
 a. Methadone 50 mg daily goes on.
#3 Low sodium: check sodium daily.
"""


def test_a_numbered_problem_heads_what_is_below_it():
    note = read_note(PROBLEM_LIST, 1_000)
    plan = extractive_plan(note, extractive_summary(note).summary)
    problems = {
        one.recommendation: one.problem.text if one.problem else "" for one in plan.recommendations
    }
    assert not any(said.startswith(("#1", "#2")) for said in problems)
    of = {said: problem for said, problem in problems.items() if "ethadone" in said}
    assert all(problem.startswith("#2") for problem in of.values())
    assert next(problem for said, problem in problems.items() if "sodium" in said) == ""


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("She will start bedaquiline and linezolid", "planned"),
        ("We begin treatment tomorrow", None),
        ("She started bedaquiline in May", "started"),
    ],
)
def test_what_will_start_has_not_started(line: str, status: str | None):
    found = {m.status for m in read_medications(line, "history")}
    assert found == ({status} if status else set())
