"""BM25 search compared with other engines in the same run, on a synthetic Zipf corpus.

    pip install -r benchmarks/requirements.txt
    python benchmarks/bm25.py --chunks 100000

Prints latency percentiles for clinrag, rank_bm25, bm25s (numba) and tantivy, whether scores equal
those of rank_bm25 bit for bit, memory and load time. Every engine gets the same tokens. `content`
queries avoid the 150 most frequent terms; `raw` queries draw all terms of a passage alike.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from latency import MS_PER_S, percentiles, timed

from clinrag_core.index.bm25 import BM25Index
from clinrag_core.index.bm25_impacts import LuceneBM25
from clinrag_core.settings import BM25Settings
from clinrag_core.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Callable

    Call = Callable[[list[str]], object]

VOCABULARY = 200_000
ZIPF_OFFSET = 2.7
"""Mandelbrot's offset for English text."""
WORDS_PER_CHUNK = 150
WORDS_PER_QUERY = 8
FREQUENT_TERMS = 150
"""Terms of the lowest ranks, left out of `content` queries."""
TOP = 100
WARM_UP = 20
TANTIVY_HEAP_BYTES = 200_000_000
LETTERS = "bcdfghjklmnpqrtvwxyz"
SETTINGS = BM25Settings()


def word(rank: int) -> str:
    """Return a word of letters for a rank, which the tokeniser does not split or fold."""
    letters = ""
    rank += 1
    while rank:
        rank, digit = divmod(rank, len(LETTERS))
        letters += LETTERS[digit]
    return f"{letters}qo"


def zipf_corpus(chunks: int, seed: int) -> list[np.ndarray]:
    """Return the term ranks of each passage, drawn with weight 1 / (rank + offset)."""
    rng = np.random.default_rng(seed)
    weights = 1 / (np.arange(VOCABULARY) + ZIPF_OFFSET)
    cumulative = np.cumsum(weights / weights.sum())
    return [np.searchsorted(cumulative, rng.random(WORDS_PER_CHUNK)) for _ in range(chunks)]


def draw_queries(corpus: list[np.ndarray], count: int, least: int, seed: int) -> list[list[str]]:
    """Return queries of terms from random passages, without terms below rank `least`."""
    rng = np.random.default_rng(seed)
    queries: list[list[str]] = []
    while len(queries) < count:
        terms = corpus[rng.integers(len(corpus))]
        terms = terms[terms >= least]
        if len(terms) >= WORDS_PER_QUERY:
            picked = rng.choice(terms, WORDS_PER_QUERY, replace=False)
            queries.append([word(int(rank)) for rank in picked])
    return queries


def peer_searches(texts: list[str], tokens: list[list[str]]) -> dict[str, Call]:
    """Return the searches of bm25s (numba) and tantivy, those that are installed."""
    searches: dict[str, Call] = {}
    try:
        import bm25s

        index = bm25s.BM25(method="lucene", k1=SETTINGS.k1, b=SETTINGS.b, backend="numba")
        index.index(tokens, show_progress=False)
        searches["bm25s numba"] = lambda query: index.retrieve(
            [query], k=TOP, show_progress=False, n_threads=1
        )
    except ImportError:
        print("bm25s is not installed; see benchmarks/requirements.txt")
    try:
        import tantivy

        schema = tantivy.SchemaBuilder().add_text_field("text", tokenizer_name="whitespace").build()
        store = tantivy.Index(schema)
        writer = store.writer(TANTIVY_HEAP_BYTES, 1)
        for text in texts:
            writer.add_document(tantivy.Document(text=text))
        writer.commit()
        writer.wait_merging_threads()
        store.reload()
        searcher = store.searcher()
        searches["tantivy"] = lambda query: searcher.search(
            store.parse_query(" ".join(query), ["text"]), TOP
        )
    except ImportError:
        print("tantivy is not installed; see benchmarks/requirements.txt")
    return searches


def compare(
    name: str,
    index: BM25Index,
    rank_bm25: LuceneBM25 | None,
    others: dict[str, Call],
    queries: list[list[str]],
    rank_bm25_queries: int,
) -> None:
    """Time all engines on the same queries; rank_bm25, which is slow, on the first few only."""
    print(f"{name} queries, {len(queries)}")
    for call in (lambda query: index.top(query, TOP), *others.values()):
        timed(call, queries[:WARM_UP])  # builds dictionaries, compiles
    times, _ = timed(lambda query: index.top(query, TOP), queries)
    print(percentiles("clinrag", times))
    for other, call in others.items():
        other_times, _ = timed(call, queries)
        ratio = np.median(other_times) / np.median(times)
        print(f"{percentiles(other, other_times)}  {ratio:7.2f} times clinrag (p50)")
    if rank_bm25 is None:
        return
    first = queries[:rank_bm25_queries]
    slow_times, scores = timed(rank_bm25.get_scores, first)
    equal = sum(np.array_equal(index.scores(q), s) for q, s in zip(first, scores, strict=True))
    ratio = np.median(slow_times) / np.median(times[: len(first)])
    print(
        f"{percentiles('rank_bm25', slow_times)}  {ratio:7.0f} times clinrag (p50), "
        f"bit-identical {equal}/{len(first)}"
    )


def main() -> None:
    """Build, load and search one index, and compare the searches."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--queries", type=int, default=1_000)
    parser.add_argument("--peer-queries", type=int, default=20, help="for rank_bm25; 0: none")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    corpus = zipf_corpus(args.chunks, args.seed)
    texts = [" ".join(word(int(rank)) for rank in terms) for terms in corpus]
    ids = [f"{i:08}" for i in range(len(texts))]

    start = time.perf_counter()
    tokens = [tokenize(text) for text in texts]
    tokenising = time.perf_counter() - start
    megabytes = sum(map(len, texts)) / 1e6
    print(f"tokenise {megabytes / tokenising:.1f} MB/s, {len(texts) / tokenising:,.0f} chunks/s")

    start = time.perf_counter()
    index = BM25Index.build(ids, texts, SETTINGS)
    building = time.perf_counter() - start
    print(f"build    {building:.2f} s, {len(texts) / building:,.0f} chunks/s, tokenising included")
    rank_bm25 = LuceneBM25(tokens, SETTINGS) if args.peer_queries else None
    others = peer_searches(texts, tokens)

    with tempfile.TemporaryDirectory() as folder:
        index.save(Path(folder))
        size = sum(file.stat().st_size for file in Path(folder).iterdir()) / 1e6
        start = time.perf_counter()
        loaded = BM25Index.load(Path(folder))
        took = MS_PER_S * (time.perf_counter() - start)
        print(f"load     {took:.1f} ms, {size:.1f} MB on disk")
        for name, least in (("content", FREQUENT_TERMS), ("raw", 0)):
            queries = draw_queries(corpus, args.queries, least, args.seed + 1)
            compare(name, loaded, rank_bm25, others, queries, args.peer_queries)


if __name__ == "__main__":
    main()
