"""Where a statement is in a note decides what it is: its block, its list, its frame."""

from __future__ import annotations

import pytest

from clinrag_core.notes.extractive import extractive_summary
from clinrag_core.notes.lists import note_lists
from clinrag_core.notes.measures import read_medications
from clinrag_core.notes.outline import outline
from clinrag_core.notes.plan import extractive_plan, problems_to_show
from clinrag_core.notes.read import read_note
from clinrag_core.notes.records import NotePlan, NoteSummary
from clinrag_core.notes.summarise import NoteSummariser


def made(text: str) -> tuple[NoteSummary, NotePlan, list[str]]:
    """Return the summary of a note, its plan and what is in neither."""
    note = read_note(text, 5_000)
    summary, left_out = extractive_summary(note)
    return summary, extractive_plan(note, summary), [item.text for item in left_out]


def texts(text: str, section: str) -> list[str]:
    return [item.text for item in getattr(made(text)[0], section)]


def planned(text: str) -> list[str]:
    return [one.recommendation for one in made(text)[1].recommendations]


def test_a_title_a_salutation_and_a_signature_say_nothing_of_the_patient():
    text = (
        "Respiratory Outpatient Clinic\n\nDear Dr Hale,\n\nRe: Mr Noah Pell, aged 61\n\n"
        "He has coughed for a month.\n\nPlan:\n- Send sputum today.\n\n"
        "Kind regards,\nDr Ida Moss\nConsultant Physician\n"
    )
    summary, plan, left_out = made(text)
    assert left_out == [
        "Respiratory Outpatient Clinic", "Dear Dr Hale", "Kind regards", "Dr Ida Moss",
        "Consultant Physician",
    ]  # fmt: skip
    assert [i.text for i in summary.patient_snapshot] == ["Re: Mr Noah Pell, aged 61"]
    assert [r.recommendation for r in plan.recommendations] == ["Send sputum today."]


@pytest.mark.parametrize("line", ["Chest ward review, 72M with pneumonia", "WEIGHT 61 kg, HR 90"])
def test_a_first_line_that_tells_of_the_patient_is_no_title(line: str):
    assert made(f"{line}\n\nCough for a week.\n\nPlan: rest\n")[2] == []


def test_thanks_for_a_referral_tell_what_somebody_is_referred_with():
    said = "Thank you for referring this lady with gout and a cough."
    assert said in texts(f"Dear Dr Hale,\n\n{said}\n\nPlan: rest\n", "pertinent_history")
    assert made("Thank you for referring this lady.\n\nPlan: rest\n")[2] == [
        "Thank you for referring this lady."
    ]


@pytest.mark.parametrize(
    "signs",
    [("1)", "2)", "3)"), ("A.", "B.", "C."), ("1 ", "2 ", "3 "), ("i.", "ii.", "iii."), "---"],
)
def test_a_line_above_a_list_heads_it_and_what_is_ordered_is_a_plan(signs: str):
    items = ("amoxicillin 500 mg tds for 5 days", "sputum for culture today", "ring if no better")
    listed = "\n".join(f"{sign} {item}" for sign, item in zip(signs, items, strict=True))
    text = f"F 44, cough for a week. T 38.2.\n\nWhat is going to happen:\n{listed}\n"
    assert sorted(planned(text)) == sorted(items)


def test_letters_that_count_on_are_signs_of_a_list_and_no_headings():
    text = "A: own airway\nB: RR 22, SpO2 94%\nC: BP 110/70\n\nPlan\nA. Rest.\nB. Fluids.\n"
    note = read_note(text, 1_000)
    assert [s.kind for s in note.sections] == ["exam", "plan"]
    assert [note.said(u) for u in note.units][-2:] == ["Rest.", "Fluids."]
    assert note_lists("A. Smith wrote this.\nIt is long.\n") == ()


def test_the_number_of_an_item_is_no_heading():
    text = "Plan\nviii. Mask in the clinic.\nix. Wear it at home.\nx. Weigh weekly.\n"
    assert len(planned(text)) == 3


