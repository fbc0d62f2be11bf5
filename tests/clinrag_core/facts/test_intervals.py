"""Ranges of age, weight and kidney function: a wrong end gives a child another's dose."""

from __future__ import annotations

import math

import pytest

from clinrag_core.facts.intervals import Interval, intervals

INF = math.inf


@pytest.mark.parametrize(
    ("text", "of", "low", "high", "ends"),
    [
        ("children younger than 2 years", "age", 0, 2, "[)"),
        ("under 18 years of age", "age", 0, 18, "[)"),
        ("children under 2", "age", 0, 2, "[)"),
        ("max dose in a patient over 75", "age", 75, INF, "()"),
        ("may someone older than 80 have it", "age", 80, INF, "()"),
        ("max dose if she is over 75", "age", 75, INF, "()"),
        ("age greater than or equal to 75 years", "age", 75, INF, "[)"),
        ("children aged 5 to 12", "age", 5, 12, "[]"),
        ("child contact 4 years, dose?", "age", 4, 4, "[]"),
        ("for somebody aged 72?", "age", 72, 72, "[]"),
        ("people aged 14 or older", "age", 14, INF, "[)"),
        ("12 years of age and older", "age", 12, INF, "[)"),
        ("2 months to 17 years of age", "age", 2 / 12, 17, "[]"),
        ("infants 3 months to less than 6 months", "age", 0.25, 0.5, "[)"),
        ("a 34-year-old woman", "age", 34, 34, "[]"),
        ("67, TB, 118 g of zolumycin so far", "age", 67, 67, "[]"),
        ("Age: 12; Dose: 5 mg", "age", 12, 12, "[]"),
        ("Weight: low; Age group: 5-9; Dose: 5 mg", "age", 5, 9, "[]"),
        ("Age: 3-5 months; Dose: 5 mg", "age", 0.25, 5 / 12, "[]"),
        ("month 4 onwards", "course", 13.035, INF, "(]"),
        ("girl weighs 55 lb", "weight", 24.9, 24.9, "[]"),
        ("a 68 yo with TB", "age", 68, 68, "[]"),
        ("zolumycin with a clearance of 45 mL/min", "kidney", 45, 45, "[]"),
        ("a 12-stone woman", "weight", 76.2, 76.2, "[]"),
        ("15 kg (33 lbs)", "weight", 15, 15, "[]"),
        ("a woman of 2,100 lb", "weight", 952.5, 952.5, "[]"),
        ("a newborn weighing 2,400 g", "weight", 2.4, 2.4, "[]"),
        ("Doses of zolumycin (>15 years)", "age", 15, INF, "()"),
        ("Cl.creat = 0,33 mL/s", "kidney", 19.8, 19.8, "[]"),
        ("creatinine clearance 0.5 ml/sec", "kidney", 30, 30, "[]"),
        ("normal renal function is 3", "kidney", 3, 3, "[]"),
        ("over 60 years of age", "age", 60, INF, "()"),
        ("patients under the age of six years", "age", 0, 6, "[)"),
        ("weighing less than 5 kg", "weight", 0, 5, "[)"),
        ("<5 kg", "weight", 0, 5, "[)"),
        ("30 to 45 kg", "weight", 30, 45, "[]"),
        ("3 kg to less than 6 kg", "weight", 3, 6, "[)"),
        ("6 to <10 kg", "weight", 6, 10, "[)"),
        ("between 30 and 50 kg", "weight", 30, 50, "[]"),
        ("at least 35 kg", "weight", 35, INF, "[)"),
        ("Weight (kg): 25-39; Dose: 2 tablets", "weight", 25, 39, "[]"),
        ("CrCl 25 mL/min", "kidney", 25, 25, "[]"),
        ("Cr clearance worked out at 25 mL/min", "kidney", 25, 25, "[]"),
        ("Cr. clearance 25", "kidney", 25, 25, "[]"),
        ("CrCl <30", "kidney", 0, 30, "[)"),
        ("Glomerular filtration rate: <10 ml/min; Dose: 5 mg", "kidney", 0, 10, "[)"),
        ("a cystitis with CrCl 50. Less of it?", "kidney", 50, 50, "[]"),
        ("eGFR: 28.", "kidney", 28, 28, "[]"),
        ("CrCl=28, dialysis?", "kidney", 28, 28, "[]"),
        ("GFR of ~12. Dose?", "kidney", 12, 12, "[]"),
        ("creat clearance of 40.", "kidney", 40, 40, "[]"),
        ("eGFR <30.", "kidney", 0, 30, "[)"),
        ("creatinine clearance 30 mL/min or less", "kidney", 0, 30, "[]"),
        ("CrCl less than or equal to 30 mL/min", "kidney", 0, 30, "[]"),
        ("renal function >50 to 80 mL/min", "kidney", 50, 80, "(]"),
        ("Creatinine clearance (mL/min): 15-29; Dose: 150 mg", "kidney", 15, 29, "[]"),
        ("Cockcroft 34, so less?", "kidney", 34, 34, "[]"),
        ("by Cockcroft-Gault: 28.", "kidney", 28, 28, "[]"),
        ("kidney function is now 22", "kidney", 22, 22, "[]"),
        ("weeks 3 to 24", "course", 2, 24, "(]"),
        ("for the first two weeks", "course", 0, 2, "(]"),
    ],
)
def test_a_range_has_the_ends_that_the_text_says(
    text: str, of: str, low: float, high: float, ends: str
) -> None:
    (one,) = intervals(text)
    assert (one.of, one.with_low, one.with_high) == (of, ends[0] == "[", ends[1] == "]")
    assert (one.low, one.high) == pytest.approx((low, high))


