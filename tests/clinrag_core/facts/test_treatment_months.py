"""Months of treatment: a rule for the second month is none for the fifth."""

from __future__ import annotations

import pytest
from fakes.gate_checks import found_misfits
from fakes.statements import LABELS, statement

from clinrag_core.facts.drugs import DrugLexicon
from clinrag_core.facts.treatment_months import treatment_months


@pytest.mark.parametrize(
    ("text", "months"),
    [
        ("smear positive at end of month 5", {5}),
        ("smear +ve at end of mo 5", {5}),
        ("At the end of the initial 2 months:", {2}),
        ("in the 6th month of treatment", {6}),
        ("At the end of 6thmonths:", {6}),
        ("positive at two months", {2}),
        ("5 months into treatment", {5}),
        ("a child at 2 months of age", set[int]()),
        ("treated for 6 months", set[int]()),
        ("isoniazid for 9 months", set[int]()),
        ("last seen 3 months ago", set[int]()),
    ],
)
def test_months_are_read_by_their_number(text: str, months: set[int]) -> None:
    assert treatment_months(text) == months


@pytest.mark.parametrize(("month", "fits"), [(5, False), (2, True)])
def test_what_is_headed_by_another_month_is_not_for_the_one_asked_about(
    month: int, *, fits: bool
) -> None:
    drugs = DrugLexicon(LABELS)
    rule = statement(
        "Sputum smear-positive: repeat the smear.",
        headings=("At the end of the initial 2 months:",),
    )
    question = f"Sputum smear positive at the end of month {month}, what next?"
    slots = {one.slot for one in found_misfits(question, rule, drugs)}
    assert ("phase" not in slots) is fits
