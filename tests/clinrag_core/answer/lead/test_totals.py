"""The most of a drug in all leads where a patient has had much of it so far. Invented texts."""

from __future__ import annotations

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import LABELS, label

from clinrag_core.answer.lead.totals import totals_allowed
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
COURSE = label("A total dose of not more than 99 g of zolumycin is given.", group="dosage")
LIFE = label(
    "Patients should not receive a cumulative zolumycin dose greater than 140 mg/m².",
    group="boxed_warning",
)
DAY = label("The total daily dose should not exceed 6 tablets.", group="dosage")
ELDERLY = label(
    "In patients older than 60 years zolumycin should be used at a reduced dosage.", group="dosage"
)
SEEN = label("Heart failure followed a cumulative dose of 140 mg/m².", group="warnings")
EVERY = [COURSE, LIFE, DAY, ELDERLY, SEEN]


def _shown(question: str) -> list[str]:
    found = totals_allowed(read_slots(question, DRUGS), sources_of(EVERY, DRUGS))
    return [one.statement.said for one in found]


@pytest.mark.parametrize(
    "question",
    [
        "A man has had 97 g of zolumycin so far. Go on at 2 g?",
        "Zolumycin, 97 g to date: another month?",
        "She has already received 97 g of zolumycin. More?",
        "Her running total of zolumycin is 132 mg/m2, LVEF 60%. Next 12 mg/m2 tomorrow?",
    ],
)
def test_the_total_leads_where_much_was_had_so_far(question: str) -> None:
    assert _shown(question) == [LIFE.said, COURSE.said]


def test_what_is_said_of_the_very_people_comes_with_it() -> None:
    assert _shown("67, on zolumycin, 97 g so far. Go on?") == [LIFE.said, COURSE.said, ELDERLY.said]


def test_no_total_leads_where_no_amount_had_is_given() -> None:
    assert _shown("Zolumycin 2 g daily for another month?") == []
