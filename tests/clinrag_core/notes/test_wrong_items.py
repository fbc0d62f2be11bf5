"""What a plan has wrong and the sources say so: each is flagged, and what is right is not."""

from __future__ import annotations

import pytest

from clinrag_core.notes.courses import courses
from clinrag_core.notes.extractive import extractive_summary
from clinrag_core.notes.other_people import other_people
from clinrag_core.notes.patient import read_patient
from clinrag_core.notes.read import read_note
from tests.fakes.note_answers import GUIDELINE, Answers, verdicts

TB = "Tuberculosis"
FLAGS = {"warns", "contradicts"}


def flagged(engine: Answers, text: str) -> set[str]:
    """Return the questions about a note that end in a warning or a contradiction."""
    return {question for question, said in verdicts(engine, text).items() if said in FLAGS}


def plan(
    line: str, before: str = "HPI: 40-year-old man.\nImpression: pulmonary tuberculosis"
) -> str:
    return f"{before}\nPlan:\n1. {line}\n"


# --- a drug at an age or in a condition, by guidelines


@pytest.mark.parametrize(
    ("said", "before", "is_flagged"),
    [
        ("Linezolid should be avoided in pregnancy.", "HPI: She is pregnant.", True),
        ("Linezolid should be avoided in pregnancy.", "HPI: 30-year-old man.", False),
        ("Avoid linezolid in pregnancy if possible.", "HPI: She is pregnant.", True),
        ("Linezolid is not contraindicated in pregnancy.", "HPI: She is pregnant.", False),
        ("Linezolid should not be used in some pregnant women.", "HPI: She is pregnant.", False),
        ("Oxazolidinones must not be given in pregnancy.", "HPI: She is pregnant.", True),
        (
            "Pyrazinamide should be avoided in pregnancy; linezolid is given.",
            "HPI: She is pregnant.",
            False,
        ),
        (
            "Pyrazinamide is not advised after harm by linezolid in pregnancy.",
            "She is pregnant.",
            False,
        ),
        ("Linezolid must not be used in children under 6 years.", "HPI: 4-year-old boy.", True),
        ("Linezolid must not be used in children under 6 years.", "HPI: 9-year-old boy.", False),
    ],
)
def test_guidelines_advise_against_a_drug_for_some_people(said: str, before: str, is_flagged: bool):
    engine = Answers((TB, GUIDELINE, said))
    note = plan("Start linezolid 600 mg daily", f"{before}\nImpression: pulmonary tuberculosis")
    found = {q for q in flagged(engine, note) if q.startswith("Is linezolid contraindicated")}
    assert bool(found) == is_flagged


def test_a_row_of_contraindications_is_of_its_drug():
    row = "Drug: Linezolid; Effects: gout; Contraindications: severe kidney failure; Cost: high"
    note = plan("Start linezolid 600 mg daily", "PMH: chronic kidney disease, gout\nImpression: TB")
    assert flagged(Answers((TB, GUIDELINE, row)), note) == {
        "Is linezolid contraindicated in patients with kidney disease?"
    }


def test_a_regimen_is_advised_against_only_where_all_of_it_is_given():
    said = "Isoniazid plus linezolid is not recommended for: Children younger than two years"
    engine = Answers((TB, GUIDELINE, said))
    before = "HPI: 14-month-old girl.\nImpression: latent tuberculosis"
    both = plan("Isoniazid 50 mg with linezolid 100 mg daily", before)
    assert flagged(engine, both) == {
        "Is isoniazid with linezolid contraindicated in patients of this age?"
    }
    assert flagged(engine, plan("Isoniazid 50 mg daily", before)) == set()


# --- somebody else


def test_what_is_planned_for_a_child_of_known_age_is_checked_for_that_child():
    engine = Answers((TB, GUIDELINE, "Linezolid must not be used in children under 6 years."))
    note = plan("Nephew aged 4: ask his doctor to start linezolid 100 mg daily")
    child = note.replace("Nephew", "Grandson")
    assert flagged(engine, child) == {"Is linezolid contraindicated in patients of this age?"}
    assert flagged(engine, child.replace("aged 4", "aged 9")) == set()


def test_a_vaccine_that_waits_for_the_end_of_a_drug_is_not_given_with_it():
    engine = Answers((TB, GUIDELINE, "BCG should then be postponed until isoniazid has ended."))
    given = plan("Newborn: isoniazid 30 mg daily, BCG on day 1 if no TB disease is found")
    asked = "Is BCG vaccination recommended for tuberculosis?"
    assert asked in flagged(engine, given)
    alone = plan("Newborn: BCG on day 1 if no TB disease is found")
    assert asked not in flagged(engine, alone)


