"""Rows of a table that a question asks for. Invented texts."""

from __future__ import annotations

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import LABELS, label

from clinrag_core.answer.complete.tables import of_the_row_asked, of_the_table_asked
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.sources import RankedStatement
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
MILDLY = label("Nausea: Mildly Emetogenic Drugs; Dose: 8 mg", statement_kind="row", group="dosage")
HIGHLY = label("Nausea: Highly Emetogenic Drugs; Dose: 24 mg", statement_kind="row", group="dosage")
OTHER = label("Nausea: After Surgery; Dose: 16 mg", statement_kind="row", group="dosage")


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("Zolumycin dose in nausea from highly emetogenic drugs", [HIGHLY]),
        ("Zolumycin dose in nausea from mildly emetogenic drugs", [MILDLY]),
        ("Zolumycin dose in nausea from emetogenic drugs", [MILDLY, HIGHLY]),
        ("Zolumycin dose in nausea from minimally emetogenic drugs", [MILDLY, HIGHLY]),
    ],
)
def test_a_row_of_another_degree_is_not_asked_for(question, rows):
    table = [MILDLY, HIGHLY, OTHER]
    ranked = [RankedStatement(one, "label", 1.0, 1.0) for one in table]
    found = of_the_row_asked(ranked, read_slots(question, DRUGS), sources_of(table, DRUGS))
    assert [one.statement for one in found] == rows


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("IV zolumycin on our formulary?", [0]),
        ("Zolumycin PO: capsules or solution, on our formulary?", [1, 2]),
        ("Zolumycin on our formulary?", [0, 1, 2, 3]),
    ],
)
def test_a_row_of_another_route_is_not_asked_for(question, rows):
    forms = ("IV", "PO Capsules", "PO Sol'n", "Lock")
    table = [label(f"Drug: Zolumycin {form}; Tier: 1", statement_kind="row") for form in forms]
    ranked = [RankedStatement(one, "label", 1.0, 1.0) for one in table]
    found = of_the_row_asked(ranked, read_slots(question, DRUGS), sources_of(table, DRUGS))
    assert [one.statement for one in found] == [table[row] for row in rows]


def test_each_of_two_rows_that_are_compared_is_asked_for():
    table = [
        label(f"Authority: {name}; Restart: ALT below {limit}", statement_kind="row")
        for name, limit in (("Northland Union", 80), ("Southland", 40), ("Westland", 60))
    ]
    ranked = [RankedStatement(one, "label", 1.0, 1.0) for one in table]
    question = "Zolumycin: when to restart, Northland Union versus Westland?"
    found = of_the_row_asked(ranked, read_slots(question, DRUGS), sources_of(table, DRUGS))
    assert [one.statement for one in found] == [table[0], table[2]]


def test_rows_on_some_people_are_not_shown_where_everybody_is_asked_about():
    table = [
        label(
            f"Sensitivity: 0.{figure}",
            statement_kind="row",
            caption=f"Should a film be used to screen {whom}?",
        )
        for figure, whom in ((9, "people with HIV"), (8, "the general population"))
    ]
    ranked = [RankedStatement(one, "label", 1.0, 1.0) for one in table]

    def shown(question: str) -> list:
        found = of_the_table_asked(ranked, read_slots(question, DRUGS), sources_of(table, DRUGS))
        return [one.statement for one in found]

    assert shown("Film to screen the general population: how sensitive?") == table[1:]
    assert len(shown("Film to screen anybody: how sensitive?")) == len(table)
