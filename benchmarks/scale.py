#!/usr/bin/env python3
"""Memory, disk, build time, answer time, nodes for millions of passages, from measured constants.

Bytes of a passage are those recorded of the reference corpus or of the sample, or those of the
larger knowledge base in CLINRAG_HOME (`--constants`); the time of a scan (CPU time of one thread)
comes from vectors made here. Other sizes are straight proportion, and n log n for a graph;
`--check` measures an index of `--check-passages` and prints the ratio of what was measured to
what was computed. Cores come from a simulated queue: questions arrive at random (Poisson), each
takes the computed time on one core of every node. Prices are an assumption, given as options.
Nothing was run at 50 million passages. Stores are those that `clinrag_core/index/stores` makes;
what is assumed of a server that was not run is said where its constants are.

    python benchmarks/scale.py --check
    CLINRAG_HOME=.clinrag python benchmarks/scale.py --constants home
"""

from __future__ import annotations

import argparse
import heapq
import tempfile
import time
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from dense import clustered
from rich.console import Console
from rich.table import Table

from clinrag_core.index.approximate import EXACT_BELOW, LINKS, ApproximateIndex
from clinrag_core.index.dense import DenseIndex
from clinrag_core.index.knowledge_base import KnowledgeBase
from clinrag_core.index.shard_files import SHARDS
from clinrag_core.pipeline.candidates import candidate_directory, read_candidates
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.settings import load_settings

if TYPE_CHECKING:
    from numpy.typing import NDArray

GIB, MILLION, MS = 2**30, 1_000_000, 1_000.0
SECONDS_AN_HOUR = 3_600
SCANNED = 50_000
REPEATS = 60
FLOAT32, FLOAT16 = 4, 2
FAISS_LINKS = 272
"""Bytes of a passage in FAISS's graph besides its vector: 64 links of four bytes in the lowest
layer, 16 for the others (`dense.hnsw` has 1,808 a passage at 20,000 and at 50,000 x 384)."""
GRAPH_S = 2 * 375.0
"""Seconds to build a graph over 1,000,000 x 384 with one thread, as a build does for the sake of
equal bytes: 375 s with two (docs/search-engine.md), by judgement twice that."""
HNSW_MS = 0.69
"""p95 at 1,000,000 x 384 (docs/search-engine.md); grows with the logarithm."""
PGVECTOR_BYTES = 1_140
"""Bytes of a passage in pgvector's table and index besides its vector, which both hold: 4,212 in
all at 384 numbers (`benchmarks/stores.py`)."""
PGVECTOR_MS = 6.0
"""p95 at a million: 5.0 ms at 100,000 (`benchmarks/stores.py`), grown with the logarithm."""
PGVECTOR_FILL_S = 370.0
PGVECTOR_GRAPH_S = 2_844.0
"""Seconds a million; 37 and 237 s at 100,000 (`benchmarks/stores.py`), the graph as n log n."""
QDRANT_SHARE = 1.5
"""Memory for each byte of a vector, graph included: Qdrant's capacity planning."""
WEAVIATE_SHARE = 2
"""Memory for each byte of vectors and links, for Go's garbage collector: Weaviate's resource
planning, which counts 10 bytes a link."""
WEAVIATE_LINKS = 2 * LINKS * 10
PINECONE = "Pinecone"
BM25_MS_A_MILLION = 11.7
"""p95 of questions with the commonest words at 1,000,000 passages (docs/search-engine.md)."""
OTHER_MS = 12.0
"""p95 of the rest of a search: encoding the question, fusion, reading passages
(docs/search-engine.md: 18.8 ms in all, where scans take little)."""
LIMIT_MS = 300.0
"""Time limit of a component (docs/search-engine.md)."""


class Bytes(NamedTuple):
    """What a passage takes, with its statements."""

    tables: float
    """Bytes on disk."""
    postings: float
    """Bytes on disk, mapped into memory."""
    objects: float
    """Bytes of Python and numpy in memory, such as ids, vectors of statements excepted."""
    statements: float
    """Statements of a passage."""
    encoded: float
    """Characters that are encoded, statements included, to those of passages."""


