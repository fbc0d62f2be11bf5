"""What the check of ward notes flagged wrongly, or overlooked."""

from __future__ import annotations

import pytest

from clinrag_core.facts.resistance import resists_several
from tests.fakes.note_answers import GUIDELINE, Answers, verdicts

TB = "Tuberculosis"
FLAGS = {"warns", "contradicts"}


def flagged(engine: Answers, text: str) -> set[str]:
    """Return the questions about a note that end in a warning or a contradiction."""
    return {question for question, said in verdicts(engine, text).items() if said in FLAGS}


@pytest.mark.parametrize(
    ("text", "is_resistant"),
    [
        ("RR 24, sats 99%", False),
        ("RR: 18", False),
        ("RR of 22", False),
        ("relative risk (RR = 2.1)", False),
        ("MDR-TB, RR on Xpert", True),
        ("RR-TB", True),
        ("MDR/RR-TB", True),
    ],
)
def test_a_respiratory_rate_is_no_resistance_to_rifampicin(text: str, is_resistant: bool):
    assert resists_several(text) is is_resistant


def test_a_label_may_name_the_kidneys_function_last():
    said = "Impairment of renal function (clearance under 60 mL per minute) is a contraindication."
    engine = Answers(("nitrofurantoin", "contraindications", said))
    note = "Problems: CKD, CrCl 24 mL/min\nPlan:\n1. Nitrofurantoin 100 mg bd for 5 days\n"
    asked = "Is nitrofurantoin contraindicated in patients with kidney disease?"
    assert asked in flagged(engine, note)


def test_a_section_on_drugs_that_do_not_interact_warns_of_none():
    heading = "7.4 Drugs without Clinically Significant Interactions"
    engine = Answers(
        ("sofosbuvir", f"interactions:{heading}", "Sofosbuvir: tacrolimus, methadone.")
    )
    note = "Meds: tacrolimus 1 mg bd\nPlan:\n1. Start sofosbuvir 400 mg od\n"
    assert not flagged(engine, note)


ROW = "Isoniazid is contraindicated in known hypersensitivity."


@pytest.mark.parametrize(
    "line",
    [
        "Allergies: co-trimoxazole - Stevens-Johnson 2020",
        "Vancomycin d/c for hypersensitivity rash",
    ],
)
def test_a_reaction_to_one_drug_is_no_condition_that_another_warns_of(line: str):
    engine = Answers(
        (TB, GUIDELINE, ROW), ("sildenafil", "warnings", "Avoid it in patients with a rash.")
    )
    note = (
        f"{line}\nImpression: pulmonary tuberculosis\nPlan:\n1. Isoniazid 300 mg od\n"
        "2. Sildenafil 20 mg tds\n"
    )
    assert not {one for one in flagged(engine, note) if "hypersens" in one or "rash" in one}


@pytest.mark.parametrize(
    "said",
    [
        "Concerns about resistance to isoniazid should not be a barrier to its use.",
        "Staff with HIV should be offered isoniazid and should not be deployed in such wards.",
        "Isoniazid should not be delayed or interrupted.",
    ],
)
def test_what_should_not_hinder_a_drug_does_not_forbid_it(said: str):
    engine = Answers((TB, GUIDELINE, said))
    note = "Impression: latent tuberculosis infection\nPlan:\n1. Carry on with isoniazid\n"
    assert not flagged(engine, note)


PHASES = "Pulmonary tuberculosis of adults is treated with 2RHZE/4RH."


@pytest.mark.parametrize(("months", "is_wrong"), [(2, True), (4, False)])
def test_a_phase_without_its_drugs_has_those_of_the_note(months: int, is_wrong: bool):
    engine = Answers((TB, GUIDELINE, PHASES), ("rifampin", "warnings", "Take it fasting."))
    note = (
        "Impression: pulmonary tuberculosis\nPlan:\n"
        "1. Switched today to rifampicin 600 mg and isoniazid 300 mg daily.\n"
        f"2. The continuation phase will last {months} months.\n"
    )
    found = {one for one in flagged(engine, note) if one.startswith("How long")}
    assert bool(found) is is_wrong


def test_a_drug_of_a_regimen_by_its_letters_is_given_after_another_regimen_ends():
    advice = "Pyridoxine should be given for as long as the patient is on isoniazid."
    engine = Answers((TB, GUIDELINE, advice))
    note = (
        "Impression: pulmonary tuberculosis\nPlan:\n"
        "1. RHZE finished; switched today to RH (150/75) four tablets daily.\n"
        "2. Stop pyridoxine now that the intensive phase is over.\n"
    )
    assert "Is pyridoxine recommended for tuberculosis?" in flagged(engine, note)


