"""Doses of studies are left out, and likely weights come first. Invented texts."""

from __future__ import annotations

import pytest
from fakes.statements import LABELS, label, statement

from clinrag_core.answer.fit.question_gate import is_fit
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.select.dose_order import (
    at_their_time_first,
    is_unusual,
    likely_weight_first,
    of_their_schedules,
    speaking_of_dose,
    whole_length_first,
    without_studies,
)
from clinrag_core.answer.sources import RankedStatement
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
CHILD = "Zolumycin dose for a 7-year-old?"


def ranked(said: str, score: float = 1.0, **frame: object) -> RankedStatement:
    return RankedStatement(label(said, **frame), "labels", score, score)


def row(weight: str, score: float) -> RankedStatement:
    return ranked(f"Weight: {weight}; Dose: 5 mL", score, statement_kind="row")


def test_the_row_for_the_usual_weight_of_an_age_comes_first():
    light, usual, heavy = (
        row("less than 17 kg", 3.0),
        row("17 to 30 kg", 2.0),
        row("over 30 kg", 1.0),
    )
    text = ranked("Zolumycin is dosed by weight.", 4.0)
    found = likely_weight_first([text, light, heavy, usual], read_slots(CHILD, DRUGS))
    assert [one.statement.said for one in found] == [
        text.statement.said,
        "; ".join(one.statement.said for one in (usual, light, heavy)),
    ]
    assert found[1].score == light.score
    grown = row("over 60 kg", 1.0)
    alone = likely_weight_first([grown, usual], read_slots(CHILD, DRUGS))
    assert [one.statement for one in alone] == [usual.statement, grown.statement]
    known = read_slots("Zolumycin dose for a 7-year-old of 16 kg?", DRUGS)
    assert likely_weight_first([light, usual], known) == [light, usual]


def test_a_row_for_a_weight_that_no_child_of_the_age_has_does_not_fit():
    slots = read_slots("Zolumycin dose for a 10-year-old?", DRUGS)
    for weight, fits in (("7 kg to 10 kg", False), ("25 kg to 30 kg", True)):
        one = label(f"Zolumycin: weight: {weight}; Dose: 5 mL daily", statement_kind="row")
        assert is_fit(slots, one, DRUGS) is fits


def test_what_was_done_in_studies_is_no_dose_and_no_care():
    tried = ranked("Two studies were done with 340 mg/day in children.")
    dose = ranked("Children: zolumycin 100 mg daily.")
    bare = ranked("In the trial zolumycin was given as 5 mg/kg.")
    for question, kept in (
        (CHILD, [dose]),
        ("What monitoring does zolumycin need?", [dose]),
        ("Side effects of zolumycin?", [tried, dose]),
    ):
        assert without_studies([tried, dose], read_slots(question, DRUGS)) == kept
    assert without_studies([tried, bare], read_slots(CHILD, DRUGS)) == [tried, bare]
    assert without_studies([tried], read_slots("Monitoring of zolumycin?", DRUGS)) == []
    guideline = RankedStatement(statement("Studies were done of zolumycin."), "g", 1.0, 1.0)
    assert without_studies([guideline], read_slots("Monitoring of zolumycin?", DRUGS)) == [
        guideline
    ]


@pytest.mark.parametrize(
    ("said", "is_study"),
    [
        ("Infants received zolumycin 5 mg/kg.", True),
        ("Volunteers (12) received zolumycin 5 mg.", True),
        ("The dose was increased to zolumycin 10 mg in week 2.", True),
        ("Those on zolumycin 10 mg had a mean weight of 50 kg.", True),
        ("Zolumycin 5 mg was used in the double-blind part.", True),
        ("Weight fell on zolumycin 5 mg compared with controls.", True),
        ("The growth plate on zolumycin 5 mg was thick.", True),
        ("Patients received the vaccine before zolumycin 5 mg.", False),
        ("Increase the dose of zolumycin to 10 mg.", False),
    ],
)
def test_what_infants_received_or_had_is_of_a_study(said: str, *, is_study: bool) -> None:
    one, dose = ranked(said), ranked("Children: zolumycin 100 mg daily.")
    kept = without_studies([one, dose], read_slots(CHILD, DRUGS))
    assert kept == ([dose] if is_study else [one, dose])


