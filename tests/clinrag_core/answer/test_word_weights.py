"""The weights of words: of several knowledge bases the greatest."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

from clinrag_core.answer.word_weights import WordWeights, greatest
from clinrag_core.index.knowledge_base import KnowledgeBase


def base(**idf: float) -> KnowledgeBase:
    return cast("KnowledgeBase", SimpleNamespace(idf=idf))


def test_a_word_weighs_most_where_it_is_rarest():
    weights = WordWeights([base(dose=1.0, gout=3.0), base(dose=2.0, scurvy=5.0)])
    assert weights == {"dose": 2.0, "gout": 3.0, "scurvy": 5.0}


def test_a_word_in_no_passage_weighs_as_much_as_the_rarest():
    weights = WordWeights([base(dose=1.0, gout=3.0)])
    assert greatest(weights) == greatest(dict(weights)) == 3.0


def test_without_any_word_it_weighs_one():
    assert greatest(WordWeights()) == greatest({}) == 1.0
