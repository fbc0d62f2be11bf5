"""Letters, dictation and short-hand: what says something is kept, what says nothing is not."""

from __future__ import annotations

import pytest

from clinrag_core.notes.extractive import extractive_summary
from clinrag_core.notes.measures import read_medications
from clinrag_core.notes.plan import extractive_plan
from clinrag_core.notes.read import read_note
from clinrag_core.notes.records import NotePlan, NoteSummary


def made(text: str) -> tuple[NoteSummary, NotePlan, list[str]]:
    """Return the summary of a note, its plan and what is in neither."""
    note = read_note(text, 5_000)
    summary, left_out = extractive_summary(note)
    return summary, extractive_plan(note, summary), [item.text for item in left_out]


def texts(text: str, section: str) -> list[str]:
    return [item.text for item in getattr(made(text)[0], section)]


def planned(text: str) -> list[str]:
    return [one.recommendation for one in made(text)[1].recommendations]


# --- whom a letter is about


@pytest.mark.parametrize(
    "said",
    [
        "Thank you for admitting this 58-year-old baker with right middle lobe pneumonia.",
        "We are grateful to you for taking back this 31-year-old woman with pleural tuberculosis.",
        "Many thanks for seeing this forty-nine-year-old porter with tuberculosis.",
    ],
)
def test_a_word_of_thanks_says_whom_a_letter_is_about(said: str):
    text = f"Dear Dr Hale,\n\n{said}\n\nPlan:\n- Send sputum today.\n"
    assert texts(text, "patient_snapshot") == [said]
    assert texts(text, "key_problems") == [said]


def test_numbers_in_words_are_read_as_figures():
    text = (
        "She is a sixty-one-year-old seamstress. Pulse is ninety-two. Viral load below fifty.\n\n"
        "Plan:\n- Rest.\n"
    )
    assert texts(text, "patient_snapshot") == ["She is a sixty-one-year-old seamstress."]
    assert texts(text, "labs_imaging") == ["Viral load below fifty."]


def test_the_fields_of_a_letterhead_say_nothing_of_the_patient():
    text = (
        "From: Valley Chest Clinic\nTo: Dr Orme, North Practice\nDate: 3 May\n"
        "Re: Ms Ada Finch, aged 52\n\nShe has coughed for a month.\n\nPlan:\n- Send sputum.\n"
    )
    summary, _, left_out = made(text)
    assert left_out == ["From: Valley Chest Clinic", "To: Dr Orme, North Practice", "Date: 3 May"]
    assert [i.text for i in summary.patient_snapshot] == ["Re: Ms Ada Finch, aged 52"]


# --- parts of a letter


def test_a_diagnosis_in_a_line_ends_with_its_paragraph():
    text = (
        "Diagnosis: lingular pneumonia. Background: gout, hypertension.\n\n"
        "Stay on the ward: two days of rigors. Temperature 39.1, pulse 112. Chest film: shadow in "
        "the lingula. She was given cefuroxime 1.5 g for three days.\n\n"
        "Plan:\n- Doxycycline 100 mg daily for 4 days.\n"
    )
    summary = made(text)[0]
    assert [i.text for i in summary.key_problems] == ["lingular pneumonia."]
    assert "Background: gout, hypertension." in [i.text for i in summary.pertinent_history]
    assert "Temperature 39.1, pulse 112." in [i.text for i in summary.objective_findings]
    assert [i.text for i in summary.assessment] == [
        "lingular pneumonia.", "Doxycycline 100 mg daily for 4 days."
    ]  # fmt: skip


def test_a_background_in_a_line_ends_with_its_paragraph():
    text = (
        "Background: asthma, psoriasis.\n\nOn arrival she was flushed, temperature 38.9, pulse 101."
        "\n\nActions\n- Stop ibuprofen.\n- Repeat film in six weeks.\n"
    )
    said = "On arrival she was flushed, temperature 38.9, pulse 101."
    assert said in texts(text, "objective_findings")
    assert said not in texts(text, "pertinent_history")


@pytest.mark.parametrize(
    "title", ["Medicines and actions", "Medication changes and next steps", "Tablets and jobs"]
)
def test_a_heading_of_medicines_and_acts_heads_a_plan(title: str):
    text = (
        f"He had pneumonia.\n\n{title}\n- Ramipril 5 mg daily continues.\n"
        "- Blood test in one week please.\n- Two sputum pots given for culture.\n"
    )
    assert len(planned(text)) == len(text.splitlines()[3:])