def test_a_second_child_is_known_by_name():
    text = (
        "HPI: Lena, 7 years, and Otis, 2 years, both cough.\nPlan:\n- Otis: linezolid 50 mg daily\n"
    )
    summary = extractive_summary(read_note(text, 1_000)).summary
    assert {person.age for _, person in other_people(summary)} == {2.0}
    assert read_patient(summary).age == 7.0


# --- food, antacids, contraceptives


@pytest.mark.parametrize(
    ("line", "is_flagged"),
    [
        ("Isoniazid 300 mg daily with breakfast", True),
        ("Isoniazid 300 mg daily, one hour before breakfast", False),
        ("Isoniazid 300 mg daily", False),
        ("Take all the tablets with food; isoniazid 300 mg daily", True),
    ],
)
def test_a_drug_for_an_empty_stomach_is_not_taken_with_food(line: str, is_flagged: bool):
    engine = Answers(("isoniazid", "dosage", "Give it 1 hour before or 2 hours after a meal."))
    asked = "Does isoniazid interact with food?"
    assert (asked in flagged(engine, plan(line))) == is_flagged


def test_what_a_label_of_a_combination_says_holds_where_all_of_it_is_given():
    row = ("isoniazid+linezolid", "interactions", "Give it at least 1 hour before antacids.")
    both = "Isoniazid 300 mg and linezolid 600 mg daily, with his antacid"
    assert "Does isoniazid interact with antacids?" in flagged(Answers(row), plan(both))
    assert flagged(Answers(row), plan("Isoniazid 300 mg daily, with his antacid")) == set()
    apart = "Isoniazid 300 mg and linezolid 600 mg daily, antacid 2 hours after"
    assert flagged(Answers(row), plan(apart)) == set()


@pytest.mark.parametrize(
    ("line", "is_flagged"),
    [
        ("Contraception: continue the combined oral contraceptive", True),
        ("Change the combined oral contraceptive to condoms", False),
    ],
)
def test_a_contraceptive_in_other_words_is_one(line: str, is_flagged: bool):
    label = ("linezolid", "interactions", "Hormonal contraceptives may fail with linezolid.")
    note = plan(f"Linezolid 600 mg daily\n2. {line}")
    asked = "Does linezolid interact with hormonal contraceptives?"
    assert (asked in flagged(Answers(label), note)) == is_flagged


def test_a_medicine_that_no_table_knows_is_found_in_a_label_by_its_class():
    label = ("linezolid", "interactions", "Avoid thiazide diuretics with linezolid.")
    note = "DH: linezolid 600 mg, indapamide 2.5 mg daily\n"
    assert flagged(Answers(label), note) == {"Does linezolid interact with indapamide?"}


def test_a_medicine_that_another_one_replaces_is_not_taken_with_it():
    label = ("linezolid", "interactions", "Sertraline may add to the effect.")
    note = plan("Linezolid 600 mg daily instead of sertraline 50 mg daily")
    assert flagged(Answers(label), note) == set()


@pytest.mark.parametrize(
    ("said", "is_flagged"),
    [
        ("Linezolid induces CYP3A4.", True),
        ("Drugs that induce CYP3A4 may lower linezolid.", False),
    ],
)
def test_a_label_that_warns_of_inducers_is_not_of_one(said: str, is_flagged: bool):
    note = "DH: linezolid 600 mg, ketoconazole 200 mg daily\n"
    found = flagged(Answers(("linezolid", "interactions", said)), note)
    assert ("Does linezolid interact with ketoconazole?" in found) == is_flagged


# --- care that is left out, or comes late


@pytest.mark.parametrize(
    ("line", "said", "is_flagged"),
    [
        ("HIV test not needed.", "All patients with TB should be offered an HIV test.", True),
        ("HIV test today.", "All patients with TB should be offered an HIV test.", False),
        ("HIV test not needed.", "An HIV test is needed if lymphoma is found.", False),
        ("HIV test no longer needed.", "All patients should be offered an HIV test.", False),
        ("HIV test not needed.", "Staff should be offered an HIV test.", False),
    ],
)
def test_care_that_a_plan_leaves_out(line: str, said: str, is_flagged: bool):
    found = flagged(Answers((TB, GUIDELINE, said)), plan(line))
    assert found == ({"Is an HIV test recommended for tuberculosis?"} if is_flagged else set())


