"""Words that a text needs for an expression to match it."""

from __future__ import annotations

import re

import pytest

from clinrag_core.text.needed import needed_words


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (r"\bhalf an hour\b", ("half an hour",)),
        (r"\b(?:stop|halt)s?\b", ("stop", "halt")),
        (r"\bdoses?\b|\btablets?\b", ("dose", "tablet")),
        (r"\b(?:not )?given\b", ("given",)),
        (r"\d+ ?mg", ("mg",)),
        (r"(?<=every )\w+", ()),
        (r"\bgiven\b|\d+", ()),
        (r"per ?cent", ("cent",)),
        (r"[(|\]]given(?:[)|]|\)) daily", (" daily",)),
    ],
)
def test_needed_words(pattern: str, words: tuple[str, ...]):
    assert needed_words(pattern) == words


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"\b(?:once|twice)[- ](?:a )?(?:day|week)\b", "twice-day"),
        (r"(?P<drug>[a-z]+) (?:is|are) (?:not )?given", "isoniazid is given"),
        (r"\(e\.g\.[^)]*\)", "(e.g. rifampin)"),
        (r"x{0,2}ab{2}c", "abbc"),
    ],
)
def test_a_text_that_matches_has_a_needed_word(pattern: str, text: str):
    words = needed_words(pattern)
    assert re.search(pattern, text)
    assert not words or any(word in text for word in words)
