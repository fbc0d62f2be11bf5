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


def test_a_window_ends_before_the_loosest_unit():
    bonds = [0, 0, 0, 1, 1, 0]
    assert pack([10, 10, 15, 10, 10, 5], 40, 0, bonds) == [(0, 2), (2, 6)]


def test_what_leads_is_parted_last():
    assert pack([15, 20, 20, 15], 40, 0, [0, 2, 1, 2]) == [(0, 2), (2, 4)]


@given(units, st.lists(st.integers(0, 2), min_size=60, max_size=60))
def test_bonds_change_no_limit_and_lose_no_unit(tokens: list[int], bonds: list[int]):
    windows = pack(tokens, LIMIT, OVERLAP, bonds[: len(tokens)])
    assert {i for first, last in windows for i in range(first, last)} == set(range(len(tokens)))
    assert all(sum(tokens[first:last]) <= LIMIT for first, last in windows)