def test_care_that_is_over_is_not_supported_by_advice_to_do_it():
    engine = Answers((TB, GUIDELINE, "All patients should be offered an HIV test."))
    found = verdicts(engine, plan("HIV test no longer needed."))
    assert "supports" not in found.values()


@pytest.mark.parametrize(
    ("history", "is_flagged"),
    [("PMH: chronic kidney disease", False), ("SH: heavy alcohol use", True)],
)
def test_advice_for_people_with_a_condition_contradicts_a_plan_for_one_of_them(
    history: str, is_flagged: bool
):
    said = "Liver tests are recommended among people with liver disease; regular use of alcohol."
    note = plan("Liver tests are unnecessary.", f"{history}\nImpression: pulmonary tuberculosis")
    found = flagged(Answers((TB, GUIDELINE, said)), note)
    assert bool(found) == is_flagged


@pytest.mark.parametrize(
    ("line", "is_flagged"),
    [
        ("ECG today; next ECG at week 20", True),
        ("ECG today; next ECG at week 2", False),
        ("ECG every 3 months", True),
        ("ECG monthly", False),
    ],
)
def test_a_test_that_comes_later_or_less_often_than_a_label_asks(line: str, is_flagged: bool):
    label = (
        ("linezolid", "warnings", "Obtain an ECG at 2, 8 and 20 weeks.")
        if "week" in line
        else ("linezolid", "warnings", "Obtain an ECG every month.")
    )
    note = plan(f"Linezolid 600 mg daily\n2. {line}")
    asked = "Is an electrocardiogram recommended for tuberculosis?"
    assert (asked in flagged(Answers(label), note)) == is_flagged


# --- how long, how often, when


@pytest.mark.parametrize(
    ("text", "drugs", "days", "phase"),
    [
        ("2RHZE/4RH", 4, 61, "initial"),
        ("then isoniazid and rifampicin for 4 months", 2, 122, "continuation"),
        ("At 2 months step down to RH for a further 3/12", 2, 91, "continuation"),
        ("Isoniazid plus rifapentine once weekly for 12 doses", 2, 84, ""),
        ("Four months of daily rifampicin", 1, 122, ""),
    ],
)
def test_courses_are_read_in_words_and_in_short(text: str, drugs: int, days: int, phase: str):
    found = courses(text, Answers())[0]
    assert (len(found.drugs), round(found.low), found.phase) == (drugs, days, phase)


def test_a_length_after_at_is_no_course():
    assert courses("At 2 months isoniazid is continued", Answers()) == []


@pytest.mark.parametrize(
    ("line", "impression", "is_flagged"),
    [
        ("Then isoniazid and rifampicin for 2 months", "pulmonary tuberculosis", True),
        ("Then isoniazid and rifampicin for 4 months", "pulmonary tuberculosis", False),
        ("Then isoniazid and rifampicin for 4 months", "tuberculous meningitis", True),
        ("Then isoniazid and rifampicin for 10 months", "tuberculous meningitis", False),
        ("Isoniazid and rifampicin, review in 2 months", "pulmonary tuberculosis", False),
    ],
)
def test_a_course_of_another_length_contradicts(line: str, impression: str, is_flagged: bool):
    rows = (
        (TB, GUIDELINE, "Most patients get 2RHZE/4RH."),
        (TB, GUIDELINE, "TB meningitis is treated with 2RHZE/10RH."),
    )
    note = plan(line, f"HPI: 40-year-old man.\nImpression: {impression}")
    asked = "How long is isoniazid with rifampin given for tuberculosis?"
    assert (asked in flagged(Answers(*rows), note)) == is_flagged


@pytest.mark.parametrize(
    ("history", "is_flagged"),
    [("HIV infection, CD4 60", True), ("HIV infection, CD4 300", False), ("asthma", False)],
)
def test_treatment_as_seldom_as_a_sentence_forbids_contradicts(history: str, is_flagged: bool):
    said = "With HIV and CD4 <100, patients should not be treated with twice-weekly regimens."
    note = plan(
        "Isoniazid and rifampicin twice weekly", f"PMH: {history}\nImpression: pulmonary TB"
    )
    asked = "How often is isoniazid with rifampin given for tuberculosis?"
    assert (asked in flagged(Answers((TB, GUIDELINE, said)), note)) == is_flagged