RECORDED = {
    "reference": Bytes(6_218, 1_628, 1_030, 4.22, 2.0),
    "sample": Bytes(2_646, 792, 1_049, 2.31, 2.04),
}
"""Of the labels of a corpus: 5,543 passages and 558 (`--constants home` on a home of each)."""


class Store(NamedTuple):
    """What a store keeps of a passage, in addition to the release's own files."""

    name: str
    number: float
    """Bytes of memory for each number of a vector."""
    other: float = 0
    """Bytes of memory of a passage besides: links, keys, payload."""
    disk_number: float = 0
    """Bytes on the store's own disk for each number; FAISS searches the files of the release."""
    disk_other: float = 0
    graph_ms: float = 0
    """p95 of a search by graph among a million, request included; 0: an exact scan."""
    fill_s: float = 0
    """Seconds to fill it with a million."""
    graph_s: float = 0
    """Seconds to build its graph over a million."""


STORES = (
    # Searches every question with a filter, and all questions below a million passages.
    Store("FAISS, exact", FLOAT32),
    Store("FAISS, graph", FLOAT32, FAISS_LINKS, graph_ms=HNSW_MS),
    Store(
        "pgvector, graph", 2 * FLOAT32, PGVECTOR_BYTES, 2 * FLOAT32, PGVECTOR_BYTES,
        PGVECTOR_MS, PGVECTOR_FILL_S, PGVECTOR_GRAPH_S,
    ),
    # No server was run: sizes are the vendor's rules for float32 without quantisation, times those
    # of pgvector. Payloads are not counted.
    Store(
        "Qdrant, graph", QDRANT_SHARE * FLOAT32, 0, QDRANT_SHARE * FLOAT32, 0,
        PGVECTOR_MS, PGVECTOR_FILL_S, PGVECTOR_GRAPH_S,
    ),
    Store(
        "Weaviate, graph", WEAVIATE_SHARE * FLOAT32, WEAVIATE_SHARE * WEAVIATE_LINKS, FLOAT32,
        WEAVIATE_LINKS, PGVECTOR_MS, PGVECTOR_FILL_S, PGVECTOR_GRAPH_S,
    ),
    # Priced by what is stored and read, no setting of a namespace decides memory: not modelled.
    Store(PINECONE, 0, graph_ms=PGVECTOR_MS, fill_s=PGVECTOR_FILL_S),
)  # fmt: skip


def measured_bytes(base: KnowledgeBase, directory: Path) -> Bytes:
    """Return what a passage takes in a knowledge base."""
    sums = {"tables": 0, "postings": 0}
    for name in base.manifest.shards:
        for file in (directory / SHARDS / name).rglob("*"):
            if file.suffix == ".arrow":
                sums["tables"] += file.stat().st_size
            elif "bm25" in file.parts and file.is_file():
                sums["postings"] += file.stat().st_size
    passages = len(base.ids)
    statements = base.manifest.statements / passages
    tracemalloc.start()
    opened = KnowledgeBase(directory)
    objects = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    if opened.statements is not None:
        objects -= opened.statements.vectors.nbytes
    own = sum(map(len, base.table.column("embed_text").to_pylist()))
    said = base.statements.table.column("said").to_pylist() if base.statements else []
    encoded = 1 + sum(map(len, said)) / own
    tables, postings = sums["tables"] / passages, sums["postings"] / passages
    return Bytes(tables, postings, objects / passages, statements, encoded)


def scan_ms(passages: int, dimension: int) -> float:
    """Return the median time of an exact search over random vectors."""
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((passages, dimension), dtype=np.float32)
    with tempfile.TemporaryDirectory() as folder:
        DenseIndex.build(vectors, [str(row) for row in range(passages)]).save(Path(folder))
        index = DenseIndex.load(Path(folder), ids=[str(row) for row in range(passages)])
        times: list[float] = []
        for query in vectors[: REPEATS + 1]:
            start = time.thread_time()
            index.search(query, 100)
            times.append(time.thread_time() - start)
    return MS * float(np.median(times[1:]))


