from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinrag_core.chunk.windows import pack

LIMIT, OVERLAP = 40, 10
units = st.lists(st.integers(1, LIMIT), max_size=60)


@given(units)
def test_every_unit_is_in_a_window_and_no_window_is_over_the_limit(tokens: list[int]):
    windows = pack(tokens, LIMIT, OVERLAP)
    assert {i for first, last in windows for i in range(first, last)} == set(range(len(tokens)))
    assert all(sum(tokens[first:last]) <= LIMIT for first, last in windows)


@given(units)
def test_neighbours_share_at_most_the_overlap_and_every_window_adds_something(tokens: list[int]):
    windows = pack(tokens, LIMIT, OVERLAP)
    for (_, last), (first, end) in pairwise(windows):
        assert first <= last < end
        assert sum(tokens[first:last]) <= OVERLAP


def test_windows_share_the_sentences_that_fit_the_overlap():
    assert pack([20, 15, 4, 4, 20, 13], limit=40, overlap=10) == [(0, 3), (2, 5), (5, 6)]


def test_a_unit_over_the_limit_is_refused():
    with pytest.raises(ValueError, match="larger than a window"):
        pack([LIMIT + 1], LIMIT, OVERLAP)


def test_nothing_gives_no_window():
    assert pack([], LIMIT, OVERLAP) == []