def test_a_letter_without_headings_is_cut_where_its_block_changes():
    text = (
        "She is 50 years old and has coughed for six weeks. She lives alone. She takes aspirin.\n\n"
        "My impression is pulmonary tuberculosis in a woman with gout.\n\n"
        "We will send three sputum samples today. Please start isoniazid 300 mg daily.\n"
    )
    note = read_note(text, 1_000)
    assert [s.kind for s in note.sections] == ["overview", "assessment", "plan"]
    assert len(planned(text)) == 2
    assert texts(text, "key_problems") == [
        "My impression is pulmonary tuberculosis in a woman with gout."
    ]


def test_a_label_inside_a_line_is_about_its_paragraph():
    text = (
        "Usual tablets: ramipril 5 mg, aspirin 75 mg\n\n"
        "The cough began a month ago. His brother had tuberculosis.\n\nPlan: rest\n"
    )
    assert texts(text, "medicines_allergies") == ["ramipril 5 mg", "aspirin 75 mg"]
    assert len(texts(text, "pertinent_history")) == 2


def test_what_comes_behind_the_list_of_a_plan_is_one_only_where_it_orders():
    text = (
        "Plan\n1. Isoniazid 300 mg daily.\n2. Send sputum.\n3. Weigh her monthly.\n\n"
        "Discussed with her husband. Clinic in two weeks. For full escalation. Bleep 222.\n"
    )
    assert {"Clinic in two weeks.", "For full escalation."} <= set(planned(text))
    assert "Discussed with her husband." not in planned(text)
    assert texts(text, "pertinent_history") == []
    assert made(text)[2] == ["Discussed with her husband.", "Bleep 222."]


def test_the_sentences_of_an_item_are_one_recommendation():
    text = "Plan\n1. Rest.\n2. Infant sister: well. Give isoniazid 50 mg daily.\n3. Fluids.\n"
    assert "Infant sister: well. Give isoniazid 50 mg daily." in planned(text)


@pytest.mark.parametrize("said", ["Appetite improving.", "Baby well.", "No fever now."])
def test_what_names_no_disease_under_an_impression_is_no_problem(said: str):
    text = f"Impression\nPulmonary tuberculosis. {said}\n"
    assert texts(text, "key_problems") == ["Pulmonary tuberculosis."]
    assert said in texts(text, "assessment")


def test_a_disease_with_a_figure_is_no_result():
    text = "CKD 3 (creatinine clearance 41 mL/min), gout.\nHIV test negative.\n\nPlan: rest\n"
    assert texts(text, "labs_imaging") == ["HIV test negative."]


@pytest.mark.parametrize(
    ("text", "urgency"),
    [
        ("Repeat the film at 6 weeks.", "routine"),
        ("Bloods before the first dose, then monthly.", "prompt"),
        ("Oxygen by mask, target 88-92%.", "prompt"),
        ("Admit to a single room.", "prompt"),
        ("Liver tests are unnecessary.", "other"),
        ("Stop both if the liver tests are high.", "routine"),
    ],
)
def test_how_soon_an_act_is_done(text: str, urgency: str):
    plan = made(f"Plan:\n1. {text}\n2. Rest.\n3. Fluids.\n")[1]
    assert {r.recommendation: r.urgency for r in plan.recommendations}[text] == urgency


@pytest.mark.parametrize(
    ("text", "is_bound"),
    [
        ("Repeat the film at 6 weeks; if unclear, a scan.", False),
        ("Isoniazid for the newborn, if no disease is found.", True),
        ("Stop ceftriaxone unless the film shows more.", True),
    ],
)
def test_a_condition_of_an_addition_binds_no_recommendation(text: str, is_bound: bool):
    (one,) = made(f"Plan:\n1. {text}\n")[1].recommendations
    assert (one.confidence < 0.8) is is_bound


def test_ingredients_in_a_bracket_are_no_further_medicines():
    text = "Rifamate (rifampicin 300/isoniazid 150) 2 capsules once daily"
    (one,) = read_medications(text, "plan")
    assert (one.name, one.dose, one.frequency) == ("Rifamate", "2 capsules", "once daily")


