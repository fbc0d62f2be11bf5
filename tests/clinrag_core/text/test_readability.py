"""Syllables and the Flesch-Kincaid grade."""

from __future__ import annotations

import pytest

from clinrag_core.text.readability import flesch_kincaid, syllables


@pytest.mark.parametrize(
    ("word", "count"),
    [
        ("dose", 1), ("doses", 2), ("table", 2), ("tablets", 2), ("given", 2), ("stopped", 1),
        ("treated", 2), ("patients", 2), ("liver", 2), ("safely", 2), ("year", 1), ("beyond", 2),
        ("daily", 2), ("diet", 2), ("medicine", 3), ("area", 3),
        ("recommendation", 5), ("HIV", 3), ("a", 1), ("mg", 1),
    ],
)  # fmt: skip
def test_syllables_are_those_that_are_spoken(word: str, count: int):
    assert syllables(word) == count


def test_the_grade_is_that_of_the_published_formula():
    assert flesch_kincaid([[1, 1, 1], [2, 1]]) == pytest.approx(0.39 * 2.5 + 11.8 * 1.2 - 15.59)


def test_without_words_there_is_no_grade():
    assert flesch_kincaid([]) is None
    assert flesch_kincaid([[]]) is None
