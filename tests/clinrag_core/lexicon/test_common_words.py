"""The most frequent words of English."""

from __future__ import annotations

import pytest

from clinrag_core.lexicon.common_words import is_known, is_superlative, with_letter


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("missd", "missed"), ("mising", "missing"), ("zolum", None), ("dose", None)],
)
def test_a_letter_is_added_where_one_frequent_word_lacks_it(typed: str, meant: str | None):
    assert with_letter(typed) == meant


@pytest.mark.parametrize(
    ("word", "found"), [("roster", True), ("rostered", True), ("zolumed", False), ("sing", True)]
)
def test_a_form_of_a_known_word_is_known(word: str, found: bool):
    assert is_known(word) == found


@pytest.mark.parametrize(
    ("word", "found"),
    [("kindest", True), ("gentlest", True), ("riskiest", True), ("test", False), ("chest", False)],
)
def test_superlatives_of_known_words_are_recognised(word: str, found: bool):
    assert is_superlative(word) == found