def queue(
    service_ms: float, rate: float, cores: int, questions: int = 20_000
) -> NDArray[np.float64]:
    """Return the times in ms that questions spend in a simulated queue, waiting included."""
    arrivals = np.cumsum(np.random.default_rng(1).exponential(1 / rate, questions))
    free = [0.0] * cores
    spent = np.empty(questions)
    for number, arrival in enumerate(arrivals.tolist()):
        end = max(arrival, heapq.heappop(free)) + service_ms / MS
        heapq.heappush(free, end)
        spent[number] = MS * (end - arrival)
    return spent


def cores_for(service_ms: float, rate: float, limit_ms: float) -> int:
    """Return the fewest cores whose simulated p95 is within a limit."""
    cores = max(int(rate * service_ms / MS), 1)
    while np.percentile(queue(service_ms, rate, cores), 95) > limit_ms:
        cores += 1
    return cores


class Capacity(NamedTuple):
    """What a size needs with one store."""

    service: float
    """GiB of memory of a process that serves, the store's left out."""
    store: float
    """GiB of memory of the store."""
    disk: float
    """GiB on disk, of a release and of the store."""
    search_ms: float
    cores: int
    nodes: int
    cost: float


def log_growth(passages: float) -> float:
    """Return how many times what grows with the logarithm is that of a million."""
    return max(float(np.log(passages) / np.log(MILLION)), 1.0)


def graph_s(passages: float, million_s: float) -> float:
    """Return the seconds to build a graph that takes `million_s` over a million: n log n."""
    return million_s * passages / MILLION * log_growth(passages)


def memory(store: Store, passages: float, of: Bytes, dimension: int) -> tuple[float, float]:
    """Return the bytes of memory of the service and of the store.

    Vectors of statements are float32 in memory and float16 on disk.
    """
    said = of.statements * FLOAT32 * dimension
    service = passages * (of.postings + of.objects + said)
    return service, passages * (store.number * dimension + store.other)


def disk(store: Store, passages: float, of: Bytes, dimension: int) -> float:
    """Return the bytes on disk; a release holds FAISS's files whatever the store."""
    own = of.tables + of.postings + (of.statements * FLOAT16 + FLOAT32) * dimension
    if passages >= EXACT_BELOW:
        own += FLOAT32 * dimension + FAISS_LINKS
    return passages * (own + store.disk_number * dimension + store.disk_other)


def capacity(
    store: Store, passages: float, of: Bytes, ns: float, args: argparse.Namespace
) -> Capacity:
    """Return what some passages need; `ns` is the time of a scan for each passage."""
    service, kept = (part / GIB for part in memory(store, passages, of, args.dimension))
    on_disk = disk(store, passages, of, args.dimension) / GIB
    scan = passages * ns / MILLION
    dense_ms = store.graph_ms * log_growth(passages) if store.graph_ms else scan
    # Parts of the collection on several nodes are searched side by side. A component may take
    # half of its limit, so that what is left is for waiting.
    slowest = max(dense_ms, BM25_MS_A_MILLION * passages / MILLION)
    enough = max((service + kept) / args.node_gib, slowest / (LIMIT_MS / 2), 1)
    nodes = int(np.ceil(enough))
    search = OTHER_MS + slowest / nodes
    cores = cores_for(search, args.rate, LIMIT_MS)
    cost = (service + kept) * args.ram_price + on_disk * args.disk_price
    cost += cores * nodes * args.core_price
    return Capacity(service, kept, on_disk, search, cores, nodes, cost)


def build_hours(
    store: Store, passages: float, of: Bytes, rate: float, args: argparse.Namespace
) -> float:
    """Return the hours from documents to a store that is searched, at a rate of encoding.

    From a million on every build makes FAISS's graph as well.
    """
    seconds = passages * (args.cut_ms / MS + of.encoded / rate + store.fill_s / MILLION)
    if passages >= EXACT_BELOW:
        seconds += graph_s(passages, GRAPH_S) + graph_s(passages, store.graph_s)
    return seconds / SECONDS_AN_HOUR