@pytest.mark.parametrize(
    ("line", "cd4", "is_flagged"),
    [
        ("Start antiretrovirals after 12 weeks", 300, True),
        ("Start antiretrovirals on day 12", 300, False),
        ("Start antiretrovirals at week 6", 300, False),
        ("Start antiretrovirals at week 6", 20, True),
        ("Start antiretrovirals once TB treatment is finished", 300, True),
    ],
)
def test_antiretrovirals_that_start_too_late(line: str, cd4: int, is_flagged: bool):
    rows = (
        (TB, GUIDELINE, "Antiretroviral therapy starts within 8 weeks of treatment."),
        (TB, GUIDELINE, "With CD4 below 50, antiretroviral therapy starts within 2 weeks."),
    )
    note = plan(line, f"PMH: HIV infection, CD4 {cd4}\nImpression: pulmonary tuberculosis")
    asked = "When are antiretrovirals started in tuberculosis?"
    assert (asked in flagged(Answers(*rows), note)) == is_flagged


# --- weight


@pytest.mark.parametrize(
    ("mg", "is_flagged"),
    [(300, True), (450, True), (560, False), (600, False), (750, True)],
)
def test_a_dose_outside_the_range_by_weight_contradicts(mg: int, is_flagged: bool):
    row = "Isoniazid daily: 10 mg/kg (range 8-10 mg/kg), maximum 600 mg daily."
    note = plan(f"Isoniazid {mg} mg daily", "HPI: weight 70 kg.\nImpression: pulmonary TB")
    asked = "What is the dose of isoniazid in adults for tuberculosis?"
    assert (asked in flagged(Answers((TB, GUIDELINE, row)), note)) == is_flagged


def test_a_range_under_a_heading_with_its_unit_is_read():
    """Without it a single figure of another source called a dose at the end of the range wrong."""
    rows = (
        (TB, GUIDELINE, "Drug: Isoniazid; Dose in mg/kg body weight (range) - Daily: 10 (10-15)"),
        (TB, GUIDELINE, "Isoniazid: 10 mg/kg daily."),
    )
    note = plan("Isoniazid 900 mg daily", "HPI: weight 60 kg.\nImpression: pulmonary TB")
    found = verdicts(Answers(*rows), note)
    assert found["What is the dose of isoniazid in adults for tuberculosis?"] == "supports"


# --- kidney function


@pytest.mark.parametrize(
    ("line", "clearance", "is_flagged"),
    [
        ("Linezolid 600 mg twice daily", 22, True),
        ("Linezolid 300 mg once daily", 22, False),
        ("Linezolid 600 mg twice daily", 75, False),
        ("Linezolid 600 mg twice daily", 40, False),
    ],
)
def test_a_dose_above_that_for_the_clearance_of_the_patient(
    line: str, clearance: int, is_flagged: bool
):
    row = "Creatinine clearance (mL/min): 10 to 29; Dose: 300 mg every 24 hours"
    note = plan(line, f"Labs: creatinine clearance {clearance} mL/min\nImpression: pulmonary TB")
    asked = "What is the dose of linezolid with reduced kidney function?"
    assert (asked in flagged(Answers(("linezolid", "dosage", row)), note)) == is_flagged


# --- the patient


@pytest.mark.parametrize(
    ("text", "age"),
    [
        ("F 63, 68 kg. Multiple sclerosis 14 y.", 63),
        ("Re: Mrs Odele Prynne, aged 58, weight 71 kg", 58),
        ("Pt: G2P1, 27 yrs, 22/40. First child aged 5.", 27),
        ("Who: 77 M, lives alone", 77),
    ],
)
def test_the_age_of_a_patient_is_no_length_of_an_illness(text: str, age: int):
    note = f"{text}\nImpression: tuberculosis\n"
    assert read_patient(extractive_summary(read_note(note, 1_000)).summary).age == age


def test_a_clinic_for_a_disease_is_no_disease():
    text = "Lung-TB Liaison Clinic\nImpression: latent tuberculosis, no signs of active disease\n"
    assert read_patient(extractive_summary(read_note(text, 1_000)).summary).is_latent


def test_a_label_asks_for_treatment_before_its_drug():
    label = ("linezolid", "boxed_warning", "Start treatment for latent TB prior to linezolid.")
    note = plan("Start linezolid 600 mg now", "HPI: 40-year-old man.\nImpression: latent TB")
    asked = "Is linezolid contraindicated in patients with latent tuberculosis?"
    assert asked in flagged(Answers(label), note)