def test_drugs_that_lengthen_the_qt_interval_add_up_with_telavancin():
    said = "QTc prolongation: use with caution with drugs that prolong the QT interval."
    engine = Answers(("telavancin", "warnings", said))
    note = "Plan:\n1. Continue telavancin 740 mg od\n2. Clarithromycin 500 mg bd add\n"
    assert any("telavancin" in q and "clarithromycin" in q for q in flagged(engine, note))


def test_the_age_in_brackets_of_a_relative_is_that_of_a_caution():
    said = "Rifapentine is not recommended for children younger than two years."
    engine = Answers((TB, GUIDELINE, said), ("rifapentine", "warnings", "Take it with food."))
    note = (
        "Child: Ada, 4 years, 15 kg\nImpression: latent tuberculosis infection\nPlan:\n"
        "1. Baby sister Bea (5 months, 6.8 kg, well): rifapentine 300 mg weekly.\n"
    )
    assert "Is rifapentine contraindicated in patients of this age?" in flagged(engine, note)


def test_a_warning_for_children_is_none_for_an_adult():
    said = "In pediatric patients 2 years or older, avoid it in patients with eGFR under 30 mL/min."
    engine = Answers(("apixaban", "warnings", said))
    note = "HPI: 83-year-old woman, CKD, eGFR 27.\nPlan:\n1. Apixaban 2.5 mg bd continues\n"
    assert not flagged(engine, note)


@pytest.mark.parametrize("said", ["hold off, recheck in 2 months", "not for now"])
def test_care_that_a_plan_puts_off_is_left_out(said: str):
    advice = "All patients on isoniazid should receive pyridoxine 25 mg daily."
    engine = Answers((TB, GUIDELINE, advice))
    note = (
        "Impression: pulmonary tuberculosis\nPlan:\n1. Isoniazid 300 mg od\n"
        f"2. Vitamin B6: {said}.\n"
    )
    assert "Is pyridoxine recommended for tuberculosis?" in flagged(engine, note)


@pytest.mark.parametrize("who", ["daughter treated with RHZ as a girl", "treated in 1998 with RHZ"])
def test_a_regimen_of_a_relative_or_of_long_ago_is_not_taken_now(who: str):
    engine = Answers(("apixaban", "interactions", "Avoid it with rifampin."))
    note = f"Plan:\n1. ?TB - {who}; send sputum\n2. Apixaban 2.5 mg bd continues\n"
    assert not flagged(engine, note)


@pytest.mark.parametrize(
    ("line", "is_warned"),
    [
        ("Long QT - ECG this am QTc 498. Start ondansetron 4 mg tds.", True),
        ("Repeat ECG, stop if QTc 500. Start ondansetron 4 mg tds.", False),
    ],
)
def test_a_result_in_an_item_of_a_plan_is_what_the_patient_has(line: str, is_warned: bool):
    said = "Avoid it in patients with congenital long QT syndrome or QT prolongation."
    engine = Answers(("ondansetron", "warnings", said))
    asked = "Is ondansetron contraindicated in patients with qt prolongation?"
    assert (asked in flagged(engine, f"Plan:\n1. {line}\n2. Bloods daily\n")) is is_warned


@pytest.mark.parametrize(("months", "is_wrong"), [(2, True), (4, False)])
def test_phases_of_a_regimen_may_be_joined_in_words(months: int, is_wrong: bool):
    engine = Answers((TB, GUIDELINE, PHASES), ("rifampin", "warnings", "Take it fasting."))
    note = f"Impression: pulmonary tuberculosis\nPlan:\n1. 2 RHZE then {months} RH.\n"
    assert any(one.startswith("How long") for one in flagged(engine, note)) is is_wrong


def test_a_brand_of_a_contraceptive_is_one():
    said = "Rifampin makes oral contraceptives less reliable; add a barrier method."
    engine = Answers(("rifampin", "interactions", said))
    note = (
        "Impression: latent tuberculosis infection\nPlan:\n1. Rifampicin 600 mg daily\n"
        "2. Microgynon will remain effective.\n"
    )
    assert "Does rifampin interact with hormonal contraceptives?" in flagged(engine, note)
