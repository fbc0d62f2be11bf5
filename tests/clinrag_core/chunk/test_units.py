"""What of a section is indexed, and what the encoder sees of it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from clinrag_core.chunk.units import without_cross_references


def test_a_cross_reference_is_no_part_of_what_is_embedded():
    text = (
        "Monitor the QT interval monthly [see Warnings and Precautions (5.1)]. Stop above 500 ms."
    )
    shown = without_cross_references(text)
    assert shown == "Monitor the QT interval monthly. Stop above 500 ms."


def test_a_dose_in_brackets_stays():
    text = "Give the usual dose (see below: 600 mg daily) with food."
    assert without_cross_references(text) == text


def test_what_is_only_a_cross_reference_stays_as_it_is():
    assert without_cross_references("[see Boxed Warning]") == "[see Boxed Warning]"


@given(st.text(alphabet="ab 5.1()[]see\n", max_size=80))
def test_nothing_is_added_and_something_is_left(text: str):
    shown = without_cross_references(text)
    letters = iter(text)
    assert all(c in letters for c in shown)  # a subsequence of the text
    assert any(map(str.isalnum, shown)) == any(map(str.isalnum, text))
