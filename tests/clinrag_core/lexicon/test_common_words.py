"""The most frequent words of English."""

from __future__ import annotations

import pytest

from clinrag_core.lexicon.common_words import with_letter


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("missd", "missed"), ("mising", "missing"), ("zolum", None), ("dose", None)],
)
def test_a_letter_is_added_where_one_frequent_word_lacks_it(typed: str, meant: str | None):
    assert with_letter(typed) == meant
