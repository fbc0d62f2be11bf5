"""Coverage from the inverted index is what comparing the words of each statement gives."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinrag_core.index.inverted import InvertedColumn, coverage
from clinrag_core.text.similarity import weighted_containment

STEMS = st.lists(st.sampled_from(["dose", "renal", "week", "tablet"]), unique=True)


def index(rows: list[list[str]]) -> InvertedColumn:
    return InvertedColumn(pa.chunked_array([rows], pa.list_(pa.string())))


@given(
    own=st.lists(STEMS, min_size=1, max_size=6),
    weights=st.dictionaries(st.sampled_from(["dose", "renal", "unseen"]), st.floats(0.5, 5)),
)
def test_coverage_is_the_weighted_containment_of_each_row(
    own: list[list[str]], weights: dict[str, float]
) -> None:
    covered = coverage(weights, index(own))
    for row, stems in enumerate(own):
        assert covered.own[row] == pytest.approx(weighted_containment(weights, set(stems)))


def test_a_stem_that_no_row_contains_is_held_by_none() -> None:
    assert not index([["dose"], []]).holding("renal").any()
    assert index([["dose"], []]).holding("dose").tolist() == [True, False]


def test_values_are_those_of_all_rows_and_a_row_may_have_none() -> None:
    column = pa.chunked_array([[["renal", "dose"], None], [[], ["dose"]]], pa.list_(pa.string()))
    inverted = InvertedColumn(column)
    assert inverted.values == ["renal", "dose"]
    assert inverted.holding("dose").tolist() == [True, False, False, True]
