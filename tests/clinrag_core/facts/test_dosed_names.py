"""Doses as notes print them, and what is none."""

from __future__ import annotations

import pytest

from clinrag_core.facts.dosed_names import (
    begins_with_dose,
    has_dose,
    is_only_length,
    names_before_doses,
)


def test_a_word_before_a_dose_is_named_with_its_span():
    assert list(names_before_doses("took zorvex (mr) 20 mg and slept 8 hours")) == [
        ("zorvex", 5, 11)
    ]


@pytest.mark.parametrize(
    ("text", "is_dose"), [(" 40 mg daily", True), (" (mr) 10 ml", True), (" for 5 days", False)]
)
def test_a_text_begins_with_a_dose_or_not(text: str, *, is_dose: bool):
    assert begins_with_dose(text) is is_dose


@pytest.mark.parametrize(("text", "is_dose"), [("2 puffs bd", True), ("glucose 5 mg/dl", False)])
def test_a_concentration_is_no_dose(text: str, *, is_dose: bool):
    assert has_dose(text) is is_dose


@pytest.mark.parametrize(
    ("text", "is_length"),
    [("3 days.", True), ("2 nights", True), ("6 weeks", True), ("3 days of fever", False)],
)
def test_a_length_alone_is_known(text: str, *, is_length: bool):
    assert is_only_length(text) is is_length
