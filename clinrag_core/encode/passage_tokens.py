"""Passages as token ids, word by word from a table, as fast as a GPU encodes them.

BERT's tokenizer takes each word by itself: what stands between two spaces always gives the same
ids. So the library is asked once for each word, and a passage is its words' ids end to end.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from tokenizers import Encoding, Tokenizer

    from clinrag_core.encode.protocol import Passage
    from clinrag_core.encode.registry import EncoderSpec

MOST_WORDS = 250_000
"""Words in a table, some 50 MB: a table that would have more begins anew."""
_COMPUTE: Any = pc  # its functions are made at import, without types
_TEXT = pa.large_string()
_MARKS = " ", "  "
"""Entries of the special tokens before the first text and after each: no word has spaces."""
_FIRST, _LAST = range(2)


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
    return Tokens(np.array(encoding.ids, np.int32), second)


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
        table = self._words
        full = self._by_library(inputs) if table is None else table.tokens(inputs)
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
    if any(" " in content for content in added) or not tokenizer.encode("").ids:
        return False
    probe: Any = ("one", "two") if pair else "one"
    found = WordTable(tokenizer).tokens([probe])[0]
    expected = tokens_of(tokenizer.encode_batch_fast([probe])[0])
    return found.ids.tolist() == expected.ids.tolist() and found.second == expected.second


class WordTable:
    """Token ids of the words seen by a tokenizer that splits at spaces.

    Arrow looks the words up and numpy lays their ids end to end: Python touches no word.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._clear()

    def __len__(self) -> int:
        """Return the number of words."""
        return len(self._words) - len(_MARKS)

    def tokens(self, inputs: Sequence[Any]) -> list[Tokens]:
        """Return the tokens of texts, or of pairs of texts, never cut."""
        if not inputs:
            return []
        segments = 1 if isinstance(inputs[0], str) else len(inputs[0])
        texts = list(inputs) if segments == 1 else list(chain.from_iterable(inputs))
        words = _COMPUTE.split_pattern(pa.array(texts, _TEXT), " ")
        bounds = words.offsets.to_numpy()
        # Before the first text of an input stands one special token, after each text another.
        around = np.column_stack([bounds[:-1:segments], bounds[1:].reshape(-1, segments)])
        marks = [_FIRST, *[_LAST] * segments] * len(inputs)
        entries = np.insert(self._places(words.flatten()), around.ravel(), marks)
        sizes = self._sizes[entries]
        ends = np.cumsum(sizes)
        ids = self._ids[
            np.repeat(self._starts[entries] - ends + sizes, sizes) + np.arange(ends[-1])
        ]
        entries_of = np.diff(bounds).reshape(-1, segments) + 1
        entries_of[:, 0] += 1
        first = np.cumsum(entries_of.ravel()) - entries_of.ravel()
        tokens_of_text = np.add.reduceat(sizes, first).reshape(-1, segments)
        second = tokens_of_text[:, 1:].sum(axis=1).tolist()
        upto = [0, *np.cumsum(tokens_of_text.sum(axis=1)).tolist()]
        parts = zip(pairwise(upto), second, strict=True)
        return [Tokens(ids[start:end], last) for (start, end), last in parts]

    def _places(self, words: Any) -> NDArray[np.int32]:
        """Return where each word stands in the table, once all are in it."""
        places = _COMPUTE.index_in(words, value_set=self._words)
        if places.null_count:
            new = _COMPUTE.unique(words.filter(_COMPUTE.is_null(places)))
            if len(self) + len(new) > MOST_WORDS:
                self._clear()
                new = _COMPUTE.unique(words)
            self._learn(new)
            places = _COMPUTE.index_in(words, value_set=self._words)
        return places.to_numpy()

    def _clear(self) -> None:
        """Forget all words; what is left are the special tokens."""
        special = self._tokenizer.encode("").ids
        self._words = pa.array(_MARKS, _TEXT)
        self._ids = np.array(special, np.int32)
        self._sizes = np.array([1, len(special) - 1])
        self._starts = np.array([0, 1])

    def _learn(self, words: Any) -> None:
        """Add words that are not known yet."""
        encodings = self._tokenizer.encode_batch_fast(words.to_pylist(), add_special_tokens=False)
        ids = [encoding.ids for encoding in encodings]
        flat = np.fromiter(chain.from_iterable(ids), np.int32)
        self._words = pa.concat_arrays([self._words, words])
        self._ids = np.concatenate([self._ids, flat])
        self._sizes = np.concatenate([self._sizes, [len(each) for each in ids]])
        self._starts = np.cumsum(self._sizes) - self._sizes
