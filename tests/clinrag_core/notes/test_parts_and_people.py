"""What a reader of unseen notes found: parts under letters, households, wrong statuses."""

from __future__ import annotations

import pytest

from clinrag_core.notes.extractive import FOR_OTHER, extractive_summary
from clinrag_core.notes.households import person_lines
from clinrag_core.notes.letters import part_letters
from clinrag_core.notes.measures import read_medications, read_vitals
from clinrag_core.notes.outline import outline
from clinrag_core.notes.plan import extractive_plan
from clinrag_core.notes.read import read_note
from clinrag_core.notes.records import NotePlan, NoteSummary
from clinrag_core.notes.summarise import NoteSummariser
from tests.fakes.note_answers import GUIDELINE, Answers, verdicts

HANDOVER = """S  Girl, 7 years, 21 kg. New lung TB, off to your ward tonight.

B  On abacavir/lamivudine for 2 years. No allergies.

A  Three weeks of cough. T 37.9, crackles at the left base. ALT 31.

R  1 Isoniazid 200 mg once daily for 6 months.
   2 Pyridoxine 25 mg daily.
   3 Abacavir/lamivudine: no change.
"""
HOUSEHOLD = """Index: Mr D., 44, lung TB, smear 2+.

Wife, 39. HIV negative. Weight 58 kg. On gliclazide 80 mg od. Film clear.
Uncle, 70. Cough for a week. ALT 80.
Mina, 5 y, 18 kg. Well.

Agreed on the day:
- wife, isoniazid 300 mg daily for six months
- Mina, isoniazid 180 mg daily for six months
- leaflet for all
"""


def drafted(text: str) -> tuple[NoteSummary, NotePlan]:
    note = read_note(text, 10_000)
    summary = extractive_summary(note).summary
    return summary, extractive_plan(note, summary)


def planned(text: str) -> list[str]:
    return [r.recommendation for r in drafted(text)[1].recommendations]


def status(text: str, kind: str = "plan") -> dict[str, str]:
    return {m.name.lower(): m.status for m in read_medications(text, kind)}


# --- parts of a note


def test_a_handover_under_letters_keeps_its_plan():
    """All of the plan was filed under history, as no word heads it."""
    summary, plan = drafted(HANDOVER)
    assert [r.recommendation for r in plan.recommendations] == [
        "Isoniazid 200 mg once daily for 6 months.",
        "Pyridoxine 25 mg daily.",
        "Abacavir/lamivudine: no change.",
    ]
    assert [i.text for i in summary.patient_snapshot] == ["Girl, 7 years, 21 kg."]
    assert "New lung TB, off to your ward tonight." in [i.text for i in summary.key_problems]
    assert "ALT 31." in [i.text for i in summary.labs_imaging]


@pytest.mark.parametrize("note", ["A  cough for a week.\nB  no fever.\n", "S  cough\nR  rest\n"])
def test_letters_that_are_no_whole_scheme_head_nothing(note: str):
    assert part_letters(note) == ()


def test_acts_counted_in_words_are_a_plan():
    text = (
        "So this is pulmonary TB.\n\nOne, send sputum.\nTwo, eight doses observed.\nThree, masks.\n"
    )
    assert sorted(planned(text)) == ["eight doses observed.", "masks.", "send sputum."]


def test_an_act_behind_a_box_is_one_whatever_its_verb():
    text = "Actions\n[x] 1 Send sputum\n[x] 2 Diet: the usual is enough\n[ ] 3 Chest film\n"
    assert "[x] 2 Diet: the usual is enough" in planned(text)


def test_who_the_patient_is_ends_with_the_paragraph():
    """Films and blood tests of later paragraphs were part of the snapshot."""
    text = "Patient: male, 40, 70 kg.\n\nCXR: cavity. ALT 22. HIV negative.\n\nPlan:\n- rest\n"
    assert [i.text for i in drafted(text)[0].patient_snapshot] == ["male, 40, 70 kg."]


