"""Statuses, people and lists as wards and clinics write them, found on notes of many kinds."""

from __future__ import annotations

import pytest

from clinrag_core.notes.measures import read_medications
from clinrag_core.notes.summarise import NoteSummariser
from clinrag_core.settings import Settings


def of_note(settings: Settings, text: str) -> dict[str, set[str]]:
    """Return the statuses that a note's summary gives each medicine."""
    found: dict[str, set[str]] = {}
    for _, item in NoteSummariser(settings).summarise(text, with_plan=True).summary.filed():
        for one in item.medications:
            found.setdefault(one.name.lower(), set()).add(one.status)
    return found


def statuses(text: str, kind: str = "medications") -> dict[str, str]:
    return {m.name.lower(): m.status for m in read_medications(text, kind)}


@pytest.mark.parametrize(
    "text",
    [
        "Ramipril 5 mg od - d/c last month, cough",
        "Ramipril 5 mg od - dc'd on Monday",
        "Ramipril 5 mg od suspended on arrival",
        "Ramipril 5 mg od (paused)",
        "Ramipril 5 mg od - omitted since Friday",
        "Ramipril 5 mg od on hold",
        "Ramipril 5 mg od held, restart Monday",
        "Ramipril 5 mg od - not taking for the last fortnight",
        "Ramipril 5 mg od, ran out in May",
        "Ramipril 5 mg od prn, not needed since spring",
        "Ramipril - off since surgery",
        "Ramipril 5 mg od -- never picked up",
        "Ramipril 5 mg od, not dispensed",
        "He no longer uses ramipril 5 mg.",
        "He coughed on ramipril, which was withdrawn.",
        "Ramipril 5 mg od - self-stopped in May",
        "Ramipril 5 mg has been replaced by losartan 50 mg od.",
    ],
)
def test_words_of_the_ward_that_stop_a_medicine_are_read(text: str):
    assert statuses(text)["ramipril"] == "stopped"


@pytest.mark.parametrize(
    "text",
    [
        "Doxycycline 100 mg bd completed yesterday (7/7)",
        "Doxycycline 100 mg bd - finished on Sunday",
        "Doxycycline 100 mg bd - course completed",
        "Doxycycline 100 mg bd: last dose yesterday, course complete",
        "Doxycycline 100 mg bd was used for two days only and has ended.",
        "Doxycycline 100 mg bd given throughout, last dose today.",
        "She took doxycycline 100 mg bd for a week in June, now completed.",
        "Doxycycline was given for 7 days for a bite and has finished.",
    ],
)
@pytest.mark.parametrize("kind", ["medications", "history"])
def test_a_course_that_is_called_over_is_finished(text: str, kind: str):
    assert statuses(text, kind)["doxycycline"] == "finished"


@pytest.mark.parametrize(
    "text",
    [
        "Continue doxycycline 100 mg bd until the course is completed.",
        "Doxycycline 100 mg bd to complete 7 days.",
        "Doxycycline 100 mg bd, to be finished at home.",
        "Doxycycline 100 mg bd, not yet completed.",
    ],
)
def test_a_course_that_has_still_to_be_completed_is_not_finished(text: str):
    assert statuses(text, "plan")["doxycycline"] != "finished"


@pytest.mark.parametrize("text", ["Bisoprolol 2.5 mg od cont", "cont. bisoprolol 2.5 mg od"])
def test_shorthand_for_continued_is_read(text: str):
    assert statuses(text, "plan")["bisoprolol"] == "continued"


@pytest.mark.parametrize(
    "text",
    [
        "Sertraline 50 mg - switched to mirtazapine 15 mg nocte in May",
        "Sertraline was given after a crisis at home and then changed to mirtazapine 15 mg.",
        "IV sertraline converted to oral mirtazapine today.",
    ],
)
def test_a_medicine_that_was_switched_to_another_one_is_stopped(text: str):
    found = statuses(text)
    assert found["sertraline"] == "stopped"
    assert found["mirtazapine"] in {"switched", "started", "current"}


def test_another_route_or_dose_of_a_medicine_stops_nothing():
    assert statuses("Amoxicillin 1 g iv switched to amoxicillin 500 mg po")["amoxicillin"] != (
        "stopped"
    )


def test_both_medicines_before_a_comma_are_stopped():
    found = statuses("Treated with ceftriaxone 2 g bd and aciclovir, both stopped on day 3.")
    assert set(found.values()) == {"stopped"}


@pytest.mark.parametrize("last", ["both held", "all on hold", "- off since Monday"])
def test_what_is_said_behind_a_list_is_said_of_all_of_it(last: str):
    found = statuses(f"Aspirin, clopidogrel {last}")
    assert set(found.values()) == {"stopped"}


def test_a_medicine_that_would_be_used_was_not_tried():
    text = "If it recurs streptomycin 1 g daily would be used."
    assert statuses(text, "plan")["streptomycin"] != "tried"


