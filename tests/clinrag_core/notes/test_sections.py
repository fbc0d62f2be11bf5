"""Headings of every form are found with their exact characters; what looks like one is text."""

from __future__ import annotations

import pytest

from clinrag_core.notes.read import read_note
from clinrag_core.notes.records import OVERVIEW
from clinrag_core.notes.sections import find_sections


def titles(text: str) -> list[tuple[str, str]]:
    return [(section.title, section.kind) for section in find_sections(text)]


def test_headings_are_found_in_order_after_an_overview(note):
    assert [(s.title, s.kind) for s in note.sections] == [
        (OVERVIEW, "overview"),
        ("CC", "complaint"),
        ("HPI", "history"),
        ("PMH", "past"),
        ("DH", "medications"),
        ("Allergies", "allergies"),
        ("FH", "family"),
        ("SH", "social"),
        ("O/E", "exam"),
        ("CXR", "results"),
        ("Impression", "assessment"),
        ("Plan", "plan"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "## Social History\nworks nights", ("Social History", "social"), id="markdown"
        ),
        pytest.param("**Plan:** rest", ("Plan", "plan"), id="bold"),
        pytest.param("1. MEDICATIONS:\naspirin", ("MEDICATIONS", "medications"), id="numbered"),
        pytest.param("Results\n\nNormal film.", ("Results", "results"), id="alone"),
        pytest.param("FH - father had gout", ("FH", "family"), id="dash"),
        pytest.param("PC. Sore knee", ("PC", "complaint"), id="stop"),
        pytest.param("PMHx , gout", ("PMHx", "past"), id="comma"),
        pytest.param("DHx allergies - nil", ("DHx", "medications"), id="without-a-sign"),
        pytest.param("Past medical history None", ("Past medical history", "past"), id="none"),
        pytest.param("ODD THINGS SEEN:\ntext", ("ODD THINGS SEEN", ""), id="unknown-capitals"),
        pytest.param("ASSESSMENT AND PLAN\nrest", ("ASSESSMENT AND PLAN", "plan"), id="both"),
        pytest.param("DETAILS OF FAMILY\nnone", ("DETAILS OF FAMILY", "family"), id="by-a-part"),
    ],
)
def test_a_heading_of_each_form(text: str, expected: tuple[str, str]):
    assert titles(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Hx of gout for years", id="abbreviation-in-a-sentence"),
        pytest.param("Rx with rest and fluids", id="short-abbreviation"),
        pytest.param("general weakness since May", id="lower-case"),
        pytest.param("• Cardiovascular: no murmur", id="bullet"),
        pytest.param("Pain: worse at night", id="unknown-word"),
        pytest.param("BP: 120/80 today", id="vital-sign"),
        pytest.param("He has COPD. It is mild.", id="capitals-in-a-sentence"),
    ],
)
def test_what_is_no_heading(text: str):
    assert titles(text) == [(OVERVIEW, "overview")]


def test_a_note_of_one_line_is_cut_at_its_capitals():
    text = "SUBJECTIVE:, Sore throat for days.,MEDICATIONS:, Aspirin.,ALLERGIES: , None."
    assert titles(text) == [
        ("SUBJECTIVE", "history"),
        ("MEDICATIONS", "medications"),
        ("ALLERGIES", "allergies"),
    ]


def test_labels_inside_sections_of_capitals_are_no_headings():
    text = (
        "CHIEF COMPLAINT\n\nCough.\n\nPHYSICAL EXAM\n\nRespiratory\n- Clear.\nHENT: Normal.\n\n"
        "ASSESSMENT AND PLAN\n\nCough.\nInstructions: rest\n"
    )
    assert [t for t, _ in titles(text)] == [
        "CHIEF COMPLAINT",
        "PHYSICAL EXAM",
        "ASSESSMENT AND PLAN",
    ]


def test_line_breaks_that_an_export_wrote_as_commas_are_read_as_such():
    text = "HISTORY:, Cough.,He took 13,000 units.,IMPRESSION,1.  Cold.,2.  Gout."
    note = read_note(text, 1_000)
    assert [s.title for s in note.sections] == ["HISTORY", "IMPRESSION"]
    said = [note.said(unit) for unit in note.units]
    assert said == ["Cough.", "He took 13,000 units.", "Cold.", "Gout."]


def test_a_note_without_headings_is_cut_by_what_it_says():
    text = (
        "Cough for a week.\nHe sleeps badly.\n"
        "On examination he looks well.\nCrackles on auscultation.\n"
        "We will start doxycycline 100 mg twice daily.\nReview in 3 days.\n"
    )
    sections = read_note(text, 1_000).sections
    assert [s.kind for s in sections] == ["overview", "exam", "plan"]
    assert all(s.inferred for s in sections)
    assert text[sections[1].start :].startswith("On examination")


@pytest.mark.parametrize("name", ["MDR-TB", "CAP", "TUBERCULOSIS"])
def test_the_name_of_a_disease_under_a_plan_is_no_heading(name: str):
    text = f"HPI: unwell.\n\nPLAN\n{name}: levofloxacin 750 mg daily. ECG monthly.\n"
    sections = find_sections(text)
    assert [s.title for s in sections] == ["HPI", "PLAN"]


def test_what_follows_a_blank_line_under_the_last_history_is_cut_by_what_it_says():
    """A note without a heading of its plan had an empty plan."""
    text = (
        "PC: cough\nSH: lives alone\n\nLooks well\n\nSafety netted - if worse needs review.\n"
        "If no better return in 5 days.\n"
    )
    note = read_note(text, 1_000)
    assert [s.title for s in note.sections] == [
        "PC", "SH", "Examination", "Plan"
    ]  # fmt: skip
    assert [s.inferred for s in note.sections] == [False, False, True, True]
    plain = read_note("PC: cough\nSH: lives alone\n\nNever smoked\n", 1_000)
    assert [s.title for s in plain.sections] == ["PC", "SH"]
