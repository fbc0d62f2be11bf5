"""What makes a summary usable: each fact once, whole, in its section, and only facts."""

from __future__ import annotations

import pytest

from clinrag_core.notes.extractive import ExtractiveSummary, extractive_summary
from clinrag_core.notes.outline import outline
from clinrag_core.notes.plan import extractive_plan
from clinrag_core.notes.read import read_note


def summarised(text: str) -> ExtractiveSummary:
    return extractive_summary(read_note(text, 5_000))


def said(text: str, section: str) -> list[tuple[str, str]]:
    return [(i.text, i.status) for i in getattr(summarised(text).summary, section)]


def planned(text: str) -> list[tuple[str, str]]:
    note = read_note(text, 5_000)
    plan = extractive_plan(note, extractive_summary(note).summary)
    return [(r.urgency, r.recommendation) for r in plan.recommendations]


def test_a_sentence_that_goes_on_about_the_one_before_is_part_of_it():
    text = "HPI: She had a gastroscopy in May. This showed a small ulcer. She eats well.\n"
    history = [text for text, _ in said(text, "pertinent_history") + said(text, "key_problems")]
    assert "She had a gastroscopy in May. This showed a small ulcer." in history
    assert "She eats well." in history


def test_the_label_of_a_template_is_no_part_of_a_statement():
    text = "ASSESSMENT AND PLAN\n\nGout.\n• Medical Treatment: Start allopurinol 100 mg daily.\n"
    assert planned(text) == [("prompt", "Start allopurinol 100 mg daily.")]


@pytest.mark.parametrize(
    "statement",
    [
        "Risks and benefits of surgery were discussed with the family.",
        "Written informed consent was obtained.",
        "We had a long discussion regarding her options.",
        "Thank you for referring this gentleman.",
        "Name and date confirmed.",
        "All her questions were answered.",
        "She will contact me with any questions.",
        "This is a new issue.",
    ],
)
def test_courtesy_and_consent_are_no_items(statement: str):
    made = summarised(f"PLAN\n\n{statement}\nOrder ferritin.\n")
    assert [i.text for i in made.summary.assessment] == ["Order ferritin."]
    assert [i.text for i in made.left_out] == [statement]


def test_a_diagnosis_before_and_after_an_operation_is_listed_once():
    text = "PREOPERATIVE DIAGNOSIS: Gallstones.\nPOSTOPERATIVE DIAGNOSIS: Gallstones.\n"
    assert said(text, "key_problems") == [("Gallstones.", "present")]


def test_a_disease_of_the_family_is_no_repetition_of_the_patients():
    text = "PMH: Type 2 diabetes\nFH: Type 2 diabetes\n"
    assert said(text, "pertinent_history") == [
        ("Type 2 diabetes", "present"),
        ("Type 2 diabetes", "family"),
    ]


def test_a_medicine_that_a_plan_only_continues_is_listed_once():
    text = "MEDICATIONS\n\nLisinopril 10 mg daily.\n\nPLAN\n\nContinue lisinopril 10 mg daily.\n"
    assert said(text, "medicines_allergies") == [("Lisinopril 10 mg daily.", "present")]
    assert planned(text) == [("routine", "Continue lisinopril 10 mg daily.")]


def test_what_an_operation_showed_and_how_it_ended_is_summarised():
    text = (
        "PROCEDURE IN DETAIL:\nThe abdomen was prepped and draped.\nA midline incision was made.\n"
        "The liver appeared normal.\nShe tolerated the procedure well.\n"
        "She will be kept overnight.\nCOMPLICATIONS: None.\n"
    )
    findings = [t for t, _ in said(text, "objective_findings")]
    assert findings == ["The liver appeared normal.", "She tolerated the procedure well.", "None."]
    assert said(text, "assessment")[0][0] == "She will be kept overnight."


def test_an_operation_without_headings_is_no_history():
    text = (
        "The arm was prepped and draped. An incision was made over the elbow. The nerve was "
        "dissected free. The skin was closed with sutures. The patient tolerated this well.\n"
    )
    assert said(text, "pertinent_history") == []
    assert said(text, "objective_findings")[0][0] == "The patient tolerated this well."


@pytest.mark.parametrize(
    ("statement", "status"),
    [
        ("Pulse 66 and regular, skin warm, not breathless", "mixed"),
        ("Feels no pain, but still can't move it", "mixed"),
        ("Haemoglobin was low at 8.1, but she denies bleeding", "mixed"),
        ("X-rays of the wrist show no fracture", "absent"),
        ("The patient denies any cough", "absent"),
        ("Unable to bear weight", "present"),
        ("No-one at home with her", "present"),
    ],
)
def test_a_statement_is_denied_only_where_all_of_it_is(statement: str, status: str):
    note = f"EXAM:\n{statement}\n"
    found = said(note, "objective_findings") or said(note, "labs_imaging")
    assert found[0][1] == status


def test_a_relative_who_reports_or_is_counselled_has_no_disease():
    text = "HPI: Her mother states that the cough is worse at night.\n"
    assert "family" not in {s for _, s in said(text, "key_problems")}


def test_an_impression_that_names_nothing_to_do_is_no_plan():
    assert planned("IMPRESSION\n\nStable right apical nodule.\n") == []


def test_an_act_under_an_impression_is_a_recommendation():
    text = "Imp: ?stroke\nAmbulance called, will stay on the line.\n"
    assert planned(text) == [("emergency", "Ambulance called, will stay on the line.")]


