"""Brackets that are not closed show that a text was cut."""

from __future__ import annotations

import pytest

from clinrag_core.text.brackets import closes_brackets


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("Give 5 mg (4 to 6 mg) daily.", True),
        ("a) with food; b) before sleep (not later)", True),
        ("Choose 2) or iii) [see the table (part 1)].", True),
        ("0.76 (95% CI: 0.68", False),
        ("to 0.83) of all patients", False),
        ("One dose [of two (given late].", True),
    ],
    ids=["closed", "letters", "numbers", "cut end", "cut start", "inner one left open"],
)
def test_a_bracket_without_the_other_shows_a_cut(text: str, closed: bool) -> None:
    assert closes_brackets(text) is closed
