"""How many doses in a row a text says were missed."""

from __future__ import annotations

import math

import pytest

from clinrag_core.facts.missed_doses import (
    CountRange,
    meet_missed,
    missed_doses,
    since_last_dose,
    weeks_of_pack,
)
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.normalise import fold_chars


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("If fewer than 4 consecutive doses are missed: resume", [(1, 3)]),
        ("If 4 or more consecutive daily doses are missed, start again", [(4, math.inf)]),
        ("More than two doses missed", [(3, math.inf)]),
        ("Zolumycin: 5 doses in a row forgotten", [(5, 5)]),
        ("She missed one tablet", [(1, 1)]),
        ("He missed three Sundays", [(3, 3)]),
        ("forgot it four Saturdays running", [(4, 4)]),
        ("skipped 2 nights", [(2, 2)]),
        ("She missed more than two Mondays", [(3, math.inf)]),
        ("She missed a dose two nights ago", [(1, 1)]),
        ("missed a dose, he takes it three evenings a week", [(1, 1)]),
        ("missed two Mondays of school", []),
        ("worked three nights", []),
        ("never missed two doses in a row", []),
        ("not on Sundays", []),
        ("Missed the morning dose. The box was out of the fridge 10 days.", []),
        ("He misses three (3) or more tablets in a row", [(3, math.inf)]),
        ("Take 2 tablets twice daily", []),
    ],
)
def test_the_number_of_missed_doses_is_a_range(
    text: str, numbers: list[tuple[float, float]]
) -> None:
    assert list(missed_doses(text)) == [CountRange(*each) for each in numbers]


def test_few_and_many_missed_doses_do_not_meet() -> None:
    (few,), (many,) = missed_doses("fewer than 4 doses missed"), missed_doses("5 doses missed")
    assert not few.meets(many)
    assert many.meets(CountRange(4, math.inf))


@pytest.mark.parametrize(
    ("text", "ago"),
    [
        ("The last injections were 10 weeks ago.", 10),
        ("10 weeks since her last injection", 10),
        ("Zolumycin monthly, no injection for 10 weeks.", 10),
        ("came back after 10 weeks without drugs", 10),
        ("8 weeks off her TB treatment", 8),
        ("stopped RHZE 8/52 ago, LTFU", 8),
        ("defaulted 10 weeks ago", 10),
        ("The last dose was 70 days ago", 10),
        ("10 weeks since his last pair of jabs", 10),
    ],
)
def test_a_time_since_the_last_dose_meets_the_rows_for_it(text: str, ago: float) -> None:
    (asked,) = since_last_dose(text)
    assert asked == CountRange(ago, ago)
    (longer,) = since_last_dose("Time since last injection: Greater than 3 months")
    (shorter,) = since_last_dose("Time since last injection: Less than or equal to 3 months")
    assert shorter.meets(asked)
    assert not longer.meets(asked)


@pytest.mark.parametrize(
    ("row", "meets"),
    [
        ("Interruption: under 14 days; Action: go on", False),
        ("Interruption: 14 days or more; Action: start again", True),
        ("Duration of interruption: 0-2 months", True),
        ("Interruption: 2-6 months", False),
    ],
)
def test_a_treatment_stopped_for_some_time_meets_the_rule_for_it(row: str, meets: bool) -> None:
    (asked,) = since_last_dose("Stopped the TB tablets for 3 weeks. Restart or go on?")
    (rule,) = since_last_dose(row)
    assert rule.meets(asked) == meets


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("off her TB drugs for 3 weeks", True),
        ("without treatment for 2 months", True),
        ("without fever for 3 days", False),
        ("off work for 2 weeks", False),
    ],
)
def test_only_a_treatment_is_stopped(text: str, found: bool) -> None:
    assert bool(since_last_dose(text)) == found


def test_a_course_is_no_time_since_the_last_dose() -> None:
    assert since_last_dose("Take 2 tablets for 3 weeks, then one") == ()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("she missed a nebuliser this morning", True),
        ("missed an infusion", True),
        ("a diagnosis that was missed", False),
    ],
)
def test_a_dose_may_be_missed_in_any_form(text: str, found: bool) -> None:
    assert bool(slot_lexicon().wordings.missed.search(text)) == found


