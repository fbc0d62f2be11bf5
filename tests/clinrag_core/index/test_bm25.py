"""BM25 search: equal to rank_bm25 bit for bit, safe where rank_bm25 is not."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
import rank_bm25
from hypothesis import given
from hypothesis import strategies as st

from clinrag_core.errors import IndexBuildError
from clinrag_core.index import bm25, bm25_check
from clinrag_core.index.bm25 import BM25Index
from clinrag_core.index.bm25_check import (
    compare_sample,
    compare_with_rank_bm25,
    reference_scores,
)
from clinrag_core.index.bm25_counts import count_terms
from clinrag_core.index.bm25_impacts import LuceneBM25, lucene_idf
from clinrag_core.settings import BM25Settings
from clinrag_core.text.tokens import tokenize

SETTINGS = BM25Settings()
WORDS = ["isoniazid", "rifampin", "dose", "600 mg", "5 mg/kg", "not", "TB-IRIS", "the", "zinc", "-"]

passages = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
corpora = st.lists(passages, max_size=12)
queries = st.lists(st.sampled_from([*WORDS, "unheard"]), max_size=6).map(" ".join)
parameters = st.builds(BM25Settings, k1=st.floats(0.01, 4), b=st.floats(0, 1))


def ids_for(texts: list[str]) -> list[str]:
    return [f"chunk-{i:02}" for i in range(len(texts))]


@pytest.fixture(scope="module", autouse=True, params=[0, bm25.KERNEL_FROM], ids=["kernel", "numpy"])
def loops(request: pytest.FixtureRequest) -> Iterator[None]:
    """Both ways to the best passages; the first search compiles, or reads numba's cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bm25, "KERNEL_FROM", request.param)
        build(["linezolid"]).search("linezolid", 1)
        yield


def build(texts: list[str], settings: BM25Settings = SETTINGS) -> BM25Index:
    return BM25Index.build(ids_for(texts), texts, settings)


@given(corpora, st.lists(queries, max_size=4), parameters)
def test_scores_and_rankings_are_those_of_rank_bm25_bit_for_bit(
    texts: list[str], questions: list[str], settings: BM25Settings
) -> None:
    agreement = compare_with_rank_bm25(build(texts, settings), texts, questions)
    assert agreement.exact
    assert agreement.queries == len(questions)


@given(corpora.filter(any), queries)
def test_only_the_idf_differs_from_plain_rank_bm25(texts: list[str], question: str) -> None:
    """The reference itself is rank_bm25: with its idf replaced, it gives the same scores."""
    tokens = [tokenize(text) for text in texts]
    if not any(tokens):
        return
    plain = rank_bm25.BM25Okapi(tokens, k1=SETTINGS.k1, b=SETTINGS.b)
    for term in plain.idf:
        holding = sum(term in words for words in tokens)
        odds = (len(texts) - holding + 0.5) / (holding + 0.5)
        plain.idf[term] = math.log(1 + odds)
    expected = plain.get_scores(tokenize(question))
    assert np.array_equal(build(texts).scores(tokenize(question)), expected)


@given(corpora, queries, st.integers(0, 20))
def test_hits_are_positive_ordered_and_at_most_k(texts: list[str], query: str, k: int) -> None:
    hits = build(texts).search(query, k)
    assert len(hits) <= k
    assert all(score > 0 for _, score in hits)
    assert hits == sorted(hits, key=lambda hit: (-hit[1], hit[0]))
    every = build(texts).search(query, len(texts) + 5)
    assert hits == every[:k]


def test_ties_are_broken_by_chunk_id_not_by_position() -> None:
    index = BM25Index.build(["d", "b", "a", "c"], ["linezolid"] * 4, SETTINGS)
    assert [chunk for chunk, _ in index.search("linezolid", 3)] == ["a", "b", "c"]


def test_a_term_in_every_passage_still_scores_above_zero() -> None:
    """rank_bm25's own idf makes collections of one to three passages unsearchable."""
    assert build(["linezolid"]).search("linezolid", 1) == [("chunk-00", lucene_idf(1, 1))]
    assert len(build(["linezolid daily", "linezolid weekly"]).search("linezolid", 5)) == 2


def test_a_repeated_query_term_counts_as_often_as_it_is_given() -> None:
    index = build(["linezolid daily", "bedaquiline"])
    once, twice = index.search("linezolid", 1)[0][1], index.search("linezolid linezolid", 1)[0][1]
    assert twice == once + once


@pytest.mark.parametrize("query", ["", "   ", "the of and", "unheard", "…"])
def test_a_query_without_known_words_finds_nothing(query: str) -> None:
    assert build(["linezolid daily", "the drug"]).search(query, 10) == []