def check(ns: float, args: argparse.Namespace) -> None:
    """Print measured against computed: scan and graph of another size, and the queue."""
    passages = args.check_passages
    measured = scan_ms(passages, args.dimension)
    computed = passages * ns / MILLION
    print(f"scan of {passages:,}: measured / computed {measured / computed:.2f}")
    vectors = clustered(passages, args.dimension, 0)
    start = time.thread_time()
    ApproximateIndex.build(vectors, [str(row) for row in range(passages)])
    built = time.thread_time() - start
    ratio = built / graph_s(passages, GRAPH_S)
    print(f"graph of {passages:,}: {built:.0f} s, measured / computed {ratio:.2f}")
    load, service = 0.5, 10.0
    exact = service * (1 + load / (2 * (1 - load)))  # Pollaczek and Khinchine
    mean = float(queue(service, MS * load / service, 1).mean())
    print(f"one core at half load, mean time in the queue: simulated / exact {mean / exact:.2f}")


def constants(name: str) -> Bytes:
    """Return recorded constants, or those of the larger knowledge base of the home."""
    if name in RECORDED:
        return RECORDED[name]
    pipeline = Pipeline(load_settings())
    given = max(read_candidates(pipeline), key=lambda one: one.value.chunks)
    directory = candidate_directory(pipeline, given.value)
    return measured_bytes(KnowledgeBase(directory), directory)


def row(store: Store, passages: float, of: Bytes, ns: float, args: argparse.Namespace) -> list[str]:
    """Return the cells of a line of the table."""
    need = capacity(store, passages, of, ns, args)
    hours = [build_hours(store, passages, of, rate, args) for rate in args.encode_rate]
    built = ", ".join(f"{one:,.1f}" if one < 10 else f"{one:,.0f}" for one in hours)  # noqa: PLR2004 - one digit below ten
    hosted = store.name == PINECONE
    return [
        f"{passages:,.0f}", store.name, f"{need.service:,.0f}",
        "vendor's" if hosted else f"{need.store:,.0f}", f"{need.disk:,.0f}",
        f"{need.search_ms:,.0f}", str(need.nodes), str(need.cores),
        f"{need.cost:,.0f}{' + vendor' if hosted else ''}", built,
    ]  # fmt: skip


def main() -> None:
    """Print the constants and the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=float, nargs="+", default=[1e6, 10e6, 50e6])
    parser.add_argument("--dimension", type=int, default=384)
    parser.add_argument("--constants", choices=[*RECORDED, "home"], default="reference")
    parser.add_argument("--rate", type=float, default=20.0, help="questions a second")
    parser.add_argument(
        "--encode-rate", type=float, nargs="+", default=[24.0, 73.0, 11_599.0],
        help="passages of 240 tokens a second, each a figure of build h: fp32 and bf16 on two "
        "cores, fp16 on one GPU",
    )  # fmt: skip
    parser.add_argument("--cut-ms", type=float, default=2.4, help="all but encoding, a passage")
    parser.add_argument("--scan-ns", type=float, help="of a passage; unset: measured here")
    parser.add_argument("--node-gib", type=float, default=256.0)
    parser.add_argument("--ram-price", type=float, default=4.0, help="a GiB and month")
    parser.add_argument("--disk-price", type=float, default=0.1, help="a GiB and month")
    parser.add_argument("--core-price", type=float, default=25.0, help="a core and month")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--check-passages", type=int, default=150_000)
    args = parser.parse_args()
    of = constants(args.constants)
    ns = args.scan_ns or scan_ms(SCANNED, args.dimension) * MILLION / SCANNED
    print(
        f"a passage ({args.constants}): tables {of.tables:,.0f} B, postings {of.postings:,.0f} B, "
        f"objects {of.objects:,.0f} B, {of.statements:.1f} statements, {of.encoded:.2f} times its "
        f"characters encoded; scan {ns:.0f} ns"
    )
    if args.check:
        check(ns, args)
    names = ("passages", "store", "service GiB", "store GiB", "disk GiB", "search p95 ms")
    table = Table(*names, "nodes", "cores a node", "cost a month", "build h")
    for passages in args.passages:
        for store in STORES:
            table.add_row(*row(store, passages, of, ns, args))
    Console(width=150).print(table)


if __name__ == "__main__":
    main()