def test_a_frequency_of_each_is_that_of_all():
    read = read_medications("Isoniazid 300 mg and rifampicin 600 mg, each once daily.", "plan")
    assert [m.frequency for m in read] == ["once daily", "once daily"]


def test_an_abbreviation_of_repeat_is_no_medicine():
    assert read_medications("rpt CXR in 3/12", "plan") == ()
    assert read_medications("amikacin S, cipro R.", "results") == ()


def test_a_home_shared_with_relatives_is_no_disease_of_them():
    text = "HPI: She lives with her mother and takes aspirin. Family updated by phone.\n"
    assert {i.status for i in made(text)[0].pertinent_history} <= {"present"}


def test_an_outline_shows_a_statement_once_and_says_where_the_rest_is(
    summariser: NoteSummariser,
):
    text = (
        "HPI: 50-year-old man, cough for a month.\nImpression: pneumonia\n"
        "Plan:\n1. Amoxicillin 500 mg tds.\n2. Continue amoxicillin on discharge.\n"
        "3. Stop it if he has a rash.\n"
    )
    result = summariser.summarise(text, with_plan=True)
    sections = {s.name: s for s in outline(result)}
    assert sections["assessment"].groups == ()
    assert "another heading" in sections["assessment"].remark
    assert sections["labs_imaging"].remark == "nothing stated"
    shown = [i.text for g in sections["medicines_allergies"].groups for i in g.items]
    assert shown == ["Amoxicillin 500 mg tds"]
    assert set(problems_to_show(result.plan)) == {None}


def test_counting_words_are_signs_of_a_list():
    text = (
        "I think this is a rash of her tablets and did this.\n\n"
        "First, stop isoniazid today.\n"
        "Second, ramipril can carry on as it is harmless.\n"
        "Third, check the skin every week.\n"
    )
    said = planned(text)
    assert len(said) == 3
    assert "ramipril can carry on as it is harmless." in said


def test_what_is_said_of_both_medicines_is_said_of_each():
    read = read_medications("simvastatin and ramipril both stopped today", "plan")
    assert [m.status for m in read] == ["stopped", "stopped"]


def test_a_line_of_findings_ends_a_list_of_medicines():
    text = "M 50, fever.\nMeds: ramipril 5 mg. Vapes.\nT 38.2 HR 100. Chest clear.\nPlan: rest\n"
    assert texts(text, "medicines_allergies") == ["ramipril 5 mg."]
    assert texts(text, "objective_findings") == ["T 38.2 HR 100.", "Chest clear."]
    assert "Vapes." in texts(text, "pertinent_history")


def test_few_words_alone_above_a_paragraph_head_it():
    text = (
        "F 50, fever for a week.\n\nOn arrival\nAlert, T 38.1, BP 120/70, sats 94% on air.\n\n"
        "Tablets at discharge\namlodipine 5 mg od; ramipril 5 mg od\n\nPlan\nRest.\n"
    )
    note = read_note(text, 1_000)
    kinds = [(s.title, s.kind) for s in note.sections]
    assert ("On arrival", "exam") in kinds
    assert ("Tablets at discharge", "medications") in kinds


def test_one_past_thing_in_a_list_leaves_the_others_present():
    text = "PMH: Gout, previous stroke, diabetes\nPlan: rest\n"
    assert [i.status for i in made(text)[0].pertinent_history] == ["present"]


def test_a_time_is_no_heading_and_an_allergy_may_follow_its_medicine():
    text = "ED NOTE 14:05 Bay 2\n\nM 50. Aspirin: hives in 2001.\n\nPlan: rest\n"
    summary, _, left_out = made(text)
    assert left_out == ["ED NOTE 14:05 Bay 2"]
    assert [m.status for i in summary.medicines_allergies for m in i.medications] == ["allergy"]


def test_what_must_be_excluded_is_a_thought_and_no_act():
    text = "Impression: TB must be ruled out.\nPlan: rest\n"
    assert planned(text) == ["rest"]


def test_a_disease_is_named_where_no_impression_does():
    text = "F 50.\nShe coughed for a week.\nLeft upper lobe pneumonia.\n\nPlan: rest\n"
    assert "Left upper lobe pneumonia." in texts(text, "key_problems")
