"""How long after a dose a text says that somebody vomited."""

from __future__ import annotations

import pytest

from clinrag_core.facts.vomited_doses import vomited_after

SOON = "If the child vomits within 30 minutes of the dose, repeat it."
LATE = "If the child spits up more than 30 minutes after the dose, do not repeat it."


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("Vomited 20 min after the dose, again?", SOON),
        ("Threw up half an hour after it", SOON),
        ("He vomited an hour later", LATE),
        ("Spat it out, then vomited 2 h after", LATE),
    ],
)
def test_a_vomited_dose_meets_the_rule_for_its_time(asked: str, said: str) -> None:
    other = LATE if said == SOON else SOON
    (mine,) = vomited_after(asked)
    assert [mine.meets(its) for text in (said, other) for its in vomited_after(text)] == [
        True,
        False,
    ]


def test_other_times_are_none_of_vomiting() -> None:
    assert vomited_after("Take it 30 minutes before a meal; vomiting is common.") == ()
