"""Numbers in words: only those that something countable follows, and every span leads back."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinrag_core.facts.spelled import in_figures, spelled_quantities


@pytest.mark.parametrize(
    ("words", "figures"),
    [
        ("six hundred milligrams", "600 milligrams"),
        ("two hundred and fifty milligrams", "250 milligrams"),
        ("seven fifty milligrams", "750 milligrams"),
        ("twenty-five milligrams", "25 milligrams"),
        ("one point five grams", "1.5 grams"),
        ("twelve hundred units", "1200 units"),
        ("two thousand five hundred units", "2500 units"),
        ("then three hundred twice a day", "then 300 twice a day"),
        ("then two hundred three times a week", "then 200 three times a week"),
        ("she weighs sixty-four, and eats", "she weighs 64, and eats"),
        ("temperature thirty-eight two, pale", "temperature 38.2, pale"),
        ("one of her sons", "one of her sons"),
        ("three twice daily", "three twice daily"),  # tablets, not a dose
        ("hundreds of people", "hundreds of people"),
    ],
)
def test_a_number_in_words_becomes_figures(words: str, figures: str):
    assert in_figures(words).text == figures


def test_a_dose_in_words_is_a_quantity_at_its_own_characters():
    text = "She takes carbimazole four hundred milligrams daily."
    dose = next(q for q in spelled_quantities(text) if q.kind == "dose")
    assert dose.values == (Decimal(400),)
    assert text[dose.start : dose.end] == "four hundred milligrams"


@given(st.text(alphabet="aeinotw -,.0123456789\u00e9\u0301", max_size=60))
def test_every_character_leads_back_to_the_text(noise: str):
    text = f"{noise} two hundred milligrams {noise}"
    made = in_figures(text)
    assert len(made.starts) == len(made.ends) == len(made.text)
    assert list(made.starts) == sorted(made.starts)
    at = made.text.index("200 milligrams")
    start, end = made.original(at, at + len("200 milligrams"))
    assert text[start:end] == "two hundred milligrams"
