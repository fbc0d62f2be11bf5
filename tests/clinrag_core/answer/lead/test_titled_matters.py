"""A harm of a drug from the section of its label that is titled with it. Invented texts."""

from __future__ import annotations

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import LABELS, label

from clinrag_core.answer.lead.titled_matters import titled_matter
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
SEIZURES = ("5 Warnings", "5.3 Seizures")
LONG = " ".join(["on and on"] * 50)
BOX = label("Zolumycin can cause seizures.", group="boxed_warning")
TITLE = label("WARNING: SEIZURES", group="boxed_warning")
BEGINS = label("Seizures occurred on zolumycin.", group="warnings", headings=SEIZURES)
TOLD = label(f"Seizures went {LONG}.", group="warnings", headings=SEIZURES)
ORDER = label(
    "If they recur, immediately discontinue zolumycin.", group="warnings", headings=SEIZURES
)
BOTH = label(
    "Monitor all patients.",
    group="warnings",
    headings=("5 Warnings", "5.9 Seizures, Rash, and Nausea"),
)
ALL = [TITLE, BOX, BEGINS, TOLD, ORDER, BOTH]


def leads(question: str, statements=ALL) -> list[str]:
    found = titled_matter(read_slots(question, DRUGS), sources_of(statements, DRUGS))
    return [one.statement.said for one in found]


@pytest.mark.parametrize(
    "question",
    ["Zolumycin and seizures", "Zolumycin seizures?", "Can zolumycin bring on convulsions?"],
)
def test_the_box_and_what_the_section_orders_are_shown(question: str):
    """The ranking had shown three times that it happens, and not what to do."""
    assert leads(question) == [BOX.said, ORDER.said]


def test_a_short_section_is_shown_whole():
    assert leads("Zolumycin and seizures", [BEGINS, ORDER]) == [BEGINS.said, ORDER.said]


@pytest.mark.parametrize(
    "question",
    [
        "Zolumycin and rash in alcoholics",
        "Zolumycin and seizures in a child of 5 years",
        "Zolumycin with velotrib: seizures?",
        "What is the dose of zolumycin in seizures?",
    ],
    ids=["other-words", "people", "partner", "dose"],
)
def test_more_than_a_harm_is_left_to_the_ranking(question: str):
    assert leads(question) == []