def test_a_medicine_charted_but_not_yet_given_is_planned():
    text = "Fluconazole 200 mg od - charted last night, first dose not yet given"
    assert statuses(text)["fluconazole"] in {"planned", "started"}


def test_discharge_is_no_discontinuation():
    assert statuses("Bisoprolol 2.5 mg od - supply for d/c home")["bisoprolol"] == "current"


@pytest.mark.parametrize(
    "text",
    [
        "E coli, sens amoxicillin, gentamicin, R trimethoprim",
        "E coli S to amoxicillin, R to trimethoprim",
        "grew E coli (sens: amoxicillin and gentamicin)",
    ],
)
def test_what_an_organism_was_tested_against_is_not_taken(text: str):
    assert read_medications(text, "plan") == ()


def test_the_start_of_a_regimen_by_its_letters_is_read():
    found = statuses("RHZE was started on 4 May together with prednisolone.", "history")
    assert found["rhze"] == "started"


def test_a_label_of_what_was_stopped_holds_for_the_whole_line(note_settings: Settings):
    text = (
        "Medications on discharge\nBisoprolol 2.5 mg od\n"
        "Stopped this admission: amlodipine 5 mg (BP low), indapamide\n"
    )
    result = NoteSummariser(note_settings).summarise(text)
    found = {m.name: m.status for i in result.summary.medicines_allergies for m in i.medications}
    assert found["amlodipine"] == found["indapamide"] == "stopped"


WARD = """WARD ROUND Thu
Mr B, 70M, CrCl 60 mL/min.

Problem list
# CAP - L lower lobe, day 3
# UTI - urine grew E coli
# Depression

Drug chart:
Amoxicillin 1 g tds
Sertraline 50 mg od
Aspirin, clopidogrel - off since the bleed
Insulin sliding scale -> stopped this am, glucose 7-9
Enoxaparin 40 mg od

O/E: chest clearer.

Plan
CAP:
- amoxicillin to complete 5 days
AKI:
- renal US
- ramipril stays on hold, restart Monday
HTN:
- amlodipine 5 mg od started
"""


def test_a_drug_chart_below_a_list_of_problems_is_no_plan(note_settings: Settings):
    result = NoteSummariser(note_settings).summarise(WARD, with_plan=True)
    assert result.plan is not None
    said = [one.recommendation for one in result.plan.recommendations]
    assert not any("urine grew" in one or "tds" in one or "Enoxaparin" in one for one in said)
    assert any("renal US" in one for one in said)
    assert any("ramipril stays on hold" in one for one in said)
    given = {
        m.name.lower(): m.status for i in result.summary.medicines_allergies for m in i.medications
    }
    assert given["enoxaparin"] == "current"
    assert given["aspirin"] == given["clopidogrel"] == given["ramipril"] == "stopped"


def test_medicines_at_a_transfer_are_a_list_of_medicines(note_settings: Settings):
    text = (
        "58M, day 9.\n\nMeds at transfer\nTelavancin 740 mg od\nAspirin 75 mg od\n\nPlan\n- home\n"
    )
    result = NoteSummariser(note_settings).summarise(text)
    assert [s.kind for s in result.sections if s.title == "Meds at transfer"] == ["medications"]


@pytest.mark.parametrize("how", ["used twice", "used prn", "used for sleep"])
def test_a_medicine_that_is_used_now_and_then_was_not_tried(how: str):
    assert statuses(f"Zopiclone 7.5 mg - {how}")["zopiclone"] == "current"


def test_a_course_that_ended_some_time_ago_is_finished():
    text = "Amoxicillin 250 mg tds for an ear infection finished two weeks ago."
    assert statuses(text, "history")["amoxicillin"] == "finished"


def test_the_latter_of_two_that_was_changed_is_stopped():
    text = "Started with dexamethasone; the latter was changed to prednisolone 40 mg on Friday."
    assert statuses(text, "history")["dexamethasone"] == "stopped"


def test_what_somebody_does_not_get_because_of_another_drug_leaves_that_one():
    found = statuses("TEDS (no enoxaparin as on apixaban)", "plan")
    assert found == {"enoxaparin": "absent", "apixaban": "current"}


@pytest.mark.parametrize(
    ("text", "name", "status"),
    [
        ("Allergies: sulfa (hives)", "sulfa", "allergy"),
        ("Co-codamol has been replaced by tramadol 50 mg qds.", "co-codamol", "stopped"),
        ("K 3.3, Sando-K 2 tablets tds", "sando-k", "current"),
    ],
)
def test_everyday_names_of_medicines_are_read(text: str, name: str, status: str):
    assert statuses(text, "allergies" if "All" in text else "history")[name] == status


