"""A table of words gives the ids of the library, for any text; else the library is asked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer, normalizers, pre_tokenizers

from clinrag_core.encode import passage_tokens
from clinrag_core.encode.passage_tokens import (
    PassageTokenizer,
    WordTable,
    splits_at_spaces,
    tokens_of,
)
from clinrag_core.encode.protocol import Passage
from clinrag_core.encode.registry import SPECS, model_folder
from clinrag_core.encode.tokenizer import load_tokenizer

STRANGE = (
    st.text(
        st.sampled_from(" \t\n\xa0\u3000\x1c\x00\u200baB\u0301\u03a3\u00df\u0130\u4e2d.,-/%9[]")
    )
    | st.text()
)
MINILM = SPECS["minilm"]


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return load_tokenizer(model_folder(MINILM.passage_model, MINILM.package))


@given(texts=st.lists(st.tuples(STRANGE, STRANGE), max_size=4))
@settings(max_examples=300, deadline=None)
def test_words_give_the_ids_of_the_library(tokenizer: Tokenizer, texts: list[tuple[str, str]]):
    table = WordTable(tokenizer)
    for inputs in (texts, [first for first, _ in texts]):
        given_inputs: Any = inputs
        expected = [tokens_of(e) for e in tokenizer.encode_batch_fast(given_inputs)]
        found = table.tokens(given_inputs)
        assert [t.ids.tolist() for t in found] == [t.ids.tolist() for t in expected]
        assert [t.second for t in found] == [t.second for t in expected]


@pytest.mark.parametrize("text", ["a [SEP] b", "a[SEP]b [MASK].", "[CLS]", "x" * 300, "", " "])
def test_special_tokens_and_long_words_are_as_the_library_has_them(tokenizer: Tokenizer, text: str):
    table = WordTable(tokenizer)
    assert table.tokens([text])[0].ids.tolist() == tokenizer.encode(text).ids
    pair = table.tokens([(text, text)])[0]
    assert pair.ids.tolist() == tokenizer.encode(text, text).ids


def test_a_table_that_would_grow_too_large_begins_anew(
    tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(passage_tokens, "MOST_WORDS", 3)
    table = WordTable(tokenizer)
    for text in ("one two", "three four", "one five six seven eight"):
        assert table.tokens([text])[0].ids.tolist() == tokenizer.encode(text).ids
    assert len(table) == 5  # of the last call alone


def test_a_tokenizer_that_sees_more_than_words_is_left_to_the_library():
    def bert() -> Tokenizer:
        return load_tokenizer(model_folder(MINILM.passage_model, MINILM.package))

    assert splits_at_spaces(bert(), pair=True)
    over_spaces = bert()
    over_spaces.add_tokens([AddedToken("twice daily")])
    metaspace = bert()
    metaspace.pre_tokenizer = pre_tokenizers.Metaspace()
    sequence = bert()
    sequence.normalizer = normalizers.Sequence([normalizers.Replace("a b", "c")])
    without_special = bert()
    without_special.post_processor = None
    for changed in (over_spaces, metaspace, sequence, without_special):
        assert not splits_at_spaces(changed, pair=True)


def test_passages_that_are_too_long_are_cut_as_the_library_does(tokenizer: Tokenizer):
    spec = replace(MINILM, max_tokens=12, pair=True)
    passages = [Passage("a title", "word " * n) for n in (1, 40, 3)]
    by_words = PassageTokenizer(tokenizer, spec)
    found = by_words(passages)
    assert by_words._words is not None
    assert len(by_words._words) == 4  # a, title, word and the empty word
    tokenizer.enable_truncation(12)
    expected = [tokens_of(tokenizer.encode(p.title, p.text)) for p in passages]
    tokenizer.no_truncation()
    assert [t.ids.tolist() for t in found] == [t.ids.tolist() for t in expected]
    assert [t.second for t in found] == [t.second for t in expected]
    assert by_words.truncated == 1


def test_a_folder_with_another_tokenizer_gets_its_tokens(tiny_encoder: Path):
    other = load_tokenizer(tiny_encoder)
    other.add_tokens([AddedToken("twice daily")])
    spec = replace(MINILM, max_tokens=64, pair=False)
    passage = Passage("", "take it twice daily")
    found = PassageTokenizer(other, spec)([passage])
    assert found[0].ids.tolist() == other.encode(passage.joined).ids
