"""Passages as token ids, word by word from a table, as fast as a GPU encodes them.

BERT's tokenizer takes each word by itself: what stands between two spaces always gives the same
ids. So the library is asked once for each word, and a passage is its words' ids end to end.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from tokenizers import Encoding, Tokenizer

    from clinrag_core.encode.protocol import Passage
    from clinrag_core.encode.registry import EncoderSpec

MOST_WORDS = 250_000
"""Words in a table, some 50 MB: a table that would have more begins anew."""
_ID = np.dtype(np.int32)


@dataclass(frozen=True, slots=True)
class Tokens:
    """Token ids of a passage, `(tokens,)`, and how many of the last are its second segment."""

    ids: NDArray[np.int32]
    second: int = 0

    def __len__(self) -> int:
        """Return the number of tokens."""
        return len(self.ids)


def tokens_of(encoding: Encoding) -> Tokens:
    """Return the tokens of an encoding of the library."""
    # Python makes a list of every property of an encoding: segments are counted where there are.
    second = encoding.type_ids.count(1) if encoding.n_sequences > 1 else 0
    return Tokens(np.array(encoding.ids, _ID), second)


class PassageTokenizer:
    """Token ids of passages as an encoder takes them.

    Attributes:
        truncated: passages that were longer than the encoder reads, and were cut.
    """

    def __init__(self, tokenizer: Tokenizer, spec: EncoderSpec) -> None:
        self.truncated = 0
        self._tokenizer = tokenizer
        self._spec = spec
        self._words = WordTable(tokenizer) if splits_at_spaces(tokenizer, pair=spec.pair) else None

    def __call__(self, passages: Sequence[Passage]) -> list[Tokens]:
        """Return the tokens of each passage, cut at the limit."""
        if self._spec.pair:
            inputs: list[Any] = [(p.title, p.text) for p in passages]
        else:
            inputs = [self._spec.passage_prompt + p.joined for p in passages]
        self._tokenizer.no_truncation()
        full = self._words.tokens(inputs) if self._words else self._by_library(inputs)
        if long := [i for i, tokens in enumerate(full) if len(tokens) > self._spec.max_tokens]:
            self.truncated += len(long)
            self._tokenizer.enable_truncation(self._spec.max_tokens)
            for i, cut in zip(long, self._by_library([inputs[i] for i in long]), strict=True):
                full[i] = cut
        return full

    def _by_library(self, inputs: Sequence[Any]) -> list[Tokens]:
        return [tokens_of(encoding) for encoding in self._tokenizer.encode_batch_fast(inputs)]


def splits_at_spaces(tokenizer: Tokenizer, *, pair: bool) -> bool:
    """Return True if a tokenizer is BERT's, so that `WordTable` gives its ids.

    No token that was added may hold a space, and special tokens stand as BERT has them.
    """
    from tokenizers.models import WordPiece
    from tokenizers.normalizers import BertNormalizer
    from tokenizers.pre_tokenizers import BertPreTokenizer

    added = [token.content for token in tokenizer.get_added_tokens_decoder().values()]
    steps = tokenizer.normalizer, tokenizer.pre_tokenizer, tokenizer.model
    kinds = BertNormalizer, BertPreTokenizer, WordPiece
    if not all(isinstance(*step) for step in zip(steps, kinds, strict=True)):
        return False
    if any(" " in content for content in added):
        return False
    probe: Any = ("one", "two") if pair else "one"
    found = WordTable(tokenizer).tokens([probe])[0]
    expected = tokens_of(tokenizer.encode_batch_fast([probe])[0])
    return found.ids.tolist() == expected.ids.tolist() and found.second == expected.second


class WordTable:
    """Token ids of the words seen by a tokenizer that splits at spaces."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._ids: dict[str, bytes] = {}
        special = np.array(tokenizer.encode("").ids, _ID)
        self._first, self._last = special[:1].tobytes(), special[1:].tobytes()

    def tokens(self, inputs: Sequence[str | tuple[str, str]]) -> list[Tokens]:
        """Return the tokens of texts or of pairs of texts, never cut."""
        segments = [(text,) if isinstance(text, str) else text for text in inputs]
        words = [[segment.split(" ") for segment in given] for given in segments]
        self._learn(set(chain.from_iterable(chain.from_iterable(words))))
        of_word = self._ids.__getitem__
        found = []
        for given in words:
            parts = [b"".join(map(of_word, segment)) + self._last for segment in given]
            ids = np.frombuffer(self._first + b"".join(parts), _ID)
            found.append(Tokens(ids, sum(map(len, parts[1:])) // _ID.itemsize))
        return found

    def _learn(self, words: set[str]) -> None:
        """Look up words that are not known yet."""
        new = words.difference(self._ids)
        if len(self._ids) + len(new) > MOST_WORDS:
            self._ids, new = {}, words
        texts = list(new)
        encodings = self._tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        for text, encoding in zip(texts, encodings, strict=True):
            self._ids[text] = np.array(encoding.ids, _ID).tobytes()