@pytest.mark.parametrize(
    "text",
    [
        "infuse over 2 hours",
        "observe the patient over 24 hours",
        "he is over 90 cm",
        "his doses, which are over 75 mg",
        "seen in a person over 6 feet",
        "treated for more than 2 years",
        "for at least 6 months",
        "10 mg/kg daily",
        "at a rate of 2 mL/min",
        "a cough of more than two weeks",
    ],
)
def test_doses_rates_and_durations_are_no_ranges_of_people(text: str) -> None:
    assert intervals(text) == ()


@pytest.mark.parametrize(
    ("text", "weights"),
    [
        ("Baker, gained 4 kg on treatment", []),
        ("has lost about 6 kg since May", []),
        ("lost 20 lb, now coughing", []),
        ("6 kg weight loss over a month", []),
        ("weight is down 5 kg", []),
        ("58M, wt loss 6 kg", []),
        ("weight loss, now 52 kg", [52]),
        ("lost 6 kg, now 48 kg", [48]),
        ("down to 45 kg", [45]),
        ("gaining weight, 52 kg", [52]),
        ("lost to follow-up at 50 kg", [50]),
    ],
)
def test_kilograms_gained_or_lost_are_no_weight(text: str, weights: list[float]) -> None:
    assert [one.low for one in intervals(text) if one.of == "weight"] == weights


@pytest.mark.parametrize(
    ("text", "ages"),
    [
        ("52F, treated 4 yrs ago", []),
        ("HIV 5 yrs, on ART", []),
        ("T2DM 12 yrs", []),
        ("boy, 4 yrs", [4]),
        ("4 yrs, 15 kg", [4]),
    ],
)
def test_short_years_of_an_illness_are_no_age(text: str, ages: list[float]) -> None:
    assert [one.low for one in intervals(text) if one.of == "age"] == ages


@pytest.mark.parametrize(
    "text",
    ["by Cockcroft-Gault, aged 45", "Cockcroft with weight 70", "Cockcroft 62 kg", "CrCl on day 7",
     "kidney function at 6 months", "renal function at 48 h", "kidney function is 35%",
     "the renal function of 40 patients", "kidney function in 12 of them"],
)  # fmt: skip
def test_an_age_a_weight_a_time_and_a_share_are_no_clearance(text: str) -> None:
    """A weight taken for a clearance gives somebody with failing kidneys the full dose."""
    assert not [one for one in intervals(text) if one.of == "kidney"]


def test_spans_are_those_of_the_text_where_a_unit_is_implied() -> None:
    text = "Weight (kg): 25-39; then CrCl <30; then 20 kg"
    assert [text[one.start : one.end] for one in intervals(text)] == ["25-39", "<30", "20 kg"]


def test_an_open_end_is_outside() -> None:
    below = Interval(0, 0, "weight", 0, 30, True, False)
    above = Interval(0, 0, "weight", 30, INF, True, False)
    assert not below.meets(above)
    assert below._replace(with_high=True).meets(above)
    assert above.has(30)
    assert not below.has(30)


def test_bounds_under_a_heading_with_their_unit_keep_their_sign() -> None:
    (band,) = intervals("Weight (kg): ≥20 to <25; Once daily: 1½ tablets")
    assert (band.of, band.low, band.high, band.with_high) == ("weight", 20.0, 25.0, False)
    (open_band,) = intervals("Weight (kg): ≥25; Once daily: 2 tablets")
    assert (open_band.low, open_band.has(22)) == (25.0, False)


@pytest.mark.timeout(120)
def test_a_long_text_is_read_in_linear_time() -> None:
    """Searching the whole text before each figure took 16 times as long for four times the text."""
    assert intervals("patients of 5 kg and 6 years, " * 10_000)


def test_what_comes_after_the_first_weeks_is_not_in_them() -> None:
    (after,) = intervals("after the first 4 weeks of treatment")
    (initial,) = intervals("during the initial 4 consecutive weeks of treatment")
    (week,) = intervals("in week 3 of treatment")
    assert initial.meets(week)
    assert not after.meets(week)


def test_a_dose_for_normal_kidneys_is_no_clearance():
    assert intervals("the dose in normal renal function is 3 mg/kg/day in three doses") == ()


@pytest.mark.parametrize(
    "text",
    [
        "Children (2 to less than 13 years): 5 mg/kg.",
        "Children 2 to less than 13 years: 5 mg/kg.",
        "Children (2 to less than 13 years) Those 2 years and older: 5 mg/kg.",
    ],
)
def test_whom_a_heading_in_brackets_limits_is_no_older(text: str) -> None:
    ages = [(one.low, one.high) for one in intervals(text) if one.of == "age"]
    assert set(ages) == {(2.0, 13.0)}
