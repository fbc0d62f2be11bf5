"""A saved BM25 index is the same index, or is refused."""

import json
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinrag_core.errors import IndexBuildError
from clinrag_core.index.bm25 import BM25Index
from clinrag_core.index.bm25_counts import count_terms
from clinrag_core.settings import BM25Settings

TEXTS = ["isoniazid 300 mg daily", "rifampicin 600 mg", "β-lactam and µ", "", "isoniazid daily"]
IDS = ["c", "a", "e", "b", "d"]
SETTINGS = BM25Settings(k1=1.2, b=0.6)
BACKGROUND = {"isoniazid": 2.0, "daily": 0.5}


def build(texts: Iterable[str]) -> BM25Index:
    return BM25Index.from_counts(IDS, count_terms(texts), SETTINGS, background=BACKGROUND)


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    build(TEXTS).save(tmp_path / "bm25")
    return tmp_path / "bm25"


def test_a_loaded_index_answers_as_the_built_one(saved: Path) -> None:
    built = build(TEXTS)
    loaded = BM25Index.load(saved)
    for query in ("isoniazid daily", "600 mg", "beta-lactam", "unheard", ""):
        assert loaded.search(query, 10) == built.search(query, 10)
    assert loaded.chunk_ids == tuple(IDS)
    assert loaded.settings == SETTINGS
    assert loaded.terms == built.terms
    assert loaded.idf() == built.idf()


def test_equal_indexes_are_equal_bytes(saved: Path, tmp_path: Path) -> None:
    BM25Index.load(saved).save(tmp_path / "again")
    again = build(iter(TEXTS))
    again.save(tmp_path / "other")
    for file in sorted(saved.iterdir()):
        assert (tmp_path / "again" / file.name).read_bytes() == file.read_bytes()
        assert (tmp_path / "other" / file.name).read_bytes() == file.read_bytes()


def test_arrays_are_mapped_not_read(saved: Path) -> None:
    values = BM25Index.load(saved)._parts[0].frequencies
    assert isinstance(values.base, np.memmap) or isinstance(values, np.memmap)


@pytest.mark.parametrize("texts", [[], ["", "the"]])
def test_empty_indexes_survive_the_round_trip(texts: list[str], tmp_path: Path) -> None:
    BM25Index.build([str(i) for i in range(len(texts))], texts, SETTINGS).save(tmp_path / "bm25")
    loaded = BM25Index.load(tmp_path / "bm25")
    assert len(loaded) == len(texts)
    assert loaded.search("isoniazid", 3) == []


@given(st.lists(st.text(), unique=True, max_size=5))
def test_any_text_can_be_saved(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    folder = tmp_path_factory.mktemp("any") / "bm25"
    index = BM25Index.build(texts, texts, SETTINGS)
    index.save(folder)
    loaded = BM25Index.load(folder)
    assert loaded.chunk_ids == tuple(texts)
    assert loaded.terms == index.terms


def _flip_a_byte(folder: Path, name: str) -> None:
    data = bytearray((folder / name).read_bytes())
    data[-1] ^= 1
    (folder / name).write_bytes(data)


FILES = [
    "starts.npy", "rows.npy", "frequencies.npy", "lengths.npy", "idf.npy",
    "vocabulary.json", "chunk_ids.json",
]  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_one_flipped_byte_is_noticed(saved: Path, name: str) -> None:
    _flip_a_byte(saved, name)
    with pytest.raises(IndexBuildError, match=name):
        BM25Index.load(saved)


@pytest.mark.parametrize("name", [*FILES, "bm25.json"])
def test_a_missing_file_is_noticed(saved: Path, name: str) -> None:
    (saved / name).unlink()
    with pytest.raises(IndexBuildError, match=name):
        BM25Index.load(saved)


@pytest.mark.parametrize(
    ("count", "name"),
    [("passages", "lengths.npy"), ("terms", "starts.npy"), ("entries", "rows.npy")],
)
def test_files_that_do_not_fit_their_record_are_refused(saved: Path, count: str, name: str) -> None:
    record = json.loads((saved / "bm25.json").read_text("utf-8"))
    record[count] += 1
    (saved / "bm25.json").write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(IndexBuildError, match=name):
        BM25Index.load(saved)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("tokenizer", "clinical/0", "build the index again"),
        ("format", 1, "not a BM25 index"),
        ("passages", -1, "not a BM25 index"),
        ("extra", 1, "not a BM25 index"),
    ],
)
def test_a_record_of_another_format_or_tokeniser_is_refused(
    saved: Path, key: str, value: object, message: str
) -> None:
    record = json.loads((saved / "bm25.json").read_text("utf-8"))
    (saved / "bm25.json").write_text(json.dumps(record | {key: value}), encoding="utf-8")
    with pytest.raises(IndexBuildError, match=message):
        BM25Index.load(saved)


@given(
    parts=st.lists(st.lists(st.sampled_from(TEXTS), max_size=4), min_size=1, max_size=4),
    query=st.sampled_from(["isoniazid daily", "600 mg daily isoniazid", "beta-lactam", "unheard"]),
    k=st.integers(1, 6),
)
def test_several_parts_are_searched_as_one_index(
    tmp_path_factory: pytest.TempPathFactory, parts: list[list[str]], query: str, k: int
) -> None:
    folder = tmp_path_factory.mktemp("parts")
    ids = [[f"{part}-{row}" for row in range(len(texts))] for part, texts in enumerate(parts)]
    for number, texts in enumerate(parts):
        BM25Index.build(ids[number], texts, SETTINGS).save(folder / str(number))
    joined = BM25Index.load(*(folder / str(number) for number in range(len(parts))))
    whole = BM25Index.build([*chain(*ids)], [*chain(*parts)], SETTINGS)
    tokens = query.split()
    assert joined.search(query, k) == whole.search(query, k)
    assert np.array_equal(joined.scores(tokens), whole.scores(tokens))
    assert joined.terms == whole.terms
    assert joined.idf() == whole.idf()
    assert joined.rows_with(tokens[:1]).tolist() == whole.rows_with(tokens[:1]).tolist()


def test_a_checked_index_is_not_hashed_again(saved: Path) -> None:
    _flip_a_byte(saved, "frequencies.npy")
    assert len(BM25Index.load(saved, checked=True)) == len(IDS)