@pytest.mark.parametrize(
    ("statement", "urgency"),
    [
        ("If you get worse, please go to hospital", "routine"),
        ("Return in two weeks, or earlier if worse", "routine"),
        ("Steroid cream twice daily", "prompt"),
        ("I recommended a nerve biopsy", "prompt"),
        ("She will continue ramipril 5 mg daily", "routine"),
        ("Repeat the scan in 6 months", "routine"),
        ("She is to go to the emergency department now", "emergency"),
        ("Order an MRI, as she did not go to the emergency room", "prompt"),
    ],
)
def test_urgency_is_of_what_is_done_now(statement: str, urgency: str):
    assert [u for u, _ in planned(f"Plan:\n{statement}\n")] == [urgency]


@pytest.mark.parametrize(
    "statement",
    [
        "This should help to reduce the swelling.",
        "He was advised that his stent is permanent.",
        "Likely viral.",
    ],
)
def test_what_informs_is_no_recommendation(statement: str):
    assert planned(f"PLAN\n\n{statement}\n") == []


def test_an_outline_shows_a_statement_of_the_plan_once(summariser):
    text = (
        "MEDICATIONS\n\nAspirin 75 mg daily.\n\nASSESSMENT AND PLAN\n\nGout.\n"
        "• Medical Reasoning: It was stable until May.\n• Start allopurinol 100 mg daily.\n"
    )
    sections = {s.name: s.groups for s in outline(summariser.summarise(text, with_plan=True))}
    shown = [(g.title, i.text, i.status) for g in sections["assessment"] for i in g.items]
    assert shown == [("Gout.", "It was stable until May.", "")]
    medicines = [(i.text, i.status) for g in sections["medicines_allergies"] for i in g.items]
    assert medicines == [("Aspirin 75 mg daily.", ""), ("allopurinol 100 mg daily", "started")]


def test_a_report_of_findings_is_filed_as_results():
    text = "DESCRIPTION:\n1. Normal left ventricular size.\n2. Mitral valve opens well.\n"
    assert said(text, "key_problems") == []
    assert [t for t, _ in said(text, "labs_imaging")] == [
        "Normal left ventricular size.",
        "Mitral valve opens well.",
    ]


def test_a_line_above_a_list_or_a_paragraph_names_a_problem():
    text = (
        "PLAN\n\nNewly reduced left ventricular function.\n• Order an echocardiogram.\n\n"
        "Breast screening\nShe is due for a mammogram.\n"
    )
    note = read_note(text, 1_000)
    plan = extractive_plan(note, extractive_summary(note).summary)
    about = {r.recommendation: r.problem.text for r in plan.recommendations}
    assert about["Order an echocardiogram."] == "Newly reduced left ventricular function."
    assert about["She is due for a mammogram."] == "Breast screening"


def test_why_the_patient_comes_is_in_the_snapshot():
    text = (
        "HPI: He is an 80-year-old man who sees Dr. Roe. He was admitted at that time with gout. "
        "He presents today with blood in his urine.\n"
    )
    assert [t for t, _ in said(text, "patient_snapshot")] == [
        "He is an 80-year-old man who sees Dr. Roe.",
        "He presents today with blood in his urine.",
    ]


def test_a_safety_net_is_marked_and_what_comes_before_it_decides():
    note = read_note("Plan: Take a pregnancy test today and call us if it is positive\n", 1_000)
    (made,) = extractive_plan(note, extractive_summary(note).summary).recommendations
    assert made.urgency == "prompt"
    assert "safety_net" in made.kinds


def test_a_word_of_an_examination_belongs_to_what_is_before_it():
    text = "EXAM:\nABDOMEN: There is a mass on the left. Nontender.\n"
    assert [t for t, _ in said(text, "objective_findings")] == [
        "ABDOMEN: There is a mass on the left. Nontender."
    ]


def test_findings_of_an_image_are_results():
    text = "CC: Swelling for one day.\nFINDINGS: The left kidney measures 9 cm.\n"
    assert said(text, "labs_imaging") == [("The left kidney measures 9 cm.", "present")]


def test_a_narrative_under_an_impression_is_no_problem():
    text = "IMPRESSION\n\nGout.\nShe is status post hip replacement.\n"
    assert [t for t, _ in said(text, "key_problems")] == ["Gout."]


@pytest.mark.parametrize(
    ("statement", "status"),
    [
        ("She cannot take ibuprofen because of an ulcer", "avoided"),
        ("Delayed script for amoxicillin", "considered"),
    ],
)
def test_a_medicine_that_is_not_to_be_taken_is_not_current(statement: str, status: str):
    (item,) = summarised(f"HPI: Unwell.\nPMH: {statement}\n").summary.medicines_allergies
    assert [m.status for m in item.medications] == [status]


def test_a_list_of_problems_is_no_plan_and_what_follows_is_about_none_of_them():
    text = (
        "ASSESSMENT AND PLAN:\n1. Pneumonia.\n2. Dehydration.\n3. BPH.\n"
        "Plan is for a renal ultrasound.\n"
    )
    note = read_note(text, 1_000)
    (made,) = extractive_plan(note, extractive_summary(note).summary).recommendations
    assert (made.recommendation, made.problem) == ("Plan is for a renal ultrasound.", None)
