"""What a statement says is done with each medicine, and how brands and dictated doses are read."""

from __future__ import annotations

import pytest

from clinrag_core.notes.measures import read_medications
from clinrag_core.notes.outline import outline
from clinrag_core.notes.reading import plain
from clinrag_core.notes.summarise import NoteSummariser
from tests.fakes.note_answers import GUIDELINE, Answers, verdicts


def statuses(text: str, kind: str = "plan") -> dict[str, str]:
    return {m.name.lower(): m.status for m in read_medications(text, kind)}


def listed(summariser: NoteSummariser, text: str) -> dict[str, str]:
    """Return the medicines of the outline of a note with their status in words."""
    result = summariser.summarise(text, with_plan=True)
    own = next(s for s in outline(result) if s.name == "medicines_allergies")
    return {item.text: item.status for group in own.groups for item in group.items}


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Pyrazinamide is not to be given to her again.", "avoided"),
        ("Streptomycin must not be restarted.", "avoided"),
        ("Pyrazinamide: never again.", "avoided"),
        ("Naproxen contraindicated.", "avoided"),
        ("Moxifloxacin was not started.", "absent"),
        ("Moxifloxacin is to be given each morning.", "started"),
    ],
)
def test_a_medicine_that_must_not_be_taken_is_not_started(text: str, status: str):
    assert list(statuses(text).values()) == [status]


@pytest.mark.parametrize(
    "text",
    [
        "Swap erythromycin for doxycycline 100 mg bd.",
        "Change erythromycin to doxycycline 100 mg bd.",
        "Replace erythromycin by doxycycline 100 mg bd.",
    ],
)
def test_the_medicine_that_another_one_replaces_is_stopped(text: str):
    found = statuses(text)
    assert found["erythromycin"] == "stopped"
    assert found["doxycycline"] in {"planned", "switched"}


def test_a_dose_that_changes_stops_nothing():
    assert statuses("Change levothyroxine to 75 micrograms.")["levothyroxine"] != "stopped"


def test_a_word_that_stops_the_next_medicine_is_not_said_of_the_one_before():
    found = statuses("Continue bisoprolol, stop amlodipine.")
    assert found == {"bisoprolol": "continued", "amlodipine": "stopped"}


def test_both_medicines_are_stopped_where_both_have_been():
    found = statuses("Ethambutol and linezolid have both been stopped.")
    assert set(found.values()) == {"stopped"}


def test_what_a_medicine_is_kept_apart_from_does_not_stop_it():
    found = statuses("Avoid antacids with ciprofloxacin 500 mg bd.")
    assert found["ciprofloxacin"] == "current"


def test_what_somebody_has_taken_since_is_still_taken():
    assert statuses("He has taken RHZE, 3 tablets daily, since.", "history")["rhze"] == "current"


@pytest.mark.parametrize(
    ("text", "dose"),
    [
        ("Ethambutol eight hundred daily for two months", "eight hundred"),
        ("Isoniazid two hundred and fifty daily", "two hundred and fifty"),
        ("Isoniazid three hundred and ethambutol eight hundred daily", "three hundred"),
        ("clarithro 250 IV bd", "250"),
        ("Phenytoin 61 umol/L", ""),
    ],
)
def test_a_dose_is_read_whole_and_a_level_is_none(text: str, dose: str):
    assert read_medications(text, "plan")[0].dose == dose


def test_a_brand_is_read_and_checked_as_its_drug():
    (medicine,) = read_medications("Klaricid 500 mg bd", "medications")
    assert medicine.ingredients == ("clarithromycin",)
    assert plain("Klaricid 500 mg bd") == "clarithromycin 500 mg bd"


def test_an_order_to_stop_is_not_shown_as_done(summariser: NoteSummariser):
    note = "DH: sertraline 50 mg daily, warfarin 3 mg\nPlan:\n1. Replace sertraline by mirtazapine."
    assert listed(summariser, note)["sertraline"] == "to be stopped"


def test_a_medicine_at_another_dose_or_time_is_shown_as_well(summariser: NoteSummariser):
    note = "DH: furosemide 40 mg od\nPlan:\n1. Furosemide 40 mg IV bd\n2. Bloods tomorrow"
    assert "Furosemide 40 mg bd" in listed(summariser, note)


