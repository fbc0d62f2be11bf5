"""Tablets by body weight, doses in words and schedules in a line of their own."""

from __future__ import annotations

import pytest

from clinrag_core.notes.reading import plain
from tests.fakes.note_answers import GUIDELINE, Answers, verdicts

TB = "Tuberculosis"
ROWS = (
    (TB, GUIDELINE, "Body weight (kg): 30-44; Initial phase - RHZE (150/75/400/275): 2 tablets"),
    (TB, GUIDELINE, "Body weight (kg): 45-60; Initial phase - RHZE (150/75/400/275): 3 tablets"),
)
QUESTION = (
    "How many tablets of ethambutol with isoniazid with pyrazinamide with rifampin at this weight?"
)


def note(line: str, kilograms: int) -> str:
    return (
        f"HPI: 44-year-old woman, weight {kilograms} kg.\nImpression: pulmonary tuberculosis\n"
        f"Plan:\n1. {line}\n"
    )


@pytest.mark.parametrize(
    ("line", "kilograms", "verdict"),
    [
        ("RHZE 3 tablets daily", 52, "supports"),
        ("RHZE fixed-dose 3 tabs daily for 2 months", 52, "supports"),
        ("RHZE 4 tablets daily", 52, "contradicts"),
        ("RHZE 3 tablets daily", 40, "contradicts"),
        ("RHZE 3 tablets daily", 70, None),  # no row for that weight
        ("RH 3 tablets daily", 52, None),
        ("RHZE (300/150/800/550) 3 tablets daily", 52, None),  # of another strength
        ("RHZE 3 tablets three times a week", 52, None),
    ],
)
def test_tablets_are_compared_with_the_row_of_the_weight(
    line: str, kilograms: int, verdict: str | None
):
    assert verdicts(Answers(*ROWS), note(line, kilograms)).get(QUESTION) == verdict


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("linezolid six hundred milligrams 12-hourly", "linezolid 600 milligrams every 12 hours"),
        ("400 mg daily for 2/52, then 200 tiw", "400 mg daily for 2 weeks, then 200 mg three"),
        ("reduced to 250 once daily", "reduced to 250 once daily"),  # no unit was said before
    ],
)
def test_a_statement_is_read_with_all_it_says(written: str, read: str):
    assert plain(written).startswith(read)


def test_a_line_of_its_own_says_how_often_the_drugs_above_it_are_given():
    source = (TB, GUIDELINE, "Rifapentine: 600 mg once weekly for latent tuberculosis infection.")
    before = "HPI: 30-year-old man.\nImpression: latent tuberculosis infection\nPlan:\n"
    wrong = f"{before}- Rifapentine 600 mg\n- Once daily for 12 weeks, with a diary\n"
    right = f"{before}- Rifapentine 600 mg\n- Once weekly for 12 weeks, with a diary\n"
    question = "What is the dose of rifapentine in adults for latent tuberculosis infection?"
    assert verdicts(Answers(source), right)[question] == "supports"
    assert verdicts(Answers(source), wrong)[question] != "supports"


def test_a_dose_in_words_is_compared():
    source = (TB, GUIDELINE, "Linezolid: 600 mg daily for tuberculosis.")
    question = "What is the dose of linezolid in adults for tuberculosis?"
    before = "HPI: 44-year-old woman.\nImpression: pulmonary tuberculosis\nPlan:\n1. "
    for words, verdict in (("six hundred", "supports"), ("nine hundred", "contradicts")):
        text = f"{before}Linezolid {words} milligrams once daily\n"
        assert verdicts(Answers(source), text)[question] == verdict
