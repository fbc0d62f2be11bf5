"""What two readers of new notes found: other people's medicines, other schedules, other rows."""

from __future__ import annotations

import pytest

from clinrag_core.notes.doses import compare_doses
from clinrag_core.notes.extractive import extractive_summary
from clinrag_core.notes.measures import read_medications
from clinrag_core.notes.patient import read_patient
from clinrag_core.notes.plan import extractive_plan
from clinrag_core.notes.read import read_note
from clinrag_core.notes.records import NoteSummary
from tests.fakes.note_answers import GUIDELINE, Answers, verdicts

TB, ROW = "Tuberculosis", "interactions"
TREATED = "Impression: pulmonary tuberculosis\nPlan:\n1. "
DOSE = "What is the dose of isoniazid in adults for tuberculosis?"
GIVEN = "Is isoniazid recommended for tuberculosis?"


def summary_of(text: str) -> NoteSummary:
    return extractive_summary(read_note(text, 1_000)).summary


def statuses(text: str) -> dict[str, str]:
    """Return what is done with each medicine that a note names."""
    named = (m for _, item in summary_of(text).filed() for m in item.medications)
    return {m.name.lower(): m.status for m in named}


def test_a_weekly_dose_of_two_drugs_is_not_above_the_daily_maximum():
    """The frequency follows the last drug: the first one's dose was taken for a daily one."""
    engine = Answers((TB, GUIDELINE, "Isoniazid daily: 5 mg/kg, maximum 300 mg/day."))
    note = f"{TREATED}Isoniazid 900 mg plus rifapentine 900 mg once weekly for 12 doses.\n"
    assert verdicts(engine, note)[DOSE] == "no guideline evidence"


@pytest.mark.parametrize(
    ("whole", "verdict"),
    [
        ("isoniazid 900 mg and rifampicin 600 mg, both once daily", "contradicts"),
        ("isoniazid 900 mg and rifapentine 900 mg, both once weekly", "related"),
        ("isoniazid 900 mg", "related"),
    ],
)
def test_a_maximum_holds_for_doses_given_as_often(whole: str, verdict: str):
    source = "at most 300 mg daily"
    assert compare_doses("isoniazid 900 mg", [(source, source)], whole=whole) == verdict


@pytest.mark.parametrize(
    "line",
    [
        "Infant brother: well at home. Give isoniazid 900 mg daily.",
        "Grandson aged 5: ask his doctor to prescribe isoniazid 900 mg daily.",
        "Newborn, if no disease is seen: isoniazid 900 mg daily.",
        "Isoniazid 900 mg daily for her sister.",
    ],
)
def test_what_a_plan_gives_somebody_else_is_not_the_patients(line: str):
    engine = Answers((TB, GUIDELINE, "Isoniazid is given as 300 mg once daily, at most 300 mg."))
    note = f"{TREATED}{line}\n2. Rest.\n"
    assert DOSE not in verdicts(engine, note)
    assert statuses(note)["isoniazid"] == "for somebody else"
    read = read_note(note, 1_000)
    plan = extractive_plan(read, extractive_summary(read).summary)
    (made,) = [r for r in plan.recommendations if "soniazid" in r.recommendation]
    assert "somebody else" in (made.hallucination_guard_note or "")


@pytest.mark.parametrize(
    "line",
    ["Isoniazid 300 mg daily; her son will collect it.", "Explained to her son: isoniazid 300 mg."],
)
def test_a_relative_who_helps_takes_no_medicine(line: str):
    assert statuses(f"{TREATED}{line}\n")["isoniazid"] == "planned"


def test_the_newborn_of_its_own_note_is_the_patient():
    note = (
        "HPI: Newborn girl, three days old, with fever.\nPlan:\n1. Give the newborn ampicillin.\n"
    )
    assert statuses(note)["ampicillin"] == "started"


@pytest.mark.parametrize(
    ("text", "age"),
    [
        ("68F, retired cook.\nHPC: cares for two children; the 5-year-old is unwell.\n", 68.0),
        ("HPI: Lives with a grandson who is 4 years old. Cough.\n", 40.0),
        ("HPI: 45-year-old man whose 3-year-old son coughs.\n", 45.0),
    ],
)
def test_the_age_of_a_child_at_home_is_not_the_patients(text: str, age: float):
    assert read_patient(summary_of(text)).age == age