def test_the_next_label_ends_the_reason_for_a_visit():
    text = "Reason for visit: skin test positive\nBCG: yes\nFilm: normal\n\nPlan:\n- rest\n"
    assert "BCG: yes" not in [i.text for i in drafted(text)[0].key_problems]


def test_words_in_bold_head_the_text_of_their_line():
    text = (
        "**Takes** warfarin 3 mg (INR 2.4), atenolol 25 mg.\n\n**Found** CXR clear.\n\n"
        "Plan:\n- rest\n"
    )
    summary, _ = drafted(text)
    assert [i.text for i in summary.medicines_allergies] == [
        "warfarin 3 mg (INR 2.4)",
        "atenolol 25 mg.",
    ]
    assert [i.text for i in summary.labs_imaging] == ["CXR clear."]


def test_the_outcome_of_a_form_is_its_assessment():
    text = "Examination: chest clear\nOutcome: latent TB infection\n\nPlan:\n- rest\n"
    assert "latent TB infection" in [i.text for i in drafted(text)[0].key_problems]


# --- what is done with a medicine


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ciclosporin: hold the dose at 100 mg bd", ["continued"]),
        ("Hold ciclosporin tonight", ["stopped"]),
        ("Drop isoniazid; rifampicin and ethambutol daily", ["stopped", "planned", "planned"]),
        ("Stop isoniazid and ethambutol", ["stopped", "stopped"]),
        ("Lopinavir/ritonavir: no change", ["continued"]),
        ("Abacavir/lamivudine is on its way and starts on day 9", ["planned"]),
        ("Simvastatin to be taken at night", ["planned"]),
        ("Any rash or fever: stop isoniazid and ring us", ["planned"]),
        ("Cefalexin 1 g; had a ceftriaxone slot but tablets will do", ["planned", "considered"]),
    ],
)
def test_what_a_plan_does_with_a_medicine(text: str, expected: list[str]):
    """A stop of one medicine reached all others; one kept steady was called stopped."""
    assert list(status(text).values()) == expected


def test_a_regimen_that_never_failed_is_taken():
    found = status("On lopinavir/ritonavir for 3 years; never failed", "history")
    assert found == {"lopinavir/ritonavir": "current"}


def test_an_interval_in_hours_is_printed_whole():
    assert read_medications("Cefalexin 500 mg 12-hourly", "plan")[0].frequency == "12-hourly"


def test_a_level_of_last_month_makes_no_medicine_a_past_one():
    text = "Taking: sirolimus 2 mg od (trough last month 7), aspirin 75 mg.\nPlan:\n- rest\n"
    items = drafted(text)[0].medicines_allergies
    assert [m.status for i in items for m in i.medications] == ["current", "current"]
    assert {i.status for i in items} == {"present"}


def test_a_weight_that_is_lost_is_no_weight():
    assert [v.value for v in read_vitals("Weight loss 7 kg, weight 61 kg")] == ["61"]


@pytest.mark.parametrize(("said", "found"), [("family meals", "present"), ("family TB", "family")])
def test_meals_of_a_family_are_the_patients(said: str, found: str):
    summary, _ = drafted(f"HPI: 9-year-old boy. He has {said}.\nPlan: rest\n")
    assert {i.status for i in summary.pertinent_history} == {found}


# --- several people


def test_each_line_of_a_household_is_about_who_opens_it():
    """Weights, tests and medicines of all contacts were one patient's."""
    summary, _ = drafted(HOUSEHOLD)
    assert [i.text for i in summary.patient_snapshot] == ["Index: Mr D., 44, lung TB, smear 2+."]
    lines = [i for i in summary.pertinent_history if i.status == "family"]
    assert [i.text.partition(".")[0] for i in lines] == [
        "Wife, 39",
        "Uncle, 70",
        "Mina, 5 y, 18 kg",
    ]
    assert not summary.objective_findings
    assert not summary.labs_imaging
    given = [m.status for i in summary.medicines_allergies for m in i.medications]
    assert given == [FOR_OTHER, FOR_OTHER]


