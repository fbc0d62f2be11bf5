"""Stems are the same in every thread: a wrong one would be kept for every later question."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from clinrag_core.text import stems

WORDS = [
    f"{a}{b}{c}"
    for a in ("treat", "monitor", "interact", "contraindicat", "hepatotoxic", "resist")
    for b in ("abil", "ational", "iveness", "ousl", "izing", "ement")
    for c in ("ity", "ies", "ing", "ed", "ly", "ation", "s")
]
THREADS = 8


@pytest.fixture
def often_switched():
    """Threads that take turns a thousand times as often as usual."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_stems_made_at_the_same_time_are_those_made_one_after_the_other(often_switched):
    unkept = stems.stem.__wrapped__
    expected = [unkept(word) for word in WORDS]
    with ThreadPoolExecutor(THREADS) as pool:
        made = list(pool.map(lambda _: [unkept(word) for word in WORDS], range(THREADS)))
    assert made == [expected] * THREADS