def test_a_drug_that_is_not_for_this_age_is_not_supported():
    advice = (TB, GUIDELINE, "Isoniazid is recommended for treatment.")
    against = (TB, GUIDELINE, "Isoniazid is not recommended in children younger than 2 years.")
    infant, child = (f"HPI: {age}-month-old girl.\n{TREATED}Isoniazid.\n" for age in (14, 50))
    assert verdicts(Answers(advice), infant)[GIVEN] == "supports"
    assert verdicts(Answers(advice, against), infant).get(GIVEN) != "supports"
    assert verdicts(Answers(advice, against), child)[GIVEN] == "supports"


@pytest.mark.parametrize(
    "advice",
    [
        "It must be noted that isoniazid can be combined.",
        "A regimen should contain at least one of rifampin or isoniazid.",
        "Pyridoxine should be given to everybody on isoniazid.",
        "CDC has recommended rifabutin in place of isoniazid.",
    ],
)
def test_advice_on_something_else_supports_no_drug(advice: str):
    said = verdicts(Answers((TB, GUIDELINE, advice)), f"{TREATED}Isoniazid.\n")
    assert said[GIVEN] == "no guideline evidence"


@pytest.mark.parametrize("how", ["twice weekly", "for 4 months"])
def test_advice_to_give_a_drug_supports_no_schedule(how: str):
    engine = Answers((TB, GUIDELINE, "Isoniazid is recommended."))
    assert verdicts(engine, f"{TREATED}Isoniazid.\n")[GIVEN] == "supports"
    assert verdicts(engine, f"{TREATED}Isoniazid {how}.\n")[GIVEN] == "no guideline evidence"


def test_the_dose_of_a_later_phase_is_supported_with_its_length():
    said = "Isoniazid is given as 300 mg once daily{}."
    note = f"{TREATED}Step down to isoniazid 300 mg once daily for a further 2 months, then stop.\n"
    found = [
        verdicts(Answers((TB, GUIDELINE, said.format(more))), note)[DOSE]
        for more in ("", " for 2 months")
    ]
    assert found == ["no guideline evidence", "supports"]


def test_what_is_not_known_is_no_warning():
    said = "It is not known whether isoniazid can cause fetal harm in a pregnant woman."
    engine = Answers(("isoniazid", "warnings", said))
    found = verdicts(engine, "HPI: 28-year-old pregnant woman.\nDH: isoniazid 300 mg\n")
    assert found["Is isoniazid contraindicated in patients with pregnancy?"] != "warns"


@pytest.mark.parametrize(
    ("line", "said", "verdict"),
    [
        ("ECG today, next ECG at wk 24.", "An ECG is recommended at baseline and throughout.",
         "no guideline evidence"),
        ("ECG at baseline and every month.", "An ECG is recommended at baseline and throughout.",
         "supports"),
        ("ECG today.", "An ECG is recommended.", "supports"),
    ],
)  # fmt: skip
def test_care_once_is_not_care_throughout(line: str, said: str, verdict: str):
    found = verdicts(Answers((TB, GUIDELINE, said)), f"{TREATED}{line}\n")
    assert found["Is an electrocardiogram recommended for tuberculosis?"] == verdict


def test_observed_doses_at_another_frequency_are_not_supported():
    engine = Answers((TB, GUIDELINE, "Directly observed therapy is recommended for daily doses."))
    question = "Is directly observed therapy recommended for tuberculosis?"
    daily, weekly = (
        verdicts(engine, f"{TREATED}Isoniazid {how} by DOT.\n") for how in ("daily", "twice weekly")
    )
    assert (daily[question], weekly[question]) == ("supports", "no guideline evidence")


@pytest.mark.parametrize(
    "said",
    [
        "Drug: Isoniazid; Side-effects: Hepatitis; Contraindications: Known hypersensitivity",
        "Isoniazid should not be given to people with seizures.",
    ],
)
def test_whom_a_drug_harms_contradicts_it_in_nobody_else(said: str):
    engine = Answers(isoniazid_recommended=(said, "Tuberculosis care"))
    assert verdicts(engine, f"{TREATED}Isoniazid.\n")[GIVEN] == "no guideline evidence"


