"""A newer guideline that gives a drug no more leads what an older one says of it."""

from __future__ import annotations

import pytest
from fakes.statements import LABELS, statement

from clinrag_core.answer.generate.protocol import QuotableStatement
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.select.part_selection import PartSelection
from clinrag_core.answer.select.selection import withdrawing
from clinrag_core.answer.select.withdrawn import (
    withdrawals,
    withdraws,
    without_outdated_pair,
    without_withdrawn,
)
from clinrag_core.answer.sources import RankedStatement
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
OLD = statement("Zolumycin 15 mg/kg daily.", year=2010)


def found(said: str, year: int, question: str = "What dose of zolumycin?") -> list[str]:
    newer = statement(said, year=year)
    shown, ranked = (
        [RankedStatement(one, "g", 1.0, 1.0) for one in (OLD, newer)][:n] for n in (1, 2)
    )
    return [
        one.statement.said for one in withdrawals(read_slots(question, DRUGS), shown, ranked, DRUGS)
    ]


def test_what_a_newer_guideline_gives_no_more_is_said_first():
    said = "Zolumycin is no longer recommended."
    assert found(said, 2020) == [said]


def test_what_withdraws_a_drug_answers_whatever_else_is_asked_of_it():
    slots = read_slots("How often is the ear tested on zolumycin?", DRUGS)
    assert withdraws(slots, statement("Zolumycin is no longer recommended."), DRUGS)
    assert not withdraws(slots, statement("Velotrib is no longer recommended."), DRUGS)
    in_children = statement("Zolumycin is no longer recommended in children.")
    assert not withdraws(slots, in_children, DRUGS)


def test_what_gives_other_drugs_doses_says_it_only_where_nothing_else_does():
    trial = "Velotrib (750 mg daily) was given; zolumycin is no longer recommended."
    plain = "Zolumycin is no longer recommended."
    newer = [statement(said, year=2020) for said in (trial, plain)]
    old, *ranked = (RankedStatement(one, "g", 1.0, 1.0) for one in (OLD, *newer))
    slots = read_slots("What dose of zolumycin?", DRUGS)
    for among, first in ((ranked, plain), (ranked[:1], trial)):
        (one,) = withdrawals(slots, [old], among, DRUGS)
        assert one.statement.said == first


@pytest.mark.parametrize(
    ("said", "year", "question"),
    [
        ("Zolumycin is no longer recommended.", 2005, "What dose of zolumycin?"),
        ("Zolumycin is no longer recommended in children.", 2020, "What dose of zolumycin?"),
        ("Velotrib is no longer recommended.", 2020, "What dose of zolumycin?"),
        ("Zolumycin is no longer recommended for leprosy.", 2020, "zolumycin dose in TB?"),
        ("Zolumycin is not red.", 2020, "What dose of zolumycin?"),
        ("Zolumycin is fine. Velotrib is no longer used.", 2020, "What dose of zolumycin?"),
        ("Velotrib is no longer used without zolumycin.", 2020, "What dose of zolumycin?"),
        (
            "Zolumycin, as well as velotrib, which is no longer recommended.",
            2020,
            "What dose of zolumycin?",
        ),
    ],
    ids=[
        "older",
        "some-people",
        "another-drug",
        "another-disease",
        "no-withdrawal",
        "another-sentence",
        "said-after",
        "of-the-drug-named-last",
    ],
)
def test_other_statements_withdraw_nothing(said: str, year: int, question: str):
    assert found(said, year, question) == []


@pytest.mark.parametrize(
    ("question", "kept"),
    [
        ("Is zolumycin still recommended?", ["silent"]),
        ("What dose of zolumycin?", ["dose", "silent"]),
    ],
)
def test_a_dose_of_a_withdrawn_drug_is_shown_only_where_it_is_asked(question: str, kept: list[str]):
    said = {
        "dose": "Zolumycin: 15 mg/kg daily.",
        "choice": "Zolumycin can be used as a first choice.",
        "silent": "Zolumycin turns the tears yellow.",
    }
    older = {
        RankedStatement(statement(one, year=2010), "guideline", 1.0, 1.0): name
        for name, one in said.items()
    }
    lead = statement("Zolumycin is no longer recommended.", year=2020)
    leads = [RankedStatement(lead, "guideline", 1.0, 1.0)]
    found = without_withdrawn(read_slots(question, DRUGS), leads, list(older), DRUGS)
    assert [older[one] for one in found] == kept


@pytest.mark.parametrize(
    ("newer", "question", "is_kept"),
    [
        ("Rifampin with zolumycin is used with caution.", "Rifampin plus zolumycin?", False),
        ("Rifampin with zolumycin is given for 2 months.", "Rifampin plus zolumycin?", True),
        ("Rifampin with zolumycin is used with caution.", "Zolumycin?", True),
    ],
)
def test_what_an_older_guideline_allows_of_a_pair_is_left_out_where_a_newer_one_limits_it(
    newer: str, question: str, is_kept: bool
):
    drugs = DrugLexicon(LABELS)
    old = statement("Rifampin with zolumycin is recommended.", year=2000)
    later = statement(newer, year=2001)
    fitting = [RankedStatement(one, "g", 1.0, 1.0) for one in (old, later)]
    kept = without_outdated_pair(fitting, read_slots(question, drugs), drugs)
    assert (fitting[0] in kept) is is_kept
    assert fitting[1] in kept


@pytest.mark.parametrize("role", ["lead", "direct"])
def test_a_part_with_a_withdrawal_bars_what_was_preferred_before(role):
    """An older manual's "either can be the first choice" had led where WHO's "no longer" fitted."""
    newer = statement("Zolumycin is no longer recommended.", year=2020)
    quoted = QuotableStatement(newer, 1.0, (), role)
    part = PartSelection(read_slots("Zolumycin or velotrib?", DRUGS), [quoted], "", ())
    assert withdrawing([part], DRUGS) == [newer]


@pytest.mark.parametrize(
    ("question", "is_withdrawn"),
    [("Dose of zolumycin in MDR-TB?", True), ("Dose of zolumycin?", False)],
)
def test_what_should_not_be_included_is_withdrawn_for_resistant_strains(
    question: str, is_withdrawn: bool
):
    newer = statement("Zolumycin should not be included in the treatment of MDR-TB.", year=2020)
    assert withdraws(read_slots(question, DRUGS), newer, DRUGS) == is_withdrawn
