"""The scores of statements by the words of a question; invented texts."""

from __future__ import annotations

from clinrag_core.answer.rank.scoring import in_other_words
from clinrag_core.index.bm25 import BM25Index
from clinrag_core.settings import BM25Settings

RARE = "Held if a transaminase is over three times the limit."
COMMON = [f"Bed {number} of the ward is near the door." for number in range(300)]


def test_another_word_of_the_same_sense_is_found():
    """The limit of AST had been missed in a text that calls it a transaminase."""
    texts = [RARE, *COMMON]
    index = BM25Index.build([str(n) for n in range(len(texts))], texts, BM25Settings())
    added = in_other_words(index, ["ast", "limit"])
    assert added.argmax() == 0
    assert added[0] > 0
    assert not added[1:].any()
    assert not in_other_words(index, ["ward"]).any()


def test_a_word_that_many_statements_have_is_found_by_itself():
    texts = [RARE, *(f"AST was measured on day {number}." for number in range(300))]
    index = BM25Index.build([str(n) for n in range(len(texts))], texts, BM25Settings())
    assert not in_other_words(index, ["ast"]).any()
