"""Counts how often each term occurs in each passage: all that BM25 reads of texts.

Tokenising is by far the longest part of building an index, and its result is small, so counts can
be kept and joined. As bytes they carry the tokeniser, a key of the texts and a hash of themselves.
"""

from __future__ import annotations

import json
from array import array
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

from clinrag_core.text.tokens import TOKENIZER, tokenize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

FORMAT = "term-counts/2"
_INT = np.dtype("<i4")
_HASH = 32  # bytes of a SHA-256


@dataclass(frozen=True, slots=True)
class TermCounts:
    """Term frequencies by passage, in compressed sparse rows.

    Row i holds the `widths[i]` next of `columns` (positions in `terms`, each once a row) and of
    `frequencies`.
    """

    terms: tuple[str, ...]  # sorted
    widths: NDArray[np.int32]  # a place per passage
    columns: NDArray[np.int32]
    frequencies: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.widths)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Tokens of each passage."""
        tokens = np.zeros(len(self.columns) + 1, dtype=np.int64)
        np.cumsum(self.frequencies, out=tokens[1:])
        ends = np.cumsum(self.widths, dtype=np.int64)
        return np.diff(tokens[ends], prepend=0)


def count_terms(
    texts: Iterable[str], tokenizer: Callable[[str], list[str]] = tokenize
) -> TermCounts:
    """Counts of some passages; each text is tokenised once and not kept."""
    number: dict[str, int] = {}
    widths, columns, frequencies = array("i"), array("i"), array("i")
    for text in texts:
        counts: dict[str, int] = {}
        for token in tokenizer(text):
            counts[token] = counts.get(token, 0) + 1
        widths.append(len(counts))
        columns.extend(number.setdefault(term, len(number)) for term in counts)
        frequencies.extend(counts.values())
    terms = tuple(sorted(number))
    place = np.empty(len(terms), dtype=np.int32)
    place[[number[term] for term in terms]] = np.arange(len(terms), dtype=np.int32)
    return TermCounts(terms, _array(widths), place[_array(columns)], _array(frequencies))


def join_counts(parts: Sequence[TermCounts]) -> TermCounts:
    """Counts of all passages of several parts, in order."""
    terms = tuple(sorted(set[str]().union(*(part.terms for part in parts))))
    place = {term: i for i, term in enumerate(terms)}.__getitem__
    columns = [
        np.fromiter(map(place, part.terms), np.int32, len(part.terms))[part.columns]
        for part in parts
    ]
    return TermCounts(
        terms,
        np.concatenate([_NONE, *(part.widths for part in parts)]),
        np.concatenate([_NONE, *columns]),
        np.concatenate([_NONE, *(part.frequencies for part in parts)]),
    )


def counts_bytes(counts: TermCounts, key: str) -> bytes:
    """Return counts by the clinical tokeniser as bytes; `key` names the counted texts.

    The texts must not contain lone surrogates.
    """
    head = (FORMAT, TOKENIZER, key, len(counts), counts.terms)
    numbers = np.concatenate([counts.widths, counts.columns, counts.frequencies])
    line = json.dumps(head, ensure_ascii=False).encode() + b"\n"
    body = line + numbers.astype(_INT, copy=False).tobytes()
    return sha256(body).digest() + body


def read_counts(data: bytes, key: str) -> TermCounts | None:
    """Counts from `counts_bytes`; None if damaged, of other texts or of another version."""
    if sha256(data[_HASH:]).digest() != data[:_HASH]:
        return None
    end = data.index(b"\n", _HASH)
    form, tokenizer, written_key, passages, terms = json.loads(data[_HASH:end])
    if (form, tokenizer, written_key) != (FORMAT, TOKENIZER, key):
        return None
    numbers = np.frombuffer(data, dtype=_INT, offset=end + 1)
    entries = (len(numbers) - passages) // 2
    widths, columns, frequencies = np.split(numbers, [passages, passages + entries])
    return TermCounts(tuple(terms), widths, columns, frequencies)


def _array(numbers: array[int]) -> NDArray[np.int32]:
    return np.frombuffer(numbers, dtype=np.int32) if numbers else _NONE


_NONE = np.empty(0, dtype=np.int32)
