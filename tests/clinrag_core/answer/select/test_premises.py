"""Figures that a question suggests, compared with those of the statements that fit."""

from __future__ import annotations

import pytest
from fakes.statements import LABELS, label, statement

from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.select.plausible import estimated_kidneys, implausible
from clinrag_core.answer.select.premises import contradicted
from clinrag_core.facts.drugs import DrugLexicon


@pytest.fixture(scope="module")
def drugs() -> DrugLexicon:
    return DrugLexicon(LABELS)


@pytest.mark.parametrize(
    ("question", "said", "asked"),
    [
        ("Zolumycin 15 g daily, right?", "Adults: 15 mg/kg daily, maximum 1 g.", "15 g daily"),
        ("Confirm zolumycin 6000 mg daily", "Zolumycin 600 mg once daily.", "6000 mg daily"),
        (
            "Zolumycin 600 mg once weekly, yes?",
            "Zolumycin 600 mg every 12 hours.",
            "600 mg once weekly",
        ),
        ("Is zolumycin given for 60 days?", "Zolumycin 600 mg daily for 6 days.", "60 days"),
        (
            "Zolumycin 900 mg daily, right?",
            "Zolumycin 300 mg daily or 900 mg twice weekly.",
            "900 mg daily",
        ),
        (
            "Zolumycin 900 mg daily for 9 months, right?",
            "Zolumycin 300 mg/day, or 900 mg/dose thrice weekly.",
            "900 mg daily",
        ),
        ("Zolumycin cures in one week?", "Zolumycin is given for 4 months.", "one week"),
        ("Zolumycin for 3 days is usual, isn't it?", "Zolumycin for 10 to 14 days.", "3 days"),
        ("Why is zolumycin 18 g?", "Zolumycin 15 mg/kg daily.", "18 g"),
        ("97 g of zolumycin so far, 15 g daily, right?", "Zolumycin 1 g daily.", "15 g daily"),
        ("She has already received zolumycin 15 g daily?", "Zolumycin 1 g daily.", "15 g daily"),
    ],
)
def test_a_suggested_figure_is_contradicted_by_those_of_the_sources(
    question: str, said: str, asked: str, drugs: DrugLexicon
) -> None:
    (found,) = contradicted(read_slots(question, drugs), [label(said)], drugs)
    assert found.asked == asked
    assert asked in found.sentence
    assert all(stated in found.sentence for stated in found.stated)


def test_of_many_figures_the_greatest_is_named(drugs: DrugLexicon) -> None:
    bands = label("Zolumycin: 10 kg 300 mg; 20 kg 450 mg; 30 kg 600 mg; 40 kg 750 mg; 50 kg 900 mg")
    (found,) = contradicted(read_slots("Confirm zolumycin 1800 mg?", drugs), [bands], drugs)
    assert found.stated[-1] == "900 mg"


def test_of_a_maximum_and_other_figures_the_maximum_contradicts(drugs: DrugLexicon) -> None:
    most = label("Zolumycin: maximum 2 g daily.")
    band = label("Zolumycin 1 g daily.")
    (found,) = contradicted(read_slots("Zolumycin 3 g daily?", drugs), [most, band], drugs)
    assert [one.startswith("at most") for one in found.stated] == [True]


def test_what_a_whole_ampule_holds_is_not_known(drugs: DrugLexicon) -> None:
    whole = label("Inhale the entire contents of one ampule of zolumycin.")
    assert contradicted(read_slots("Zolumycin 0.3 g twice daily?", drugs), [whole], drugs) == ()


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Zolumycin 0.6 g daily, right?", "Zolumycin 600 mg once daily."),
        ("Zolumycin 550 mg every 12 hours?", "Zolumycin 500 to 750 mg every 12 hours."),
        ("Zolumycin 600 mg for 7 days?", "Zolumycin 600 mg daily for 7 to 14 days."),
        ("Zolumycin 900 mg?", "Zolumycin 15 mg/kg daily."),
        ("Cut zolumycin from 300 mg to 150 mg?", "The dose is reduced to one-half in them."),
        ("Zolumycin 40 mg weekly, right?", "Zolumycin 40 mg per mL once weekly."),
        ("Zolumycin 1 tablet daily, right?", "1 ZOLUMAX DS (double strength) tablet daily."),
        (
            "Zolumycin 15 mg/kg once daily, max 1 g, correct?",
            "Adults; Daily: 15 mg/kg Max 1 g; Twice Weekly: 25 mg/kg Max 1.5 g",
        ),
        ("Zolumycin for 26 weeks?", "Zolumycin is given for 6 months."),
        ("What is the dose of zolumycin?", "Zolumycin 600 mg once daily."),
        ("Zolumycin twice weekly, number of doses?", "Zolumycin is given daily: 270 doses."),
        ("Man on 9 months of zolumycin, HIV negative, well. Next?", "Zolumycin for 6 months."),
    ],
)
def test_a_figure_that_the_sources_give_or_cannot_be_compared_with_stays(
    question: str, said: str, drugs: DrugLexicon
) -> None:
    kind = "row" if ";" in said else "sentence"
    shown = [statement(said, statement_kind=kind)]
    assert contradicted(read_slots(question, drugs), shown, drugs) == ()


