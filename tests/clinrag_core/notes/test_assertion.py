"""How a finding is asserted: whose it is, whether it is there, and when."""

from __future__ import annotations

import pytest

from clinrag_core.notes.assertion import read_note_findings, statement_status


def statuses(text: str, kind: str = "overview") -> dict[str, str]:
    return {f.name: f.status for f in read_note_findings(text, 0, kind)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Denies fever, cough or rash.", {"fever": "absent", "cough": "absent", "rash": "absent"}),
        ("Some nausea, no vomiting", {"nausea": "present", "vomiting": "absent"}),
        ("No fever but a dry cough", {"fever": "absent", "cough": "present"}),
        ("Fever on day one, nil since", {"fever": "present"}),
        ("No improvement of the cough", {"cough": "present"}),
        ("Cough: none", {"cough": "absent"}),
        ("Wheeze was not heard; wheeze: nil", {"wheeze": "absent"}),
        ("He is afebrile", {"fever": "absent"}),
        ("His brother has a cough", {"cough": "family"}),
        ("Lives with his mother and has a cough", {"cough": "present"}),
        ("Headaches as a child", {"headache": "past"}),
        ("Cough over the past 3 days", {"cough": "present"}),
        ("2/7 history of diarrhoea", {"diarrhoea": "present"}),
        ("Return if fever", {"fever": "conditional"}),
        ("Possible seizure", {"seizure": "possible"}),
        ("Temperature is elevated", {"fever": "present"}),
        ("Abdomen soft, non-tender", {"pain": "absent"}),
        ("nil of note, back pain", {"pain": "present"}),
        ("No rash (ongoing back pain)", {"rash": "absent", "pain": "present"}),
        ("Hx of fever for a week", {"fever": "present"}),
        ("History of seizures", {"seizure": "past"}),
        ("Risks of bleeding were discussed", {"bleeding": "possible"}),
        ("He is no longer suffering from back pain", {"pain": "absent"}),
        ("He has never experienced nausea", {"nausea": "absent"}),
        ("Denies taking pain medications", {}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_status_of_a_finding(text: str, expected: dict[str, str]):
    assert statuses(text) == expected


def test_a_heading_says_whose_and_when():
    assert statuses("cough", "family") == {"cough": "family"}
    assert statuses("without any bleeding", "family") == {"bleeding": "absent"}
    assert statuses("medicine for the cough", "plan") == {"cough": "present"}
    assert statuses("watch for fever", "plan") == {"fever": "planned"}


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("She denies any history of cancer.", "past", "absent"),
        ("Some nausea, no vomiting", "overview", "mixed"),
        ("Hysterectomy", "surgical", "past"),
        ("Lives with her husband", "social", "present"),
        ("Keep a diary", "plan", "planned"),
        ("nil", "family", "family"),
        ("He denies hearing a pop, but did hear a crack.", "history", "mixed"),
        ("She denies any pain, however she reports decreased sensation.", "history", "mixed"),
        ("She denies pain, but has no appetite.", "history", "absent"),
        ("The onset of her wound was 1 year ago.", "history", "present"),
        ("An index is ordered to see if the wound can heal.", "plan", "planned"),
        ("A 4-year-old boy with a solitary kidney, treated in the past.", "history", "present"),
        ("All systems are negative, see history of present illness.", "review", "present"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_status_of_a_statement(text: str, kind: str, expected: str):
    assert statement_status(text, read_note_findings(text, 0, kind), kind) == expected


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("She is a 27 y.o. female with a history of tendon release and depression.", "present"),
        ("The patient has a history of chronic back pain that comes and goes.", "present"),
        ("The patient has a history of pneumonia.", "past"),
    ],
)
def test_a_chronic_disease_and_who_the_patient_is_are_not_past(text: str, status: str):
    assert statement_status(text, read_note_findings(text, 0, "history"), "history") == status
