"""What children of an age weigh."""

from __future__ import annotations

import pytest

from clinrag_core.facts.growth import plausible_weight, usual_weight
from clinrag_core.facts.people import read_people


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("a 10-year-old", 30.0, 9.0),
        ("a 3-month-old baby", 6.0, 12.0),
        ("infants", 9.0, 14.0),
        ("a 7 year old", 22.0, 60.0),
        ("a 15 year old", 90.0, 20.0),
    ],
)
def test_a_weight_fits_an_age_or_not(text: str, inside: float, outside: float) -> None:
    likely = plausible_weight(read_people(text).ages)
    assert likely is not None
    assert likely.has(inside)
    assert not likely.has(outside)


@pytest.mark.parametrize("text", ["a child", "children of 2 to 5 years", "adults", "20 kg"])
def test_no_age_tells_no_weight(text: str) -> None:
    ages = read_people(text).ages
    assert plausible_weight(ages) is None
    assert usual_weight(ages) is None


def test_the_usual_weight_is_within_the_plausible_ones() -> None:
    for age in range(16):
        ages = read_people(f"a {age} year old").ages
        likely, usual = plausible_weight(ages), usual_weight(ages)
        assert likely is not None
        assert usual is not None
        assert likely.has(usual)