ROUND = """Acute Medicine, day 4, reviewed 09:10

83F, lives alone with carers bd. eGFR 27, wt 44 kg.

1) L basal CAP, CURB 3 - improving. CRP 240 -> 96. Clarithromycin 500 mg bd stopped (QTc 510).
2) Long QT - ECG this am QTc 498. K 3.3. Citalopram suspended.
3) AF - apixaban 2.5 mg bd cont. Bisoprolol 5 mg held (HR 48), restart when HR > 60. Digoxin \
62.5 mcg od.
4) Painful legs - gabapentin 600 mg tds increased from 300 mg tds.
5) Constipation - laxido ii bd, senna stopped (cramps).

Her daughter asks whether contact with flu matters, reassured.

Plan: bloods daily, PT/OT, aim home Monday.
"""


def test_a_list_of_problems_with_orders_is_part_of_the_plan(note_settings: Settings):
    result = NoteSummariser(note_settings).summarise(ROUND, with_plan=True)
    assert result.plan is not None
    said = "\n".join(one.recommendation for one in result.plan.recommendations)
    assert all(one in said for one in ("Citalopram", "Bisoprolol", "gabapentin", "senna"))
    assert "bloods daily" in said


def test_a_list_of_what_somebody_has_is_no_plan(note_settings: Settings):
    text = (
        "Clinic, 9 May\n\n70M.\n\n1) COPD - stable on tiotropium 18 mcg od.\n"
        "2) Gout - last attack in 2020.\n3) Hip - replaced.\n\nPlan: see in a year.\n"
    )
    result = NoteSummariser(note_settings).summarise(text, with_plan=True)
    assert result.plan is not None
    assert [one.recommendation for one in result.plan.recommendations] == ["see in a year."]


def test_a_sentence_that_ends_with_a_figure_ends_what_is_stopped():
    text = "Bisoprolol 5 mg held, restart when HR > 60. Digoxin 62.5 mcg od."
    assert statuses(text, "plan") == {"bisoprolol": "stopped", "digoxin": "planned"}


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Codeine 30 mg prn | new, 5 days' supply", "started"),
        ("Codeine 30 mg prn | new", "started"),
        ("Codeine 30 mg prn | dose halved, was 60 mg", "decreased"),
        ("Codeine 30 mg prn | dose doubled", "increased"),
        ("Codeine 30 mg prn | ceased", "stopped"),
        ("Codeine 30 mg prn | unchanged", "continued"),
        ("Codeine is not necessary", "absent"),
    ],
)
def test_a_column_says_what_is_done_with_a_medicine(text: str, status: str):
    assert statuses(text)["codeine"] == status


def test_a_sentence_that_continues_one_medicine_says_nothing_of_the_next():
    text = "Aspirin to carry on. Enoxaparin 40 mg sc od start"
    assert statuses(text, "plan") == {"aspirin": "continued", "enoxaparin": "started"}


def test_a_dose_may_follow_what_is_done_with_a_medicine(note_settings: Settings):
    text = "Recommendations\n- Bloods daily.\n- Gabapentin: continue 300 mg tds.\n- CXR.\n"
    result = NoteSummariser(note_settings).summarise(text, with_plan=True)
    given = [m for i in result.summary.medicines_allergies for m in i.medications]
    assert {(m.name, m.dose, m.status) for m in given} == {("Gabapentin", "300 mg", "continued")}


def test_the_medicines_per_chart_are_a_list_of_medicines(note_settings: Settings):
    text = "66M.\n\nCurrent Rx per chart: aspirin 75 mg od; phenytoin 300 mg on.\n\nPlan\n- CXR\n"
    assert of_note(note_settings, text) == {"aspirin": {"current"}, "phenytoin": {"current"}}


@pytest.mark.parametrize(
    ("text", "name", "status"),
    [
        ("Cycloserine - never started", "cycloserine", "absent"),
        ("St John's wort was given up years ago", "st john's wort", "stopped"),
    ],
)
def test_what_was_never_begun_or_is_given_up_is_not_taken(text: str, name: str, status: str):
    assert statuses(text)[name] == status


def test_what_is_given_where_another_medicine_is_not_tolerated_is_not_denied():
    text = "If rifampicin is not tolerated, isoniazid 300 mg daily will be offered."
    assert statuses(text, "plan")["isoniazid"] != "absent"


def test_what_has_been_given_is_a_list_of_medicines(note_settings: Settings):
    text = "76M.\n\nWhat has been given\nCeftriaxone 2 g od\nEnoxaparin 90 mg bd\n\nJobs\n1. CXR\n"
    assert of_note(note_settings, text) == {"ceftriaxone": {"current"}, "enoxaparin": {"current"}}


def test_what_another_medicine_is_kept_off_with_is_taken():
    found = statuses("Simvastatin stays off with amiodarone", "plan")
    assert found == {"simvastatin": "stopped", "amiodarone": "current"}