@pytest.mark.parametrize(
    ("text", "is_missed"),
    [
        ("He forgot this morning's zolumycin", True),
        ("Missed her zolumycin last night", True),
        ("She slept through her zolumycin", True),
        ("Zolumycin may cause forgetfulness", False),
        ("The diagnosis was missed", False),
        ("If treatment is reinitiated, begin with the first dose", True),
        ("Reactions after reinitiation of zolumycin were severe", False),
    ],
)
def test_a_missed_dose_is_read_from_everyday_words(text: str, is_missed: bool) -> None:
    assert (slot_lexicon().wordings.missed.search(fold_chars(text)) is not None) == is_missed


def test_doses_to_take_are_no_missed_ones() -> None:
    assert missed_doses("He forgot a tablet, so two tablets tonight?") == (CountRange(1, 1),)
    assert missed_doses("She missed two tablets, what now?") == (CountRange(2, 2),)


def test_the_last_dose_may_be_nearly_so_long_ago() -> None:
    assert since_last_dose("Last shots were nearly 4 months ago.") == since_last_dose(
        "The last injection was 4 months ago."
    )


@pytest.mark.parametrize(
    ("text", "says_so"),
    [
        ("ran out of zolumycin, off it 6 days", True),
        ("back after 10 wks off meds", True),
        ("Managing treatment interruption", True),
        ("ran out of options, what next?", False),
        ("the label is off the bottle", False),
    ],
)
def test_a_gap_in_treatment_is_about_missed_doses(text: str, says_so: bool) -> None:
    assert (slot_lexicon().wordings.missed.search(text.casefold()) is not None) == says_so


def test_missed_doses_are_counted_in_figures_after_words_and_of_a_colour() -> None:
    two = (CountRange(2, 2),)
    assert missed_doses('If she misses two (2) "active" tablets, see below.') == two
    assert missed_doses('If you MISS 2 peach "active" pills: then take 1 pill a day.') == two


@pytest.mark.parametrize(
    ("text", "is_missed"),
    [
        ("missed the evening Zolubrand, double up in the morning?", True),
        ("forgot yesterday's zolumycin, take two?", True),
        ("she missed the morning ward round", False),
    ],
)
def test_a_missed_dose_may_be_named_by_its_time(text: str, is_missed: bool) -> None:
    assert (slot_lexicon().wordings.missed.search(fold_chars(text)) is not None) == is_missed


def test_a_row_counts_the_doses_that_its_label_says_were_missed():
    row = "Doses missed: 2 loading doses; To do: 2 tablets so that 3 doses have been taken"
    assert missed_doses(row) == (CountRange(2, 2),)


@pytest.mark.parametrize(
    ("text", "weeks"),
    [
        ("If two tablets are missed in week 1 or week 2", {1, 2}),
        ("She missed two pills in the third week", {3}),
        ("Take one tablet in the third week", set()),
        ("She missed two pills", set()),
    ],
)
def test_the_weeks_of_a_pack_are_those_in_which_doses_were_missed(text: str, weeks: set[int]):
    assert weeks_of_pack(text) == weeks


@pytest.mark.parametrize(
    ("text", "weeks"),
    [
        ("Zolumycin monthly, last shot 10 wks ago. Dose today?", 10),
        ("The last zolumycin injection was ten weeks ago.", 10),
        ("Missed an injection, 10 weeks since the last one. Dose?", 10),
        ("She last received zolumycin 10 weeks ago.", 10),
    ],
)
def test_when_the_last_dose_was_is_read_as_wards_write_it(text: str, weeks: float) -> None:
    assert since_last_dose(text) == (CountRange(weeks, weeks),)


@pytest.mark.parametrize(
    "text",
    [
        "Last seen 3 weeks ago on tablets.",
        "Two seizures, the last one 2 weeks ago, on isoniazid.",
        "2 weeks since the last one of three seizures",
        "Last had a fever 3 weeks ago.",
        "Last received a transfusion 3 weeks ago.",
    ],
)
def test_when_something_else_was_last_is_no_time_of_a_dose(text: str) -> None:
    assert since_last_dose(text) == ()


def test_weeks_without_a_weekly_dose_are_doses() -> None:
    asked = "Forgot zolumycin for 3 weeks running."
    assert meet_missed(asked, "Missed: 3 or more (weekly) doses") is True
    assert meet_missed(asked, "Missed: 2 (weekly) doses") is False
    assert meet_missed(asked, "Missed: 2 doses, at most one a day") is None
    assert meet_missed("Dose of zolumycin?", "Missed: 2 (weekly) doses") is None
