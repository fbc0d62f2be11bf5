"""What the summary holds: each fact in its section, medicines and vital signs with their fields."""

from __future__ import annotations

import pytest

from clinrag_core.notes.extractive import extractive_summary
from clinrag_core.notes.measures import read_medications, read_vitals
from clinrag_core.notes.read import read_note


def texts(summary, section: str) -> list[str]:
    return [item.text for item in summary.section(section)]


def test_every_fact_is_in_its_section(summary):
    assert texts(summary, "patient_snapshot") == [
        "Mrs. Orla Fenwick is a 67-year-old woman with a productive cough and night sweats."
    ]
    assert texts(summary, "key_problems") == ["cough for three weeks", "?pulmonary tuberculosis"]
    assert texts(summary, "medicines_allergies") == [
        "allopurinol 100 mg once daily",
        "ramipril 5 mg bd",
        "vitamin D",
        "penicillin",
        "Start isoniazid 300 mg daily",
    ]
    assert texts(summary, "labs_imaging") == ["right upper zone shadow"]
    assert "Crackles in the right upper zone." in texts(summary, "objective_findings")
    assert texts(summary, "assessment")[0] == "?pulmonary tuberculosis"
    assert "mother had tuberculosis" in texts(summary, "pertinent_history")


def test_statuses_of_items(summary):
    status = {item.text: item.status for _, item in summary.filed()}
    assert status["She denies haemoptysis."] == "absent"
    assert status["mother had tuberculosis"] == "family"
    assert status["?pulmonary tuberculosis"] == "possible"
    assert status["Start isoniazid 300 mg daily"] == "planned"
    assert status["Review in 2 weeks, earlier if fever"] == "conditional"


def test_medicines_have_their_fields(summary):
    found = {
        m.name: (m.dose, m.frequency, m.status)
        for _, item in summary.filed()
        for m in item.medications
    }
    assert found["allopurinol"] == ("100 mg", "once daily", "current")
    assert found["ramipril"] == ("5 mg", "bd", "current")
    assert found["isoniazid"] == ("300 mg", "daily", "started")
    assert found["penicillin"][2] == "allergy"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("aspirin 500 mg daily, which is currently stopped", [("aspirin", "500 mg", "stopped")]),
        ("Increase metformin to 1000 mg", [("metformin", "1000 mg", "increased")]),
        ("took 50 mg of tramadol and aspirin 75 mg",
         [("tramadol", "50 mg", "tried"), ("aspirin", "75 mg", "tried")]),
        ("not on warfarin", [("warfarin", "", "absent")]),
        ("allergic to penicillin", [("penicillin", "", "allergy")]),
        ("Zorvexa 20 mg at night", [("Zorvexa", "20 mg", "current")]),
        ("weighs 80 kg, lost 500 g", []),
    ],
    ids=["stopped", "increased", "of", "absent", "allergy", "unknown-name", "no-medicine"],
)  # fmt: skip
def test_what_is_done_with_a_medicine(text: str, expected: list[tuple[str, str, str]]):
    assert [(m.name, m.dose, m.status) for m in read_medications(text, "history")] == expected


def test_a_description_of_an_operation_is_in_no_section():
    text = "PREOPERATIVE DIAGNOSIS: Gallstones.\nANESTHESIA: General.\nDRAINS: None left.\n"
    summary, left_out = extractive_summary(read_note(text, 1_000))
    assert texts(summary, "key_problems") == ["Gallstones."]
    assert [item.text for item in left_out] == ["General."]
    assert texts(summary, "objective_findings") == ["None left."]


def test_vital_signs_have_their_fields():
    text = "BP 142/88 mmHg, HR 96, RR 18, SpO2 94%, temp 38.2 C, weight 61 kg, BMI 24.5"
    assert [(v.name, v.value, v.unit) for v in read_vitals(text)] == [
        ("blood_pressure", "142/88", "mmhg"),
        ("heart_rate", "96", ""),
        ("respiratory_rate", "18", ""),
        ("oxygen_saturation", "94", "%"),
        ("temperature", "38.2", "c"),
        ("weight", "61", "kg"),
        ("bmi", "24.5", ""),
    ]
    assert read_vitals("seen on 12 May, 3 tablets left") == ()


def test_sentences_under_a_procedure_describe_it_and_a_phrase_names_it():
    text = "PROCEDURE: Removal of a splinter.\n\nThe finger was cleaned, then closed.\nPLAN: rest\n"
    made = extractive_summary(read_note(text, 1_000))
    assert [i.text for i in made.summary.pertinent_history] == ["Removal of a splinter."]
    assert [i.text for i in made.left_out] == ["The finger was cleaned, then closed."]


def test_a_result_with_the_name_of_its_test_is_one_statement():
    text = "RESULTS\n\nHCV antibody: Positive\nAST: 39\nALT: Within normal limits\n\nPLAN\n\nRest\n"
    made = extractive_summary(read_note(text, 1_000)).summary
    assert [i.text for i in made.labs_imaging] == [
        "HCV antibody: Positive", "AST: 39", "ALT: Within normal limits",
    ]  # fmt: skip


