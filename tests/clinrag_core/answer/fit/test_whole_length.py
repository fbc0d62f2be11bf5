"""A regimen that a question names by its length. Invented texts."""

from __future__ import annotations

import pytest
from fakes.statements import LABELS, statement

from clinrag_core.answer.fit.question_gate import is_fit
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
PHASES = "TB is treated with two months of zolumycin and velotrib followed by four of zolumycin."
MONTHS = PHASES.replace("four of", "four months of")
LONG = "For TB a regimen of 9-12 months has 4-6 months of six drugs followed by 5 months of four."


def fits(question: str, text: str) -> bool:
    return is_fit(read_slots(question, DRUGS), statement(text), DRUGS)


@pytest.mark.parametrize(
    ("months", "text"),
    [
        ("six", MONTHS),
        ("9", LONG),
        ("four", "The 4-month regimen for TB has zolumycin and velotrib."),
        ("six", "TB is treated for 6 or 9 months, as the regimen asks."),
        ("four", "The regimen for TB has zolumycin and velotrib."),
    ],
    ids=["phases", "range", "itself", "one-of-several", "no-length"],
)
def test_what_may_last_as_long_is_quoted(months: str, text: str):
    assert fits(f"Which drugs are in the {months}-month regimen for TB?", text)


@pytest.mark.parametrize(
    ("months", "text"),
    [
        ("four", MONTHS),
        ("5", LONG),
        ("four", "The 6-month regimen for TB has zolumycin and velotrib."),
    ],
    ids=["one-phase", "last-phase", "other"],
)
def test_what_lasts_longer_or_shorter_is_not_quoted(months: str, text: str):
    assert not fits(f"Which drugs are in the {months}-month regimen for TB?", text)


def test_how_long_a_regimen_lasts_is_asked_of_every_length():
    assert fits("How long is the four-month regimen for TB given, and why?", MONTHS)


def test_drugs_that_strains_are_still_susceptible_to_are_for_resistant_strains():
    text = "At least five drugs to which the organisms are presumed to be susceptible are used."
    assert not fits("Which drugs are used for drug-susceptible TB?", text)


@pytest.mark.parametrize(
    ("question", "text", "is_fit_"),
    [
        ("How long is zolumycin given?", "Colitis occurred up to 2 months after zolumycin.", False),
        ("How long is zolumycin given?", "Zolumycin is given for 2 months after surgery.", True),
        ("How long is zolumycin given?", "Zolumycin is infused over 30 minutes.", False),
        ("How long is zolumycin infused?", "Zolumycin is infused over 30 minutes.", True),
        (
            "How long after zolumycin may colitis occur?",
            "Colitis occurred up to 2 months after zolumycin.",
            True,
        ),
    ],
    ids=["onset", "given", "infusion", "infusion-asked", "asked"],
)
def test_when_harm_began_is_no_length_of_treatment(question: str, text: str, is_fit_: bool):
    """How long a drug is given had been answered with when colitis had been seen after it."""
    assert fits(question, text) == is_fit_
