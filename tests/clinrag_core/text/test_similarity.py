"""Similarity measures: published formulas, their bounds and their edges."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinrag_core.text.similarity import (
    close_words,
    containment,
    cosine,
    english_sound,
    jaccard,
    weighted_containment,
)

WORDS = st.frozensets(st.sampled_from("abcdef"))
WEIGHTS = st.dictionaries(st.sampled_from("abcdef"), st.floats(0, 100))


def test_worked_examples():
    a, b = {"dose", "daily", "adult"}, {"dose", "daily", "child", "week"}
    assert jaccard(a, b) == 2 / 5
    assert containment(a, b) == 2 / 3
    assert weighted_containment({"dose": 3.0, "adult": 1.0}, b) == 0.75
    assert cosine({"a": 3.0, "b": 4.0}, {"a": 1.0}) == pytest.approx(0.6)
    assert close_words("isonaizid", ["isoniazid", "izoniazid", "rifampin"], 2) == [
        (1, "isoniazid"),
        (2, "izoniazid"),
    ]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("gentamycine", "gentamicin"), ("arikase", "arikayce"), ("periferal", "peripheral")],
)
def test_what_is_pronounced_alike_sounds_alike(typed: str, meant: str):
    assert english_sound(typed) == english_sound(meant)
    assert english_sound(typed) != english_sound("gentian")


@given(WORDS, WORDS)
def test_set_measures_are_bounded_and_full_for_equal_sets(a: frozenset[str], b: frozenset[str]):
    for measure in (jaccard, containment):
        assert 0 <= measure(a, b) <= 1
        assert measure(a, a) == float(bool(a))
    assert jaccard(a, b) == jaccard(b, a)
    assert jaccard(a, b) <= containment(a, b) or not a


@given(WEIGHTS, WEIGHTS)
def test_weighted_measures_are_bounded(a: dict[str, float], b: dict[str, float]):
    assert 0 <= weighted_containment(a, b.keys()) <= 1
    assert 0 <= cosine(a, b) <= 1 + 1e-9
    assert weighted_containment(a, a.keys()) == float(any(a.values()))