def test_what_a_list_of_medicines_orders_is_a_plan():
    text = (
        "Impression: pneumonia\nDischarge medications:\n- Amlodipine 5 mg daily\n"
        "- Start doxycycline 100 mg daily for five days\n- Stop simvastatin\n"
    )
    assert planned(text) == ["Start doxycycline 100 mg daily for five days", "Stop simvastatin"]
    assert "Amlodipine 5 mg daily" in texts(text, "medicines_allergies")


def test_a_label_inside_a_paragraph_names_its_section():
    text = (
        "44-year-old man. Background: hepatitis B positive since birth, gout.\n\n"
        "Plan:\n- Send sputum today.\n"
    )
    assert "Background: hepatitis B positive since birth, gout." in texts(text, "pertinent_history")


def test_on_before_a_colon_heads_the_medicines():
    text = "Results: Na 134, ALT 20.\nOn: RHZE 4 tablets daily, metformin 1 g bd.\n\nPlan: rest\n"
    assert texts(text, "medicines_allergies") == ["RHZE 4 tablets daily, metformin 1 g bd."]
    assert texts(text, "labs_imaging") == ["Na 134, ALT 20."]


# --- what a plan is


@pytest.mark.parametrize(
    "said",
    [
        "What we will do.",
        "So this is what we are now going to do.",
        "What I propose, subject to your advice, is as follows.",
        "From here on.",
    ],
)
def test_an_announcement_recommends_nothing(said: str):
    text = f"Impression: pneumonia\n\nPlan:\n{said} Amoxicillin 500 mg three times a day.\n"
    assert planned(text) == ["Amoxicillin 500 mg three times a day."]


def test_the_end_of_a_dictation_recommends_nothing():
    text = "Impression: gout\n\nPlan: Start colchicine 500 mcg bd. End of letter, copy to the ward."
    assert planned(text) == ["Start colchicine 500 mcg bd."]


def test_whom_to_bleep_and_when_is_a_recommendation():
    text = "Impression: sepsis\nPlan\n1. Fluids 500 mL.\n2. Lactate in 2 h.\n3. NBM.\n\n"
    text += "Bleep the registrar if the pulse is over 130. R/v by surgeons 0700.\n"
    last = {"Bleep the registrar if the pulse is over 130.", "R/v by surgeons 0700."}
    assert last <= set(planned(text))


@pytest.mark.parametrize(
    "line",
    [
        "Daughter aged 6 at home, screened, well, 20 kg: isoniazid 200 mg daily for six months.",
        "Has had three weeks of tablets: open the door, no respirator for visitors.",
    ],
)
def test_every_item_of_a_list_of_acts_is_one(line: str):
    text = f"Impression: pulmonary tuberculosis\n\nJobs\n1) ALT weekly.\n2) {line}\n3) Pyridoxine."
    assert line in planned(text)


# --- status


def test_what_is_not_known_is_not_negative():
    text = "HIV status not on file. Hepatitis B not yet checked.\n\nPlan: rest\n"
    found = {item.text: item.status for _, item in made(text)[0].filed()}
    assert found["HIV status not on file."] != "absent"
    assert found["Hepatitis B not yet checked."] != "absent"


def test_what_an_impression_denies_is_no_problem():
    text = "Impression: Severe hepatitis. No encephalopathy.\n\nPlan:\n- Vitamin K 10 mg.\n"
    assert texts(text, "key_problems") == ["Severe hepatitis."]


def test_what_is_done_with_a_medicine_is_said_in_its_own_sentence():
    read = read_medications("Doxycycline 100 mg bd 5/7. Continue baclofen 10 mg tds.", "plan")
    assert [m.status for m in read] == ["planned", "continued"]


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Amikacin 500 mg daily with ethambutol 800 mg daily as holding treatment.", "planned"),
        ("Start tenofovir 300 mg daily throughout the ethambutol.", "current"),
    ],
)
def test_a_medicine_beside_another_is_not_stopped_or_started(text: str, status: str):
    read = {m.name.lower(): m.status for m in read_medications(text, "plan")}
    assert read["ethambutol"] == status


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Our surgeon put her on fluconazole 200 mg daily in March.", "started"),
        ("She was given ceftriaxone 2 g daily for five days.", "finished"),
        ("He had three days of intravenous cefuroxime 1.5 g.", "finished"),
        ("He completed a course of doxycycline 100 mg.", "finished"),
    ],
)
def test_a_course_that_a_history_tells_of_is_over(text: str, status: str):
    assert [m.status for m in read_medications(text, "history")] == [status]


def test_anaphylaxis_before_a_name_is_an_allergy():
    read = read_medications("Old chart: ANAPHYLAXIS co-amoxiclav 2017.", "medications")
    assert {m.status for m in read} == {"allergy"}


