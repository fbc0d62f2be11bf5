"""The steps of a dosing schedule are shown together. Invented texts."""

from __future__ import annotations

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import LABELS, label, statement

from clinrag_core.answer.complete.schedules import with_schedules
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.sources import RankedStatement
from clinrag_core.facts.drugs import DrugLexicon
from clinrag_core.model.statement import Quote

DRUGS = DrugLexicon(LABELS)


def rows(*said: str):
    return [label(one, statement_kind="row", group="dosage") for one in said]


def shown(question: str, table) -> list[str]:
    ranked = [RankedStatement(table[-1], table[-1].kind, 1.0, 1.0)]
    slots, sources = read_slots(question, DRUGS), sources_of(table, DRUGS)
    return [one.statement.said for one in with_schedules(ranked, slots, sources)]


@pytest.mark.parametrize(
    "labels",
    [
        ("Week 1", "Week 2"),
        ("Regimen: Loading", "Regimen: Maintenance"),
        ("Weeks of treatment: 1-4", "Weeks of treatment: 5-8"),
    ],
)
def test_a_step_brings_the_whole_schedule(labels: tuple[str, ...]):
    table = rows(*(f"{one}; Zolumycin dose: {n + 1}00 mg" for n, one in enumerate(labels)))
    (one,) = shown("How is zolumycin titrated?", table)
    assert one == "; ".join(row.said for row in table)


def test_what_a_schedule_is_for_may_be_said_in_one_of_its_steps():
    table = rows("Regimen: Loading; Dose: 5 mg", "Regimen: Terminal prophylaxis; Dose: 1 mg")
    assert shown("zolumycin dose to prevent TB", table) == ["; ".join(row.said for row in table)]


def test_how_long_a_course_is_asks_for_all_its_steps():
    table = rows("Weeks of zolumycin: 1-4; Dose: 40 mg", "Weeks of zolumycin: 5-8; Dose: 20 mg")
    question = "Zolumycin, for how many weeks, at what starting dose?"
    assert shown(question, table) == ["; ".join(row.said for row in table)]


@pytest.mark.parametrize(
    ("question", "table"),
    [
        ("loading dose of zolumycin", rows("Loading; Dose: 5 mg", "Maintenance; Dose: 1 mg")),
        ("dose of zolumycin", rows("Adults; Dose: 5 mg", "Week 1; Dose: 1 mg")),
        ("dose of zolumycin", rows(*(f"Week {n}; {'word ' * 20}" for n in range(1, 8)))),
    ],
    ids=["a-step-asked", "no-schedule", "too-long"],
)
def test_other_rows_stay_alone(question: str, table):
    assert shown(question, table) == [table[-1].said]


def test_a_step_of_a_guideline_brings_the_whole_schedule_of_its_drug():
    said = (f"Weeks of zolumycin: {n}-{n + 3}; Daily dose: {40 - n} mg" for n in (1, 5, 9))
    table = [statement(one, statement_kind="row") for one in said]
    (one,) = shown("Zolumycin taper for a severe reaction?", table)
    assert one == "; ".join(row.said for row in table)


def test_an_infusion_begins_with_the_first_row_of_its_rates():
    table = rows(
        "Interval After Start of Infusion (min): 0-30; Zolumycin (mL/hour): 12",
        "Interval After Start of Infusion (min): 31-60; Zolumycin (mL/hour): 25",
    )
    assert shown("At how many mL/h do I start zolumycin?", table) == [table[0].said]
    assert shown("How many mL/h of zolumycin after 40 minutes?", table) == [table[1].said]


def test_three_infusions_are_shown_together_however_long_their_rows_are():
    long = "given slowly " * 25
    names = ("First Infusion", "Second Infusion (2 weeks later)", "Subsequent Infusions")
    table = rows(*(f"{one}; Zolumycin: {n}50 mg {long}" for n, one in enumerate(names, 1)))
    assert shown("Zolumycin dosing schedule?", table) == ["; ".join(row.said for row in table)]


@pytest.mark.parametrize(
    "question", ["Zolumycin dose in triple therapy?", "What dose of zolumycin?"]
)
def test_a_drug_of_a_combination_brings_the_others(question):
    table = rows(
        "Triple therapy:: Drug: velotrib; Dose: 1 g",
        "Triple therapy:: Drug: zolumycin; Dose: 30 mg",
    )
    assert shown(question, table) == ["; ".join(row.said for row in table)]
    alone = rows("Ulcer: Drug: velotrib; Dose: 1 g", "Ulcer: Drug: zolumycin; Dose: 30 mg")
    assert shown(question, alone) == [alone[-1].said]


@pytest.mark.parametrize(
    ("question", "is_whole"),
    [
        ("What is the dose of zolumycin?", True),
        ("Loading dose of zolumycin?", True),
        ("Dose of zolumycin for pneumonia?", False),
        ("Zolumycin dose in pregnancy?", False),
    ],
)
def test_the_dose_for_one_use_is_shown_with_those_for_all_where_none_is_asked(question, is_whole):
    table = rows("Infection: Skin; Loading dose: 6 mg", "Infection: Lungs; Loading dose: 9 mg")
    whole = ["; ".join(row.said for row in table)]
    assert (shown(question, table) == whole) is is_whole


def test_rows_that_are_shown_together_keep_what_a_footnote_orders_for_one_of_them():
    own, note = (Quote(chunk_id="invented", start=a, end=b) for a, b in ((0, 20), (60, 99)))
    order = label("Adults under 40 kg should take half.", group="dosage")
    order = order.model_copy(update={"quotes": (note,)})
    table = rows("Infection: Skin; Dose: 6 mg", "Infection: Lungs; Dose: 9 mg")
    table = [row.model_copy(update={"quotes": (own, note)}) for row in table]
    ranked = [RankedStatement(one, one.kind, 1.0, 1.0) for one in (table[0], order)]
    slots, sources = read_slots("Dose of zolumycin?", DRUGS), sources_of([*table, order], DRUGS)
    (one,) = with_schedules(ranked, slots, sources)
    assert one.statement.said == f"{table[0].said}; {table[1].said} {order.said}"