def test_the_same_dose_in_other_words_is_shown_once(summariser: NoteSummariser):
    note = "DH: ramipril 5 mg od\nPlan:\n1. Continue ramipril 5 mg once daily\n2. Bloods tomorrow"
    assert not any("amipril" in text for text in list(listed(summariser, note))[1:])


def test_a_medicine_for_a_relative_hides_none_of_the_patients(summariser: NoteSummariser):
    note = (
        "HPI: 40-year-old woman with tuberculosis.\nPlan:\n1. Restart isoniazid.\n"
        "2. Daughter aged 3: isoniazid 100 mg daily.\n"
    )
    found = listed(summariser, note)
    assert found["isoniazid"] == "in the plan"
    assert found["isoniazid 100 mg daily"].startswith("for somebody else")


ADVICE = "Levofloxacin is recommended for people with isoniazid-resistant tuberculosis."


def test_an_item_that_only_names_a_drug_is_not_supported_by_advice_to_give_it():
    note = (
        "HPI: 40-year-old man.\nImpression: isoniazid-resistant tuberculosis\nPlan:\n"
        "1. Levofloxacin 750 mg daily.\n2. ECG before levofloxacin.\n"
    )
    found = verdicts(Answers(("Tuberculosis", GUIDELINE, ADVICE)), note)
    assert found["Is levofloxacin recommended for tuberculosis?"] == "no guideline evidence"


def test_advice_to_give_a_drug_supports_the_item_that_gives_it():
    note = (
        "HPI: 40-year-old man.\nImpression: isoniazid-resistant tuberculosis\nPlan:\n"
        "1. Add levofloxacin.\n"
    )
    found = verdicts(Answers(("Tuberculosis", GUIDELINE, ADVICE)), note)
    assert found["Is levofloxacin recommended for tuberculosis?"] == "supports"


STOPPED = (
    "HPI: 40-year-old man, takes RHZE 4 tablets daily.\nImpression: liver injury\nPlan:\n"
    "1. {}\n2. Restart isoniazid in a week.\n"
)


def test_drugs_of_a_treatment_that_was_stopped_are_no_longer_taken(summariser: NoteSummariser):
    found = listed(summariser, STOPPED.format("All four TB drugs were stopped on Monday."))
    assert found["RHZE 4 tablets daily"] == "stopped"
    assert found["isoniazid"] == "in the plan"


def test_a_treatment_to_be_stopped_under_a_condition_is_taken(summariser: NoteSummariser):
    found = listed(summariser, STOPPED.format("If jaundiced, all TB drugs are stopped."))
    assert found["RHZE 4 tablets daily"] == "current"


def test_antiretrovirals_are_no_treatment_of_tuberculosis(summariser: NoteSummariser):
    note = STOPPED.format("All TB drugs were stopped on Monday.").replace(
        "RHZE 4 tablets daily", "efavirenz 600 mg daily"
    )
    assert listed(summariser, note)["efavirenz 600 mg daily"] == "current"


WARNED = (
    "Isoniazid raises the concentration of warfarin; monitor the prothrombin time when isoniazid "
    "is given with warfarin."
)


@pytest.mark.parametrize(
    ("line", "is_asked"),
    [
        ("Change to rifampicin 600 mg, ethambutol 800 mg and levofloxacin 750 mg daily.", False),
        ("Add levofloxacin 750 mg daily.", True),
    ],
)
def test_a_new_regimen_ends_the_drugs_that_it_does_not_have(line: str, *, is_asked: bool):
    note = (
        "HPI: 40-year-old man with tuberculosis, takes isoniazid 300 mg daily and warfarin 4 mg.\n"
        f"Plan:\n1. {line}\n2. Warfarin 4 mg daily.\n"
    )
    found = verdicts(Answers(("Tuberculosis", GUIDELINE, WARNED)), note)
    assert any("isoniazid" in question for question in found) is is_asked


def test_a_label_that_stops_is_of_all_medicines_behind_it(summariser: NoteSummariser):
    note = "HPI: cough.\nMedications:\nramipril 5 mg, sotalol 2 mg. Stopped: naproxen, codeine.\n"
    summary = summariser.summarise(note, with_plan=False).summary
    found = {m.name.lower(): m.status for i in summary.medicines_allergies for m in i.medications}
    assert (found["naproxen"], found["codeine"]) == ("stopped", "stopped")
    assert (found["ramipril"], found["sotalol"]) == ("current", "current")


