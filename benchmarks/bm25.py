"""BM25 search beside other engines in the same run, on a synthetic Zipf corpus.

    pip install -r benchmarks/requirements.txt
    python benchmarks/bm25.py --chunks 100000

Prints p50, p95 and p99 per query beside rank_bm25, bm25s (numba) and tantivy, whether scores agree
with rank_bm25 bit for bit, memory and load time. Every engine gets the same tokens.
`content` queries avoid the 150 most frequent terms; `raw` ones are taken as passages have them.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from clinrag_core.index.bm25 import BM25Index
from clinrag_core.index.bm25_impacts import LuceneBM25
from clinrag_core.settings import BM25Settings
from clinrag_core.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Callable

    Call = Callable[[list[str]], object]

VOCABULARY = 200_000
WORDS_PER_CHUNK = 150
WORDS_PER_QUERY = 8
HEAD = 150
TOP = 100
SETTINGS = BM25Settings()


def word(rank: int) -> str:
    """A letters-only word the tokeniser leaves alone, one per rank."""
    letters = ""
    rank += 1
    while rank:
        rank, digit = divmod(rank, 20)
        letters += "bcdfghjklmnpqrtvwxyz"[digit]
    return f"{letters}qo"


def zipf_corpus(chunks: int, seed: int) -> list[np.ndarray]:
    """Term ranks of each passage, drawn from 1 / (rank + 2.7)."""
    rng = np.random.default_rng(seed)
    weights = 1 / (np.arange(VOCABULARY) + 2.7)
    cumulative = np.cumsum(weights / weights.sum())
    return [np.searchsorted(cumulative, rng.random(WORDS_PER_CHUNK)) for _ in range(chunks)]


def milliseconds(call: Callable[[list[str]], object], queries: list[list[str]]) -> np.ndarray:
    """Wall time of each query in ms."""
    times: list[float] = []
    for query in queries:
        start = time.perf_counter()
        call(query)
        times.append(1000 * (time.perf_counter() - start))
    return np.array(times)


def draw_queries(corpus: list[np.ndarray], count: int, least: int, seed: int) -> list[list[str]]:
    """Queries of terms from a random passage, terms below rank `least` left out."""
    rng = np.random.default_rng(seed)
    queries: list[list[str]] = []
    while len(queries) < count:
        terms = corpus[rng.integers(len(corpus))]
        terms = terms[terms >= least]
        if len(terms) >= WORDS_PER_QUERY:
            picked = rng.choice(terms, WORDS_PER_QUERY, replace=False)
            queries.append([word(int(rank)) for rank in picked])
    return queries


def line(name: str, times: np.ndarray) -> str:
    """Percentiles of some query times."""
    p50, p95, p99 = np.quantile(times, (0.5, 0.95, 0.99))
    return f"  {name:12} p50 {p50:9.3f}  p95 {p95:9.3f}  p99 {p99:9.3f} ms"


def peer_searches(texts: list[str], tokens: list[list[str]]) -> dict[str, Call]:
    """Searches by bm25s (numba) and tantivy, where `benchmarks/requirements.txt` is installed."""
    found: dict[str, Call] = {}
    try:
        import bm25s

        index = bm25s.BM25(method="lucene", k1=SETTINGS.k1, b=SETTINGS.b, backend="numba")
        index.index(tokens, show_progress=False)
        found["bm25s numba"] = lambda query: index.retrieve(
            [query], k=TOP, show_progress=False, n_threads=1
        )
    except ImportError:
        print("bm25s is not installed")
    try:
        import tantivy

        schema = tantivy.SchemaBuilder().add_text_field("text", tokenizer_name="whitespace").build()
        store = tantivy.Index(schema)
        writer = store.writer(200_000_000, 1)
        for text in texts:
            writer.add_document(tantivy.Document(text=text))
        writer.commit()
        writer.wait_merging_threads()
        store.reload()
        searcher = store.searcher()
        found["tantivy"] = lambda query: searcher.search(
            store.parse_query(" ".join(query), ["text"]), TOP
        )
    except ImportError:
        print("tantivy is not installed")
    return found


def compare(
    name: str,
    index: BM25Index,
    peer: LuceneBM25 | None,
    others: dict[str, Call],
    queries: list[list[str]],
    peer_queries: int,
) -> None:
    """Time all on the same queries; rank_bm25, being slow, only on the first few."""
    print(f"{name} queries, {len(queries)}")
    for call in (lambda query: index.top(query, TOP), *others.values()):
        for query in queries[:20]:
            call(query)  # builds dictionaries, compiles
    ours = milliseconds(lambda query: index.top(query, TOP), queries)
    print(line("clinrag", ours))
    for other, call in others.items():
        times = milliseconds(call, queries)
        print(f"{line(other, times)}  {np.median(times) / np.median(ours):7.2f} times ours (p50)")
    if peer is None:
        return
    some = queries[:peer_queries]
    theirs = milliseconds(lambda query: np.argsort(peer.get_scores(query))[::-1][:TOP], some)
    equal = sum(np.array_equal(index.scores(query), peer.get_scores(query)) for query in some)
    ratio = np.median(theirs) / np.median(ours[: len(some)])
    print(
        f"{line('rank_bm25', theirs)}  {ratio:7.0f} times ours (p50, {len(some)} queries), "
        f"bit-identical {equal}/{len(some)}"
    )


def main() -> None:
    """Run the comparison."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--queries", type=int, default=1_000)
    parser.add_argument(
        "--peer-queries", type=int, default=20, help="rank_bm25 answers this many; 0: none"
    )
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
    peer = LuceneBM25(tokens, SETTINGS) if args.peer_queries else None
    others = peer_searches(texts, tokens)

    with tempfile.TemporaryDirectory() as folder:
        index.save(Path(folder))
        size = sum(file.stat().st_size for file in Path(folder).iterdir()) / 1e6
        for verify in (True, False):
            start = time.perf_counter()
            loaded = BM25Index.load(Path(folder), verify=verify)
            took = 1000 * (time.perf_counter() - start)
            print(f"load     {took:.1f} ms (verify={verify})")
        print(f"memory   arrays {loaded.nbytes / 1e6:.1f} MB, on disk {size:.1f} MB")
        for name, least in (("content", HEAD), ("raw", 0)):
            queries = draw_queries(corpus, args.queries, least, args.seed + 1)
            compare(name, loaded, peer, others, queries, args.peer_queries)


if __name__ == "__main__":
    main()