@pytest.mark.parametrize("texts", [[], [""], ["", "the", "…"]])
def test_collections_without_any_word_are_empty_not_an_error(texts: list[str]) -> None:
    index = build(texts)
    assert len(index) == len(texts)
    assert index.terms == ()
    assert index.search("linezolid", 5) == []
    assert index.scores(["linezolid"]).tolist() == [0.0] * len(texts)


def test_idf_describes_the_collection() -> None:
    index = build(["linezolid twice linezolid", "linezolid", "zinc"])
    assert index.idf()["linezolid"] == lucene_idf(3, 2)


def test_a_background_separates_rare_from_common_in_a_tiny_collection() -> None:
    texts = ["patient bedaquiline", "patient dose"]
    background = {"patient": 0.1, "bedaquiline": 5.0}
    index = BM25Index.from_counts(["a", "b"], count_terms(texts), SETTINGS, background=background)
    scores = dict(index.search("bedaquiline patient dose", 2))
    assert scores["a"] == pytest.approx(5.1)
    assert scores["b"] == pytest.approx(5.1), "a word the background lacks counts as its rarest"
    assert not compare_with_rank_bm25(index, texts, ["bedaquiline"]).exact


@pytest.mark.parametrize("value", [-0.1, math.nan, math.inf])
def test_a_background_that_could_demote_is_refused(value: float) -> None:
    with pytest.raises(IndexBuildError, match="background idf"):
        BM25Index.from_counts(["a"], count_terms(["dose"]), SETTINGS, background={"dose": value})


@pytest.mark.parametrize(
    ("ids", "texts", "message"),
    [
        (["a", "b", "a"], ["x", "y", "z"], "'a' occurs twice"),
        (["a", "b"], ["x"], "2 chunk ids, but 1 texts"),
        (["a"], ["x", "y"], "1 chunk ids, but 2 texts"),
        (["a"], [], "1 chunk ids, but 0 texts"),
        ([], ["x"], "0 chunk ids, but 1 texts"),
    ],
)
def test_ids_and_texts_that_do_not_match_are_refused(
    ids: list[str], texts: list[str], message: str
) -> None:
    with pytest.raises(IndexBuildError, match=message):
        BM25Index.build(ids, texts, SETTINGS)
    with pytest.raises(IndexBuildError):
        BM25Index.build(ids, iter(texts), SETTINGS)


def test_the_comparison_notices_a_single_altered_score() -> None:
    texts = ["linezolid daily", "linezolid weekly dose", "zinc"]
    index = build(texts)
    index._norms[0] += 1e-12
    agreement = compare_with_rank_bm25(index, texts, ["daily", "zinc"])
    assert 0 < agreement.max_abs_diff < 1e-11
    assert agreement.differing == (0,)
    assert not agreement.exact


def test_a_sample_agrees_as_all_passages_do_and_notices_an_altered_score(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bm25_check, "DEPTH", 5)
    monkeypatch.setattr(bm25_check, "SAMPLE", 10)
    texts = [f"linezolid {n} mg daily" if n % 3 else f"zinc {n} mg" for n in range(60)]
    index, read = build(texts), list[int]()

    def reading(rows: Sequence[int]) -> list[str]:
        read.extend(rows)
        return [texts[row] for row in rows]

    questions = ["zinc 30 mg", "linezolid daily", "unheard"]
    assert compare_sample(index, reading, questions).exact
    assert len(read) < 30
    index._norms[30] += 1e-9
    assert compare_sample(index, reading, questions).max_abs_diff > 0
    assert not compare_sample(index, lambda rows: ["linezolid"] * len(rows), questions).exact


def test_the_comparison_refuses_texts_of_another_corpus() -> None:
    with pytest.raises(IndexBuildError, match="1 passages, but 2 texts"):
        compare_with_rank_bm25(build(["zinc"]), ["zinc", "zinc"], ["zinc"])


def test_empty_passages_score_zero_even_where_rank_bm25_divides_by_zero() -> None:
    settings = BM25Settings(k1=1.5, b=1.0)
    assert reference_scores(["zinc", ""], ["zinc"], settings)[0, 1] == 0.0
    assert compare_with_rank_bm25(build(["zinc", ""], settings), ["zinc", ""], ["zinc"]).exact


def test_the_reference_reads_a_corpus_once() -> None:
    reference = LuceneBM25((words for words in [["zinc"], ["iron"]]), SETTINGS)
    assert reference.corpus_size == 2


def test_real_guidelines_score_as_in_rank_bm25(reference_corpus: Path) -> None:
    files = sorted((reference_corpus / "guidelines").glob("*.txt"))
    texts = [line for file in files for line in file.read_text("utf-8").splitlines() if line]
    questions = ["rifampin dose in children", "BPaLM regimen for MDR TB", *texts[::40]]
    assert len(texts) > 100
    assert compare_with_rank_bm25(build(texts), texts, questions).exact