# --- results and history


@pytest.mark.parametrize(
    "said",
    ["Line probe assay: isoniazid resistance (inhA).", "Xpert Ultra: trace, repeat not yet done."],
)
def test_what_follows_the_name_of_a_test_is_a_result(said: str):
    text = f"He looks thin. Pulse 96, temperature 37.9. {said} Chest clear.\n\nPlan:\n- Rest.\n"
    assert said in texts(text, "labs_imaging")


def test_how_long_somebody_has_had_a_disease_is_history():
    said = "She has been HIV positive for ten years and takes dolutegravir 50 mg daily."
    text = f"50-year-old woman. {said}\n\nPlan:\n- Rest.\n"
    assert said in texts(text, "pertinent_history")
    assert said not in texts(text, "labs_imaging")


def test_a_loss_of_weight_is_no_weight():
    text = "Carer: cough 3/52, \u2193wt 6 kg, sweats.\n\nPlan:\n- Sputum.\n"
    assert texts(text, "objective_findings") == []


def test_a_conclusion_of_a_result_is_a_problem():
    said = "The skin test is positive, so this is latent infection."
    text = f"She feels well. {said}\n\nPlan:\n- Rifampicin 600 mg daily.\n"
    assert said in texts(text, "key_problems") or said in texts(text, "assessment")


# --- forms without a heading for the plan


def test_the_last_list_of_acts_is_the_plan_where_no_heading_is_one():
    text = (
        "71F, rigors.\nBg COPD\nDx pneumonia, CURB65 3\n"
        "- cultures x2\n- levoflox 500 IV bd\n- hold digoxin\n- pred 40 od 5/7\n- r/v 1 h\n"
    )
    assert sorted(planned(text)) == [
        "cultures x2", "hold digoxin", "levoflox 500 IV bd", "pred 40 od 5/7", "r/v 1 h"
    ]  # fmt: skip
    assert texts(text, "key_problems") == ["pneumonia, CURB65 3"]


def test_a_word_of_its_own_above_acts_heads_the_plan():
    text = (
        "Patient 50 M\nSummary > cavitary TB, smear 2+.\n\nThe panel's wish\n"
        "A) linezolid down to 300 mg daily\nB) stop ondansetron\nC) ECG weekly\n"
    )
    assert len(planned(text)) == len("ABC")


def test_entries_marked_new_or_stopped_are_of_the_plan():
    text = "Impression: pneumonia\n\nTablets to take home\nDoxycycline 100 mg daily - NEW\n"
    text += "Aspirin 75 mg daily\nSimvastatin 40 mg - STOPPED\n"
    assert planned(text) == ["Doxycycline 100 mg daily - NEW", "Simvastatin 40 mg - STOPPED"]


@pytest.mark.parametrize(
    ("text", "ingredients"),
    [
        ("levoflox 500 IV bd", ("levofloxacin",)),
        ("pred 40 od", ("prednisolone",)),
        ("moxiflox resistance", ()),
        ("chest 2 weeks", ()),
    ],
)
def test_a_clipped_name_before_a_dose_is_a_medicine(text: str, ingredients: tuple[str, ...]):
    assert tuple(i for m in read_medications(text, "plan") for i in m.ingredients) == ingredients


@pytest.mark.parametrize("line", ["Hi Jo,", "Case 4 of 11", "Cheers,", "0310 AMU review"])
def test_greetings_and_places_are_no_items(line: str):
    begin, end = ("", f"\n{line}\nMax") if line == "Cheers," else (f"{line}\n\n", "")
    text = f"{begin}33-year-old man with a cough for a week.\n\nPlan:\n- Send sputum.\n{end}"
    assert line.rstrip(",") in [said.rstrip(",") for said in made(text)[2]]


def test_a_reaction_is_an_allergy():
    text = "Background: gout. Penicillin gave her wheals as a child.\n\nPlan:\n- Rest.\n"
    assert "Penicillin gave her wheals as a child." in texts(text, "medicines_allergies")


def test_what_is_not_to_be_given_is_in_the_plan():
    text = "Impression: pneumonia\nPlan:\nMother: no antibiotic while she is well.\n"
    assert planned(text) == ["Mother: no antibiotic while she is well."]


def test_a_request_is_no_condition():
    text = "Plan:\nI would be grateful if you could continue rifampicin for two months.\n"
    assert [one.confidence for one in made(text)[1].recommendations] == [1.0]


def test_a_deficiency_of_iron_is_no_iron():
    assert read_medications("Iron deficiency anaemia", "assessment") == ()
