"""Which section shows a statement: dictation, background, results, what closes a note."""

from __future__ import annotations

import pytest

from clinrag_core.notes.extractive import extractive_summary
from clinrag_core.notes.plan import extractive_plan
from clinrag_core.notes.read import read_note

DICTATED = (
    "(dictated, not yet read)\n\n"
    "Okay, this is the chest clinic for Thursday, next patient please. Gentleman of fifty-two, "
    "plasterer, eighty kilos. Now the history is important. He takes phenytoin 300 mg at night. "
    "He is also on citalopram 20 mg for depression. CRP 40.\n\n"
    "Impression, tuberculosis of the spine. Plan. Start rifampicin six hundred daily. "
    "See him in two weeks. End of dictation, thank you.\n"
)


def sections_of(text: str) -> dict[str, list[str]]:
    summary = extractive_summary(read_note(text, 5_000)).summary
    return {name: [i.text for i in getattr(summary, name)] for name in type(summary).model_fields}


def planned(text: str) -> dict[str, tuple[str, ...]]:
    note = read_note(text, 5_000)
    plan = extractive_plan(note, extractive_summary(note).summary)
    return {r.recommendation: r.kinds for r in plan.recommendations}


def test_words_of_dictation_are_no_part_of_a_summary():
    left = {i.text for i in extractive_summary(read_note(DICTATED, 5_000)).left_out}
    assert any("chest clinic for Thursday" in text for text in left)
    assert {"Now the history is important.", "End of dictation, thank you."} <= left


def test_an_age_in_words_says_who_the_patient_is():
    found = sections_of(DICTATED)["patient_snapshot"]
    assert found == ["Gentleman of fifty-two, plasterer, eighty kilos."]


def test_a_child_of_the_patient_is_not_who_the_note_is_about():
    note = "Woman of 30, nurse.\n\nHer boy of 4 has the same cough.\n"
    assert sections_of(note)["patient_snapshot"] == ["Woman of 30, nurse."]


def test_what_somebody_takes_is_background_and_no_order():
    note = (
        "He came in with back pain and sweats. CT showed collapse of T10. He has had epilepsy "
        "since a head injury in 2009 and takes phenytoin 300 mg at night. He is also on "
        "citalopram 20 mg each morning.\n\nHe leaves with the following:\n"
        "- RHZE, four tablets daily for two months\n"
        "- Brace when out of bed\n- Monthly review here\n"
    )
    found = planned(note)
    assert not any("citalopram" in text or "epilepsy" in text for text in found)
    assert any("RHZE" in text for text in found)


def test_results_under_an_examination_are_results():
    found = sections_of("O/E: T 38.2, HR 110. Creps R base. WCC 15.2 CRP 180. VBG: pH 7.33.\n")
    assert found["labs_imaging"] == ["WCC 15.2 CRP 180.", "VBG: pH 7.33."]
    assert "Creps R base." in found["objective_findings"]


@pytest.mark.parametrize(
    "statement",
    [
        "He is living with HIV, CD4 240, on dolutegravir.",
        "She was found to have smear-positive tuberculosis in May (Xpert: rifampicin sensitive).",
    ],
)
def test_what_somebody_has_is_history_whatever_test_it_names(statement: str):
    note = f"Background\n{statement}\n\nAssessment\nJaundice.\n"
    found = sections_of(note)
    assert statement in found["pertinent_history"] + found["key_problems"]
    assert statement not in found["labs_imaging"]


def test_a_result_that_somebody_had_stays_a_result():
    found = sections_of("History\nHe had a chest film which showed pneumonia.\n")
    assert found["labs_imaging"] == ["He had a chest film which showed pneumonia."]


@pytest.mark.parametrize(
    "last",
    ["RTC 2 weeks.", "Ceiling ward + NIV.", "She travels on Friday with copies of her results."],
)
def test_what_closes_a_note_and_is_still_to_come_is_in_the_plan(last: str):
    note = f"A: pneumonia\n\nP:\n1. Doxycycline 100 mg bd\n2. Bloods tomorrow\n3. Film\n\n{last}\n"
    assert last in planned(note)


def test_what_holds_should_it_get_better_is_no_safety_net():
    note = (
        "A: pneumonia\nP:\n1. if better at 48 h -> PO doxycycline\n2. if not better -> CT chest\n"
    )
    found = planned(note)
    assert "safety_net" not in found["if better at 48 h -> PO doxycycline"]
    assert "safety_net" in found["if not better -> CT chest"]


def test_a_disease_that_is_not_excluded_is_possible():
    note = read_note("Imp: TB not excl (contact last yr).\n", 500)
    statuses = {i.status for _, i in extractive_summary(note).summary.filed()}
    assert statuses == {"possible"}


def test_lines_in_small_letters_under_medicines_are_entries_of_their_own():
    lines = ["metformin 1 g BID", "sertraline 50 mg (since 2019)", "ondansetron 4 mg"]
    note = "HPI: cough\n\nCurrent meds\n" + "\n".join(lines)
    assert sections_of(note)["medicines_allergies"] == lines


def test_a_marked_heading_is_one_above_a_table_and_its_columns_are_no_fact():
    note = (
        "### Course\nTreated for pneumonia.\n\n### Medicines at discharge\n"
        "| Medicine | Dose |\n|---|---|\n| Ramipril | 2.5 mg daily |\n"
    )
    found = sections_of(note)
    assert found["medicines_allergies"] == ["| Ramipril | 2.5 mg daily |"]
    assert not any("Medicine | Dose" in text for texts in found.values() for text in texts)


@pytest.mark.parametrize(
    ("statement", "status"),
    [
        ("Absent ankle jerks.", "present"),
        ("TB infection without disease.", "present"),
        ("CT on 6 May showed a nodule.", "present"),
        ("Ankle oedema absent.", "absent"),
    ],
)
def test_what_is_absent_and_a_month_are_read_for_what_they_are(statement: str, status: str):
    items = extractive_summary(read_note(f"Notes\n{statement}\n", 500)).summary.filed()
    assert {item.status for _, item in items} == {status}


def test_findings_under_today_are_no_plan():
    note = (
        "Patient: Lena, girl, 5 years.\n\nToday\nLena is well. Appetite normal. Mantoux 14 mm on "
        "Monday. HIV test negative.\n\nPlan\n1. Isoniazid 150 mg daily\n2. Weigh monthly\n"
    )
    assert list(planned(note)) == ["Isoniazid 150 mg daily", "Weigh monthly"]


def test_a_course_of_a_medicine_is_no_result_of_the_test_that_ended_it():
    text = "Clarithromycin was stopped on day 2 when the Legionella antigen came back negative."
    assert sections_of(f"Course\n{text}\n")["labs_imaging"] == []
