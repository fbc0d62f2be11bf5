"""How often Python searches for garbage in a process that answers."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from clinrag_core.garbage import SELDOM, many_objects, search_seldom


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


def test_a_process_that_answers_searches_seldom():
    gc.set_threshold(700, 10, 10)
    search_seldom()
    assert gc.get_threshold() == SELDOM


@pytest.mark.parametrize("least", [0, 500_000])
def test_a_process_that_searches_less_often_or_never_stays_so(least: int):
    gc.set_threshold(least, 10, 10)
    search_seldom()
    assert gc.get_threshold() == (least, 10, 10)


def _fails_halfway() -> None:
    with many_objects():
        assert not gc.isenabled()
        raise ValueError("half")


def test_many_objects_are_made_without_a_search_and_it_goes_on_after_a_failure():
    with pytest.raises(ValueError, match="half"):
        _fails_halfway()
    assert gc.isenabled()
