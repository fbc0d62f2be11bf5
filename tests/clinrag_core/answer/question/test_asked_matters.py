"""Matters of tests and levels: which questions ask them, and what speaks of them. Invented."""

from __future__ import annotations

import pytest
from fakes.gate_checks import check_fit, check_misfit
from fakes.statements import LABELS, label, statement

from clinrag_core.answer.question.asking import asked_matters
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
START, AGAIN = "liver tests at the start", "another test for the infection"
LEVEL = "what a level calls for"
NEGATIVE = "what a negative test for the infection says of disease"


def names(question: str, *, of_drug: bool = True) -> list[str]:
    return [one.name for one in asked_matters(question, of_drug=of_drug)]


@pytest.mark.parametrize(
    ("question", "matter"),
    [
        ("Which liver tests before zolumycin?", START),
        ("Baseline LFTs on zolumycin?", START),
        ("Who needs liver bloods?", START),
        ("Liver enzymes at the start of zolumycin?", START),
        ("Repeat the TST on zolumycin?", AGAIN),
        ("Does he need another skin test?", AGAIN),
        ("Quantiferon again after zolumycin?", AGAIN),
        ("Does a negative IGRA exclude TB?", NEGATIVE),
        ("Mantoux negative, cough, so not active TB?", NEGATIVE),
        ("Zolumycin trough 22, cut the dose?", LEVEL),
        ("Zolumycin trough is 22: stretch the interval?", LEVEL),
        ("Zolumycin, drug level 30: what to do?", LEVEL),
    ],
)
def test_a_matter_is_asked(question: str, matter: str) -> None:
    assert matter in names(question)


@pytest.mark.parametrize(
    ("question", "matter"),
    [
        ("IGRA negative, how to rule out TB?", NEGATIVE),
        ("Does a positive IGRA exclude anything?", NEGATIVE),
        ("LFTs monthly on zolumycin?", START),
        ("Does he need a skin test?", AGAIN),
        ("Repeat the urine test?", AGAIN),
        ("Which trough do we stay under?", LEVEL),
        ("When is the zolumycin trough drawn?", LEVEL),
    ],
)
def test_a_matter_next_to_it_is_not_asked(question: str, matter: str) -> None:
    assert matter not in names(question)


def test_tests_need_no_drug_and_a_level_does() -> None:
    assert START in names("Baseline LFTs?", of_drug=False)
    assert AGAIN in names("Repeat the TST?", of_drug=False)
    assert LEVEL not in names("Trough 22, cut the dose?", of_drug=False)


def test_liver_tests_at_the_start_are_not_those_in_the_course() -> None:
    asked = "Which liver tests before zolumycin?"
    check_fit(asked, label("Measure bilirubin at baseline.", group="warnings"), DRUGS)
    for said in (
        "Liver tests should be done monthly on zolumycin.",
        "Liver tests may rise at any time, whatever they were before zolumycin.",
    ):
        check_misfit(asked, label(said, group="warnings"), "aspect", DRUGS)


def test_another_test_is_said_of_by_what_speaks_of_an_earlier_one() -> None:
    asked = "Does he need another skin test?"
    check_fit(asked, statement("A skin test for TB is not done after a previous one."), DRUGS)
    read = statement("A skin test for TB is read after two days.")
    check_misfit(asked, read, "aspect", DRUGS)


def test_a_level_calls_for_a_change_and_not_for_another_level() -> None:
    asked = "Zolumycin trough 22, cut the dose?"
    change = label("Extend the interval of zolumycin if the trough is above 20.", group="dosage")
    check_fit(asked, change, DRUGS)
    for said in ("The zolumycin trough is taken before the fourth dose.", "Give 500 mg daily."):
        check_misfit(asked, label(said, group="dosage"), "aspect", DRUGS)