def test_a_medicine_under_a_condition_is_not_shown_as_given(summariser: NoteSummariser):
    note = "Imp: pneumonia\nPlan:\n1. If the smear is positive: RHZE 4 tabs od\n2. Bloods today\n"
    assert listed(summariser, note)["RHZE 4 tabs od"] == "only under a condition"


@pytest.mark.parametrize(
    ("text", "name"), [("RHZE od from today", "RHZE"), ("Dex 0.4 mg/kg daily", "Dex")]
)
def test_letters_and_short_names_before_a_dose_are_medicines(text: str, name: str):
    assert read_medications(text, "plan")[0].name == name


@pytest.mark.parametrize("text", ["RHZE tolerated well", "Dex has been discussed"])
def test_letters_and_short_names_without_a_dose_are_none(text: str):
    assert read_medications(text, "history") == ()


def test_a_counted_order_for_a_child_is_not_the_patients(summariser: NoteSummariser):
    note = (
        "This is Mr K., forty-six, welder, seen with his wife. Son aged four, well.\n\n"
        "So this is tuberculosis. Plan as follows.\nOne, rifampicin six hundred daily.\n"
        "Two, see him in two weeks.\nThree, for the boy, isoniazid one fifty milligrams daily.\n"
    )
    found = listed(summariser, note)
    own = next(status for text, status in found.items() if text.startswith("isoniazid"))
    assert own.startswith("for somebody else")


@pytest.mark.parametrize(
    ("text", "name", "status"),
    [
        ("clarithro NOT added (QTc 495)", "clarithro", "absent"),
        ("Pyridoxine is not indicated.", "pyridoxine", "absent"),
        ("Avoid ondansetron; use cyclizine 50 mg if sick.", "cyclizine", "started"),
        ("Do not stop prednisolone 40 mg daily.", "prednisolone", "continued"),
        ("Citalopram: she should not stop it on her own.", "citalopram", "planned"),
        ("Amoxicillin in May for otitis: itchy rash over the trunk.", "amoxicillin", "allergy"),
        ("Started RHZE last week.", "rhze", "started"),
    ],
)
def test_a_denied_act_and_one_of_another_clause_are_not_said_of_a_medicine(
    text: str, name: str, status: str
):
    assert statuses(text)[name] == status


def test_how_often_a_test_is_done_is_no_frequency_of_a_medicine_before_it():
    text = "Hold bedaquiline, replace potassium and magnesium, daily ECG."
    assert read_medications(text, "plan")[0].frequency == ""


def test_what_a_relative_takes_is_not_the_patients(summariser: NoteSummariser):
    note = "Patient: Lena, girl, 5 years.\nMother: on treatment with pyrazinamide 1500 mg daily.\n"
    summary = summariser.summarise(note, with_plan=False).summary
    found = {m.status for _, i in summary.filed() for m in i.medications}
    assert found == {"for somebody else"}


def test_a_brand_that_is_held_is_not_shown_as_taken(summariser: NoteSummariser):
    note = "DH: Diamicron MR 60 mg, ramipril 5 mg\nPlan:\n1. Hold gliclazide\n2. Bloods tomorrow\n"
    assert listed(summariser, note)["gliclazide"] == "to be stopped"


PYRIDOXINE = "Pyridoxine should be given to all patients for as long as isoniazid is taken."


@pytest.mark.parametrize(
    ("drug", "is_contradicted"), [("isoniazid 300 mg", True), ("linezolid 600 mg", False)]
)
def test_care_for_another_treatment_contradicts_no_omission(drug: str, *, is_contradicted: bool):
    note = (
        f"HPI: 40-year-old man with tuberculosis, takes {drug} daily.\nPlan:\n"
        f"1. {drug.capitalize()} daily.\n2. Pyridoxine is not needed.\n"
    )
    found = verdicts(Answers(("Tuberculosis", GUIDELINE, PYRIDOXINE)), note)
    said = {verdict for question, verdict in found.items() if "pyridoxine" in question}
    assert ("contradicts" in said) is is_contradicted
