"""Kidney function from a serum creatinine."""

from __future__ import annotations

import math

import pytest

from clinrag_core.facts.creatinine import creatinine_of_row, serum_creatinine, with_kidneys
from clinrag_core.facts.people import read_people


@pytest.mark.parametrize(
    ("text", "milligrams"),
    [
        ("serum creat 210 umol/L", 2.38),
        ("creatinine is 1.8 mg/dL", 1.8),
        ("SCr: 1.8", 1.8),
        ("creatinine of 180", 2.04),
        ("Cr 2.8 mg/dL", 2.8),
        ("Cr 210 umol/L", 2.38),
    ],
)
def test_a_serum_creatinine_is_read_in_its_unit(text: str, milligrams: float):
    found = serum_creatinine(text)
    assert found is not None
    assert found[2] == pytest.approx(milligrams, abs=0.01)


@pytest.mark.parametrize(
    "text",
    [
        "creatinine clearance 30 mL/min",
        "creatinine 30 mL/min",
        "monitor creatinine",
        "zolumycin CR 200 mg",
        "zolumycin CR 200 bd",
    ],
)
def test_a_clearance_is_none(text: str):
    assert serum_creatinine(text) is None


@pytest.mark.parametrize(
    ("text", "clearance"),
    [
        # By hand: (140 - 72) x 70 / (72 x 2.376) = 27.8, and
        # (140 - 80) x 50 / (72 x 1.8) x 0.85 = 19.7.
        ("72-year-old man, 70 kg, serum creat 210 umol/L", 28),
        ("80 year old woman, 50 kg, creatinine 1.8", 20),
    ],
)
def test_with_age_weight_and_sex_it_is_a_clearance(text: str, clearance: int):
    people = with_kidneys(text, read_people(text))
    assert [(one.low, one.high) for one in people.kidney] == [(clearance, clearance)]
    assert "renal_impairment" in people.conditions


def test_on_dialysis_it_is_no_clearance():
    text = "72-year-old man on haemodialysis, 70 kg, creatinine 600 umol/L"
    people = read_people(text)
    assert with_kidneys(text, people) == people


@pytest.mark.parametrize(
    ("text", "is_impaired"),
    [
        ("creatinine 250 umol/L, which dose?", True),
        ("70 kg, 72 years, creatinine 210 umol/L", True),  # the sex is not known
        ("9-year-old boy of 30 kg, creatinine 2", True),  # the formula is for adults
        ("creatinine 80 umol/L, which dose?", False),
        ("which dose?", False),
    ],
)
def test_without_them_a_raised_one_is_an_impaired_kidney(text: str, is_impaired: bool):
    people = with_kidneys(text, read_people(text))
    assert not people.kidney
    assert ("renal_impairment" in people.conditions) == is_impaired


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("Serum Creatinine (mg %): 1.4 - 1.6; Percent: 65", (1.4, 1.6)),
        ("Serum creatinine: ≤1; Percent: 100", (0.0, 1.0)),
        ("Creatinine (mg/dL): >3; Percent: 20", (3.0, math.inf)),
        ("Creatinine clearance (mL/min): 30 - 50; Dose: 5 mg", None),
        ("Weight (kg): 50 - 60; Dose: 5 mg", None),
    ],
)
def test_the_serum_creatinine_that_labels_a_row_is_a_range(row, expected):
    assert creatinine_of_row(row) == expected
