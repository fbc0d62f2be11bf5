"""The highest dose, where that is asked for. Invented texts."""

from __future__ import annotations

import pytest
from fakes.statements import LABELS, label

from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.select.maximum import no_maximum, with_maximum
from clinrag_core.answer.select.premises import contradicted
from clinrag_core.answer.sources import RankedStatement
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
MAXIMUM = "What is the maximum daily dose of zolumycin?"


def ranked(said: str) -> RankedStatement:
    return RankedStatement(label(said, group="dosage"), "labels", 1.0, 1.0)


DOSE, MOST = ranked("Zolumycin 200 mg daily."), ranked("Zolumycin: at most 300 mg daily.")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (MAXIMUM, [MOST]),
        ("On zolumycin at 250 mg: can I go to 350?", [MOST]),
        ("What is the most zolumycin I may give a day?", [MOST]),
        ("What is the dose of zolumycin?", [DOSE, MOST]),
        ("Starting dose and maximum of zolumycin?", [DOSE, MOST]),
        ("Zolumycin: heart precautions and the maximum dose?", [DOSE, MOST]),
        ("Zolumycin: dose and max weeks?", [DOSE, MOST]),
    ],
)
def test_a_maximum_asked_for_is_answered_by_those_that_state_one(question, expected):
    assert with_maximum([DOSE, MOST], read_slots(question, DRUGS)) == expected
    assert with_maximum([DOSE], read_slots(question, DRUGS)) == [DOSE]


@pytest.mark.parametrize(
    "said",
    [
        "Do not exceed the recommended dose.",
        "The maximum time between doses is 12 hours.",
        "Doses of zolumycin should not exceed 12 hours of infusion.",
        "Zolumycin was given for up to 28 months.",
        "The maximum mean concentration is 4 mg/L.",
        "The C max and AUC rose with zolumycin 400 mg.",
        "It is kept at up to 25 degrees.",
    ],
)
def test_what_has_no_amount_is_no_maximum(said: str):
    slots = read_slots(MAXIMUM, DRUGS)
    assert with_maximum([MOST, ranked(said)], slots) == [MOST]
    assert no_maximum(slots, [DOSE, ranked(said)]) == (
        "No statement found names a maximum dose of zolumycin; what is recommended is shown."
    )


@pytest.mark.parametrize(
    "said",
    [
        "Patients are not to take more than 4,000 milligrams of zolumycin per day.",
        "Nobody should receive no more than 6 doses of zolumycin.",
        "Patients should not receive a cumulative zolumycin dose greater than 140 mg.",
        "Zolumycin: 15 mg/kg; 900 mg maximum.",
        "Zolumycin (20 mg/kg/d and a maximum of 2 gm/d) is dispensed for two weeks.",
        "With velotrib, zolumycin should be limited to 40 mg.",
    ],
)
def test_a_maximum_may_be_said_without_the_word(said: str):
    assert no_maximum(read_slots(MAXIMUM, DRUGS), [DOSE, ranked(said)]) == ""


def test_the_highest_figure_of_a_study_is_no_maximum():
    study = RankedStatement(
        label("At most 300 mg was given.", group="clinical_pharmacology"), "labels", 1.0, 1.0
    )
    assert no_maximum(read_slots(MAXIMUM, DRUGS), [study]) != ""


def test_the_most_that_can_be_given_asks_for_no_contraindication():
    asked = read_slots("What is the most zolumycin I can give in a day?", DRUGS).aspects
    assert asked == {"dose"}


def test_nothing_is_missing_where_no_maximum_is_asked_or_nothing_is_shown():
    assert no_maximum(read_slots("Dose of zolumycin?", DRUGS), [DOSE]) == ""
    assert no_maximum(read_slots(MAXIMUM, DRUGS), []) == ""


def test_a_daily_maximum_suggests_no_frequency():
    twice = label("Zolumycin 200 mg every 12 hours.", group="dosage")
    assert contradicted(read_slots("maximum daily dose of zolumycin?", DRUGS), [twice], DRUGS) == ()


def test_the_maximum_of_the_very_people_comes_first():
    old = ranked("Zolumycin: at most 150 mg daily in patients over 75 years.")
    slots = read_slots("80 year old man: maximum daily dose of zolumycin?", DRUGS)
    assert with_maximum([MOST, old], slots) == [old, MOST]


def test_a_cumulative_dose_that_ends_treatment_is_a_maximum():
    most = ranked(
        "Zolumycin is not given to those who had a cumulative lifetime dose of 140 mg/m2."
    )
    slots = read_slots("Zolumycin: what is the lifetime maximum dose?", DRUGS)
    assert with_maximum([DOSE, most], slots) == [most]
    assert not no_maximum(slots, [DOSE, most])


def test_how_far_a_dose_is_raised_at_a_time_is_no_maximum():
    step = ranked("Raise zolumycin by increments of up to 15 mg daily.")
    assert with_maximum([step, MOST], read_slots(MAXIMUM, DRUGS)) == [MOST]
