"""Term counts: joined and kept ones give the same index in every bit, damaged ones are refused."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinrag_core.errors import IndexBuildError
from clinrag_core.index import bm25_counts
from clinrag_core.index.bm25 import BM25Index
from clinrag_core.index.bm25_counts import (
    TermCounts,
    count_terms,
    counts_bytes,
    join_counts,
    read_counts,
)
from clinrag_core.settings import BM25Settings
from clinrag_core.text.tokens import tokenize

SETTINGS = BM25Settings()
WORDS = ["isoniazid", "rifampin", "dose", "600 mg", "µg", "not", "TB-IRIS", "the", "zinc"]
passages = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
corpora = st.lists(passages, max_size=8)
TEXTS = ["isoniazid 300 mg daily", "", "rifampin 600 mg", "isoniazid and rifampin"]


def same(one: TermCounts, other: TermCounts) -> bool:
    numbers = ("widths", "columns", "frequencies")
    equal = all(np.array_equal(getattr(one, name), getattr(other, name)) for name in numbers)
    return one.terms == other.terms and equal


def index_bytes(index: BM25Index, folder: Path) -> dict[str, bytes]:
    index.save(folder)
    return {file.name: file.read_bytes() for file in folder.iterdir()}


@given(st.lists(corpora, max_size=4))
def test_joined_counts_are_those_of_all_passages(parts: list[list[str]]) -> None:
    every = [text for part in parts for text in part]
    joined = join_counts([count_terms(part) for part in parts])
    assert same(joined, count_terms(every))
    assert joined.lengths.tolist() == [len(tokenize(text)) for text in every]


@given(corpora)
def test_kept_counts_come_back_as_they_were(texts: list[str]) -> None:
    counts = count_terms(texts)
    kept = read_counts(counts_bytes(counts, "key"), "key")
    assert kept is not None
    assert same(kept, counts)


def test_an_index_from_kept_counts_is_bit_identical(tmp_path: Path) -> None:
    ids = ["a", "b", "c", "d"]
    parts = [counts_bytes(count_terms(texts), "key") for texts in (TEXTS[:1], TEXTS[1:])]
    counts = join_counts([kept for part in parts if (kept := read_counts(part, "key"))])
    built = BM25Index.build(ids, TEXTS, SETTINGS)
    again = BM25Index.from_counts(ids, counts, SETTINGS)
    assert index_bytes(again, tmp_path / "again") == index_bytes(built, tmp_path / "built")


@given(st.data())
def test_a_damaged_byte_anywhere_is_noticed(data: st.DataObject) -> None:
    good = counts_bytes(count_terms(TEXTS), "key")
    at = data.draw(st.integers(0, len(good) - 1))
    damaged = bytearray(good)
    damaged[at] ^= data.draw(st.integers(1, 255))
    assert read_counts(bytes(damaged), "key") is None
    assert read_counts(good[:at], "key") is None


def test_counts_of_other_texts_or_by_another_tokeniser_are_not_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept = counts_bytes(count_terms(TEXTS), "key")
    assert read_counts(kept, "other") is None
    monkeypatch.setattr(bm25_counts, "TOKENIZER", "clinical/next")
    assert read_counts(kept, "key") is None


def test_counts_of_another_number_of_passages_are_refused() -> None:
    with pytest.raises(IndexBuildError, match="2 chunk ids, but 4 texts"):
        BM25Index.from_counts(["a", "b"], count_terms(TEXTS), SETTINGS)
    with pytest.raises(IndexBuildError, match="'a' occurs twice"):
        BM25Index.from_counts(["a", "a", "b", "c"], count_terms(TEXTS), SETTINGS)