def test_what_was_had_of_a_course_so_far_is_no_suggested_dose(drugs: DrugLexicon) -> None:
    slots = read_slots("97 g of zolumycin so far. Another month of 1 g?", drugs)
    assert contradicted(slots, [label("Zolumycin: maximum 1 g daily.")], drugs) == ()


def test_strengths_of_a_product_contradict_nothing(drugs: DrugLexicon) -> None:
    row = statement("Drug: Zolumycin (100, 300 mg); Dose: 600 mg daily", statement_kind="row")
    (found,) = contradicted(read_slots("Zolumycin 200 mg daily?", drugs), [row], drugs)
    assert found.stated == ("600 mg daily",)


def test_an_amount_that_was_measured_in_milk_contradicts_nothing(drugs: DrugLexicon) -> None:
    shown = [label("100 mcg of zolumycin was excreted in milk.", "zolumycin")]
    slots = read_slots("She breastfeeds. Zolumycin 50 mg daily ok?", drugs)
    assert not any(one.stated for one in contradicted(slots, shown, drugs))


@pytest.mark.parametrize("kind", ["row", "sentence"])
def test_the_amount_of_one_tablet_of_several_contradicts_nothing(kind, drugs: DrugLexicon) -> None:
    said = "Zolumycin: 200 mg (2 of the 100 mg tablets) once daily"
    shown = [statement(said, statement_kind=kind)]
    assert contradicted(read_slots("Zolumycin is 200 mg daily, right?", drugs), shown, drugs) == ()
    (found,) = contradicted(read_slots("Zolumycin is 100 mg daily, right?", drugs), shown, drugs)
    assert found.stated == ("200 mg once daily",)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Zolumycin 700 mg daily?", "Rifampin 600 mg daily and zolumycin daily."),
        ("Zolumycin 300 mg?", "Zolumycin tablets are swallowed whole."),
        ("Zolumycin 15 g daily?", "Rifampin and zolumycin up to 120 g daily."),
        ("Zolumycin for 3 months?", "Dispense no more than a 2-week supply of zolumycin."),
        ("Zolumycin for 3 months?", "Rifampin is given for 4 months, zolumycin with it."),
    ],
)
def test_a_figure_that_nothing_gives_is_reported_as_not_in_the_sources(
    question: str, said: str, drugs: DrugLexicon
) -> None:
    (found,) = contradicted(read_slots(question, drugs), [statement(said)], drugs)
    assert found.sentence == f"The statements found say nothing of {found.asked} for zolumycin."


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("zolumycin dose for a 70 stone man", "70 stone, would be 444.5 kg"),
        ("zolumycin for a 150-year-old woman", "would be 150 years"),
        ("zolumycin for a 12 stone woman aged 45", ""),
    ],
)
def test_a_figure_that_no_patient_has_is_to_be_checked(question: str, says: str, drugs) -> None:
    sentence = implausible(read_slots(question, drugs))
    assert says in sentence
    assert bool(says) == bool(sentence)


def test_the_dose_of_a_drug_that_is_taken_with_it_is_no_premise(drugs: DrugLexicon) -> None:
    one = statement("Velotrib 5 mg daily with zolumycin lowers sugar.")
    question = "She is on zolumycin 750 mg; velotrib is planned: what to watch for?"
    assert read_slots(question, drugs).partners
    assert contradicted(read_slots(question, drugs), [one], drugs) == ()


def test_a_dose_per_day_is_not_given_as_often_as_the_drug_before_it(drugs: DrugLexicon) -> None:
    said = "Velotrib was given 200 mg three times a week, and zolumycin began at 1200 mg per day."
    slots = read_slots("Was zolumycin begun at 600 mg once a day?", drugs)
    (found,) = contradicted(slots, [statement(said)], drugs)
    assert found.stated == ("1200 mg per day",)


def test_a_clearance_that_was_estimated_is_said(drugs: DrugLexicon) -> None:
    slots = read_slots("Zolumycin for a man of 72 years, 70 kg, creatinine 210 umol/L?", drugs)
    assert "about 28 mL/min (Cockcroft-Gault)" in estimated_kidneys(slots)
    assert not estimated_kidneys(read_slots("Zolumycin with CrCl 28 mL/min?", drugs))


def test_an_amount_below_a_limit_is_not_contradicted_by_it(drugs: DrugLexicon):
    cell = label("Adults: 10 mg/kg; Maximum: 600 mg; Daily", statement_kind="row")
    limit = label("Zolumycin ≤ 20 mg/kg/day is given to children.")
    for asked, is_wrong in ((10, False), (30, True)):
        slots = read_slots(f"Zolumycin is {asked} mg/kg daily, right?", drugs)
        assert bool(contradicted(slots, [cell, limit], drugs)) == is_wrong