@pytest.mark.parametrize(
    ("row", "question", "warns"),
    [
        (("rifampin", ROW, "Antiretrovirals: Drug or Class: Darunavir; Effect: avoid the use"),
         "Does rifampin interact with lamivudine?", False),
        (("rifampin", ROW, "Drug or Class: Antiretrovirals; Effect: avoid the use"),
         "Does rifampin interact with lamivudine?", True),
        (("rifampin", ROW, "It can be coadministered without a dose adjustment: lamivudine."),
         "Does rifampin interact with lamivudine?", False),
        (("rifampin", "warnings", "Liver injury occurred with TRIO (rifampin and lamivudine)."),
         "Does rifampin interact with lamivudine?", False),
    ],
    ids=["other-row", "own-row", "no-adjustment", "product"],
)  # fmt: skip
def test_a_row_on_another_partner_warns_of_nothing(
    row: tuple[str, str, str], question: str, warns: bool
):
    engine = Answers(row, ("lamivudine", "warnings", "Take it with water."))
    said = verdicts(engine, "DH: rifampin 600 mg, lamivudine 150 mg\n")
    assert (said[question] == "warns") is warns


def test_what_a_combination_says_of_its_whole_is_not_of_one_drug():
    said = "Isoniazid Other contraindications include patients with acute gout."
    engine = Answers(("isoniazid+pyrazinamide", "contraindications", said))
    found = verdicts(engine, "PMH: gout\nDH: isoniazid 300 mg\n")
    assert found["Is isoniazid contraindicated in patients with gout?"] == "related"


@pytest.mark.parametrize(
    ("text", "name", "status"),
    [
        ("Prednisolone 40 mg daily for 4 weeks, tapered over 2 weeks.", "prednisolone", "planned"),
        ("Isoniazid 300 mg daily for a further 2 months, then stop.", "isoniazid", "planned"),
        ("Streptomycin 1 g daily to replace pyrazinamide.", "streptomycin", "planned"),
        ("Start treatment without delay: rifampicin 600 mg.", "rifampicin", "started"),
        ("If no fever: isoniazid 300 mg daily.", "isoniazid", "planned"),
        ("Never had bedaquiline or linezolid.", "linezolid", "absent"),
        ("Because of the load add streptomycin 750 mg daily.", "streptomycin", "started"),
        ("Isoniazid 300 mg, currently stopped.", "isoniazid", "stopped"),
        ("Not on prednisolone, never took it.", "prednisolone", "absent"),
    ],
)
def test_what_is_done_with_a_medicine_of_a_plan(text: str, name: str, status: str):
    """A course that ends was a medicine that is stopped; what begins at once was not taken."""
    found = {m.name.lower(): m.status for m in read_medications(text, "plan")}
    assert found[name] == status


@pytest.mark.parametrize(
    "heading", ["Plan and medication on discharge", "I suggest the following:", "Plan at discharge"]
)
def test_a_heading_of_what_is_proposed_is_one_of_a_plan(heading: str):
    note = f"History\nCough for a month.\n\n{heading}\n- Isoniazid 300 mg daily.\n"
    assert statuses(note) == {"isoniazid": "planned"}


def test_the_title_of_a_note_heads_no_list_of_medicines():
    note = "CLINIC NOTE WITH MEDICATION REVIEW\n\nCough for weeks. HIV negative.\n\nPlan\nRest.\n"
    assert summary_of(note).medicines_allergies == ()


def test_who_was_referred_is_no_recommendation():
    assert not summary_of("Referred with pleural tuberculosis.\n\nPlan\nRest.\n").assessment[1:]


def test_roman_numbers_and_letters_are_signs_of_a_list():
    """The number of the next item ended a statement, and two items were one."""
    note = read_note(
        "Plan:\ni. Rest at home.\nii. HIV test today.\niii. Smear at 2 months.\n(a) Fluids.\n",
        1_000,
    )
    assert [note.said(unit) for unit in note.units] == [
        "Rest at home.", "HIV test today.", "Smear at 2 months.", "Fluids."
    ]  # fmt: skip