def test_a_medicine_for_somebody_else_is_shown_with_whom(summariser: NoteSummariser):
    result = summariser.summarise(HOUSEHOLD, with_plan=True)
    shown = next(s for s in outline(result) if s.name == "medicines_allergies")
    assert [line.status for group in shown.groups for line in group.items] == [
        "for somebody else: wife",
        "for somebody else: Mina",
    ]


@pytest.mark.parametrize(
    "note", ["Baby, 9 months, 8 kg. Cough.\nPlan: rest\n", "Wife, 33. Cough.\nHe drinks.\n"]
)
def test_one_line_with_a_relation_makes_no_household(note: str):
    assert person_lines(note) == ()


def test_a_plan_for_a_person_of_a_household_is_checked_against_what_the_line_says():
    """An old contact with liver disease was checked as one patient with all the others, or not."""
    said = "Pyrazinamide must not be used in patients with liver disease."
    note = (
        "Index: Mr D., 44, lung TB.\n\nWife, 39. Well.\nUncle, 70. Cirrhosis of the liver.\n\n"
        "Agreed on the day:\n- {}, pyrazinamide 1500 mg daily\n- leaflet for all\n- masks\n"
    )
    question = "Is pyrazinamide contraindicated in patients with liver disease?"
    engine = Answers(("Tuberculosis", GUIDELINE, said))
    assert verdicts(engine, note.format("uncle")).get(question) == "warns"
    assert verdicts(engine, note.format("wife")).get(question) != "warns"


def test_a_dose_behind_a_refusal_is_one_to_give():
    """ "No ethambutol. Amikacin 400 mg" was all denied, and amikacin checked against nothing."""
    text = "Plan:\n1. No ethambutol. Amikacin 400 mg daily instead.\n2. Send sputum.\n3. X-ray.\n"
    found = next(i for i in drafted(text)[0].assessment if i.medications)
    assert (found.status, found.medications[1].status) == ("mixed", "planned")


@pytest.mark.parametrize(("said", "is_soon"), [("daily", True), ("daily if well", False)])
def test_what_a_relative_is_given_under_a_condition_waits(said: str, is_soon: bool):
    text = f"HPI: 30-year-old woman.\nPlan:\n1. Newborn: isoniazid 50 mg {said}.\n2. Send sputum.\n"
    first = next(r for r in drafted(text)[1].recommendations if "Newborn" in r.recommendation)
    assert (first.urgency == "prompt") == is_soon


# --- what says nothing of the patient


@pytest.mark.parametrize(
    "said",
    ["New paragraph.", "Full stop.", "End of letter.", "Plan as follows, numbered please.",
     "Caller: renal registrar.", "Call length 9 min.", "Filed by RN Abbot.", "Sr/Dr P. Ngata",
     "What needs to happen at your end.", "Please read before he arrives."],
)  # fmt: skip
def test_formulas_of_dictation_and_calls_are_in_no_section(said: str):
    note = read_note(f"40-year-old man. Cough for a week.\n\n{said}\n\nPlan:\n- rest\n", 1_000)
    made = extractive_summary(note)
    assert said in [i.text for i in made.left_out]
    assert said not in [i.text for _, i in made.summary.filed()]


@pytest.mark.parametrize(
    "said", ["Call the clinic tomorrow.", "Call him if the smear is positive."]
)
def test_a_call_to_make_stays_in_the_plan(said: str):
    assert said in planned(f"Impression: TB\nPlan:\n- {said}\n- Send sputum.\n")


def test_a_release_or_empty_stock_is_no_worsening():
    text = (
        "Plan:\n- Should he be released early, ring the nurse.\n- if pharmacy run out, ring me.\n"
    )
    assert all("safety_net" not in r.kinds for r in drafted(text)[1].recommendations)