def test_what_only_names_a_drug_gives_no_dose():
    dose, food, bare = (
        ranked(said)
        for said in (
            "Zolumycin 100 mg daily.",
            "Zolumycin is taken with food.",
            "Zolumycin clearance is hard to measure.",
        )
    )
    slots = read_slots("Dose of zolumycin?", DRUGS)
    assert speaking_of_dose([bare, dose, food], slots) == [dose, food]
    assert speaking_of_dose([bare], slots) == []
    assert speaking_of_dose([bare], read_slots("Zolumycin?", DRUGS)) == [bare]


def test_of_two_schedules_what_is_said_of_either_comes_first():
    said = (
        "Zolumycin 500 mg by mouth every 12 hours equals 400 mg into a vein every 12 hours.",
        "Zolumycin 250 mg by mouth every 12 hours equals 200 mg into a vein every 12 hours.",
        "Zolumycin 750 mg by mouth every 12 hours equals 400 mg into a vein every 8 hours.",
    )
    one, other, two = (ranked(text, 3.0 - n) for n, text in enumerate(said))
    both = "He is on zolumycin 400 mg iv q8h. Is 500 mg po q12h the same?"
    found = of_their_schedules([one, other, two], read_slots(both, DRUGS), DRUGS)
    assert [o.statement for o in found] == [o.statement for o in (one, two, other)]
    assert found[1].score == one.score
    single = read_slots("Is zolumycin 500 mg q12h right?", DRUGS)
    assert of_their_schedules([other, one], single, DRUGS) == [other, one]


def test_a_row_for_one_weight_is_no_dose_where_no_weight_is_asked():
    one = label("Weight - kg: 80; Dose - Tablets: 5 every 6 hours", statement_kind="row")
    for question, fits in (
        ("Zolumycin dose in an 80 year old?", False),
        ("Zolumycin dose?", False),
        ("Zolumycin dose at 80 kg?", True),
    ):
        assert is_fit(read_slots(question, DRUGS), one, DRUGS) is fits


def test_what_is_done_so_long_after_a_dose_comes_first():
    planned = ranked("Take tablets after the last dose.", 2.0)
    for asked, said in (
        ("Last injection 10 weeks ago, what now?", "Time since last injection: more than 8 weeks"),
        ("Vomited 20 min after zolumycin: again?", "Vomits within 30 minutes: repeat it."),
    ):
        theirs = ranked(said)
        found = at_their_time_first([planned, theirs], read_slots(asked, DRUGS))
        assert [one.statement for one in found] == [theirs.statement, planned.statement]
        assert found[0].score == planned.score


def test_the_length_of_a_whole_regimen_comes_before_that_of_its_phases():
    phase, old, new = (
        RankedStatement(statement(said, year=year, statement_kind=kind), "guide", score, score)
        for said, year, kind, score in (
            ("The intensive phase of the longer regimen is 6 to 7 months.", 2020, "sentence", 5.0),
            ("Conventional regimens last up to 20 months.", 2017, "sentence", 4.9),
            ("In longer regimens, a total duration of 17 months.", 2020, "recommendation", 4.8),
        )
    )
    every = [phase, old, new]

    def first(question: str) -> str:
        found = whole_length_first(every, read_slots(question, DRUGS), DRUGS)
        assert sorted(one.statement.id for one in found) == sorted(o.statement.id for o in every)
        return found[0].statement.said

    assert first("How long is the long MDR-TB regimen altogether?") == new.statement.said
    assert first("How long is the intensive phase of the regimen?") == phase.statement.said
    assert first("How long is bedaquiline given in the regimen?") == phase.statement.said
    assert first("TB resistant to isoniazid: regimen, duration?") == phase.statement.said


@pytest.mark.parametrize(
    ("question", "of_missed"),
    [("Zolumycin dose?", True), ("Zolumycin dose after a missed dose?", False)],
)
def test_a_dose_under_a_heading_on_missed_doses_is_not_the_usual_one(
    question: str, of_missed: bool
):
    slots = read_slots(question, DRUGS)
    missed = ranked("The recommended dose is 30 mg daily.", headings=("2.8 Missed Doses",))
    usual = ranked("The recommended dose is 30 mg daily.", headings=("2.1 Dosage",))
    assert is_unusual(slots, missed, DRUGS) == of_missed
    assert not is_unusual(slots, usual, DRUGS)