def test_what_is_taken_instead_is_separated_from_what_it_replaces():
    read = read_medications("She will try cetirizine instead of fexofenadine.", "plan")
    assert [(m.name, m.status) for m in read] == [
        ("cetirizine", "planned"), ("fexofenadine", "avoided"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "Xpert is positive, rifampin resistance not detected.",
        "The culture was sensitive to ceftazidime and ciprofloxacin.",
    ],
)
def test_a_drug_that_an_organism_was_tested_against_is_not_given(text: str):
    assert read_medications(text, "history") == ()


def test_a_medicine_that_was_last_taken_is_not_current():
    (found,) = read_medications("She was last on Keflex 5 months ago.", "history")
    assert found.status == "stopped"


def test_a_temperature_may_have_words_before_its_figure():
    (found,) = read_vitals("Temperature in the office today was 98.6.")
    assert (found.name, found.value) == ("temperature", "98.6")


def test_the_end_of_a_stay_in_hospital_is_a_plan_too():
    said = "He was discharged home on enalapril with follow-up in Urology in 2 weeks."
    note = read_note(f"HOSPITAL COURSE: He had a fever. {said}", 1_000)
    summary = extractive_summary(note).summary
    assert texts(summary, "assessment") == [said]
    assert said in texts(summary, "pertinent_history")


def test_numbered_parts_of_an_operation_are_its_description():
    parts = "1.  ARTERIAL LINE: The arm was prepped.\n2.  VENOUS CATHETER: The neck was prepped.\n"
    note = read_note(f"INDICATIONS: Shock.\n\nPROCEDURE:\n{parts}", 1_000)
    assert [i.text for i in extractive_summary(note).left_out] == [
        "The arm was prepped.",
        "The neck was prepped.",
    ]


def test_what_an_export_left_of_a_line_break_is_not_quoted():
    note = read_note("HISTORY:, Cough.,PLAN:, He did well.,", 1_000)
    assert [note.said(unit) for unit in note.units] == ["Cough.", "He did well."]


def test_what_an_operation_orders_for_afterwards_is_a_plan():
    said = "He will be followed up in one week, with a prescription for Ciloxan drops."
    note = read_note(f"PROCEDURE IN DETAIL: The ear was prepped. {said}", 1_000)
    assert texts(extractive_summary(note).summary, "assessment") == [said]


def test_a_note_without_an_age_says_whom_it_is_about():
    note = read_note("CHIEF COMPLAINT\n\nSore throat.\n\nHPI\n\nHe coughs.\n", 1_000)
    assert texts(extractive_summary(note).summary, "patient_snapshot") == ["Sore throat."]


def test_the_name_of_an_organ_above_its_list_is_no_item():
    note = read_note("PHYSICAL EXAM\n\nNeck\n- No masses.\n", 1_000)
    result = extractive_summary(note)
    assert texts(result.summary, "objective_findings") == ["No masses."]
    assert [item.text for item in result.left_out] == ["Neck"]


@pytest.mark.parametrize(
    ("text", "name", "status"),
    [
        ("I prescribed the patient collagenase ointment.", "collagenase", "started"),
        ("Tylenol failed to help.", "Tylenol", "tried"),
        ("We discussed the option of misoprostol.", "misoprostol", "considered"),
    ],
)
def test_what_was_an_option_failed_or_is_an_ointment(text: str, name: str, status: str):
    (found,) = read_medications(text, "history")
    assert (found.name, found.status) == (name, status)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Replace ibuprofen with naproxen.", {"ibuprofen": "stopped", "naproxen": "planned"}),
        ("Switch from lisinopril to losartan.", {"lisinopril": "stopped", "losartan": "switched"}),
        ("Change lisinopril to 20 mg daily.", {"lisinopril": "switched"}),
        ("Stable on methotrexate.", {"methotrexate": "current"}),
    ],
)
def test_what_replaces_a_medicine_is_separated_from_it(text: str, wanted: dict[str, str]):
    found = extractive_summary(read_note(f"Plan: {text}\n", 1_000)).summary.medicines_allergies
    assert {m.name: m.status for item in found for m in item.medications} == wanted


def test_how_often_something_else_is_done_is_no_frequency_of_a_medicine():
    text = "Plan: Take ibuprofen 600 mg every 6 hours and ice it for 20 minutes, 3 times daily.\n"
    (item,) = extractive_summary(read_note(text, 1_000)).summary.medicines_allergies
    assert [m.frequency for m in item.medications] == ["every 6 hours"]


def test_the_number_of_an_item_and_a_bare_label_are_no_items():
    text = "2-D M-MODE: , ,1.  Normal left atrium.,2.  No effusion."
    summary = extractive_summary(read_note(text, 1_000)).summary
    assert {item.text for _, item in summary.filed()} == {"Normal left atrium.", "No effusion."}