def test_each_kind_of_figure_that_is_wrong_is_said_once(drugs: DrugLexicon):
    """Of "once daily for 12 months" only the first had been contradicted."""
    slots = read_slots("Confirm that zolumycin is 300 mg once daily for 12 months", drugs)
    shown = [
        label("Zolumycin 300 mg once weekly."),
        label("Zolumycin 300 mg once-weekly or Once weekly for 3 months."),
    ]
    dose, length = contradicted(slots, shown, drugs)
    assert dose.sentence.endswith("what is quoted here gives 300 mg once weekly for zolumycin.")
    assert length.sentence == "The statements found say nothing of 12 months for zolumycin."


def test_what_some_patients_had_taken_contradicts_nothing(drugs: DrugLexicon):
    slots = read_slots("Zolumycin 60 mg/kg is fine, right?", drugs)
    taken = label("Zolumycin dosages for the five patients were 19, 18 and 16 mg/kg.")
    assert not any(one.stated for one in contradicted(slots, [taken], drugs))


def test_the_dose_for_a_weight_contradicts_nothing_that_is_said_of_all(drugs: DrugLexicon):
    row = label("Zolumycin; Weight - <33 kg: 25 mg/kg daily", statement_kind="row")
    usual = label("Zolumycin: Adult dose: 15 mg/kg", statement_kind="row")
    slots = read_slots("Zolumycin 50 mg/kg is fine, right?", drugs)
    (found,) = contradicted(slots, [row, usual], drugs)
    assert found.stated == ("15 mg/kg",)


def test_a_figure_in_a_cell_whose_heading_has_the_unit_is_given(drugs: DrugLexicon) -> None:
    cell = label("Zolumycin: Dose in mg/kg (range) \u2013 Daily: 25 (20\u201330), maximum 2 g/day")
    other = label("Zolumycin 30 to 40 mg/kg daily.")
    asked = read_slots("Zolumycin 25 mg/kg daily, correct?", drugs)
    assert contradicted(asked, [other, cell], drugs) == ()
    assert contradicted(asked, [other], drugs)


def test_a_maximum_that_is_shown_as_well_gives_a_figure(drugs: DrugLexicon) -> None:
    said, most = label("Zolumycin is used in a sick liver."), label("At most 8 mg of zolumycin.")
    asked = read_slots("Zolumycin 8 mg in a sick liver, right?", drugs)
    assert contradicted(asked, [said], drugs)
    assert contradicted(asked, [said], drugs, [most]) == ()


_TITRATED = (
    "Titrate zolumycin by increments of up to 15 mcg/kg/min. Do not exceed 80 mcg/kg/min during "
    "the first 3 hours. The maintenance dose should not exceed 40 mcg/kg/min."
)


@pytest.mark.parametrize(
    ("question", "notes"),
    [
        ("Zolumycin 35 mcg/kg/min, right?", 0),
        ("Zolumycin 60 mcg/kg/min, right?", 1),
        ("Zolumycin 90 mcg/kg/min, right?", 1),
    ],
)
def test_a_step_of_titration_is_no_limit_of_a_rate(
    question: str, notes: int, drugs: DrugLexicon
) -> None:
    found = contradicted(read_slots(question, drugs), [label(_TITRATED)], drugs)
    assert len(found) == notes
    assert not any("15" in text for one in found for text in one.stated)


def test_by_how_much_a_dose_is_raised_contradicts_nothing(drugs: DrugLexicon) -> None:
    raised = label("Zolumycin 30 mg daily is reached as the dose is increased by 5 mg each week.")
    (found,) = contradicted(read_slots("Zolumycin 60 mg daily, right?", drugs), [raised], drugs)
    assert not any(text.startswith("5") for text in found.stated)


def test_every_amount_that_no_statement_gives_is_named(drugs: DrugLexicon) -> None:
    slots = read_slots("Zolumycin 50 mcg: does 50 mg of it go with rifampin?", drugs)
    said = label("Zolumycin is less effective with rifampin.", group="interactions")
    (found,) = contradicted(slots, [said], drugs)
    assert "50 mcg or 50 mg" in found.sentence


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Is zolumycin 12 g daily safe?", "Some took zolumycin at ≤600 mg/day, others more."),
        (
            "On velotrib, zolumycin 300 mg?",
            "Zolumycin is 150 mg daily with rifampin.",
        ),
        ("Can zolumycin be given once a week?", "Zolumycin should not be given twice weekly."),
    ],
    ids=["group", "other-partner", "forbidden"],
)
def test_figures_of_groups_of_other_pairs_and_of_what_is_forbidden_contradict_nothing(
    question: str, said: str, drugs: DrugLexicon
) -> None:
    found = contradicted(read_slots(question, drugs), [statement(said)], drugs)
    assert not any(one.stated for one in found)
