#!/usr/bin/env python3
"""Memory, disk, build time, answer time, nodes for millions of passages, from measured constants.

Bytes come from a knowledge base on disk, the time of a scan (CPU time of one thread) from vectors
made here. What is computed for other sizes is straight proportion; `--check` measures an index of
`--check-passages` and prints the ratio of what was measured to what was computed. Cores come from a
simulated queue: questions arrive at random (Poisson), each takes the computed time on one core of
every node. Prices are an assumption, given as options. Nothing was run at 50 million passages, and
no store but FAISS was run here.

    CLINRAG_HOME=.clinrag python benchmarks/scale.py --check
"""

from __future__ import annotations

import argparse
import heapq
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

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
REPEATS = 15
HNSW_BYTES = 2 * 32 * 4
"""Links of a passage in a graph of 32 a layer, 64 in the lowest, four bytes each."""
HNSW_MS = 0.69
"""p95 at 1,000,000 x 384 (docs/search-engine.md); grows with the logarithm."""
BM25_MS_A_MILLION = 11.7
"""p95 of questions with the commonest words at 1,000,000 passages (docs/search-engine.md)."""
OTHER_MS = 12.0
"""p95 of the rest of a search: encoding the question, fusion, reading passages
(docs/search-engine.md: 18.8 ms in all, where scans take little)."""
LIMIT_MS = 300.0
"""Time limit of a component (docs/search-engine.md)."""


class Bytes(NamedTuple):
    """Disk bytes a passage, with its statements, by part."""

    tables: float
    postings: float
    statements: float
    """Statements of a passage."""
    encoded: float
    """Characters that are encoded, statements included, to those of passages."""


class Store(NamedTuple):
    """How vectors are kept: bytes a number in memory and on disk, and whether by a graph."""

    name: str
    memory: int
    disk: int
    graph: bool


STORES = (
    Store("FAISS, exact", 4, 4, graph=False),
    Store("FAISS, graph", 4, 8, graph=True),
    Store("pgvector, halfvec graph", 2, 4, graph=True),
    Store("Qdrant, int8 graph, originals on disk", 1, 5, graph=True),
)


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
    own = sum(map(len, base.table.column("embed_text").to_pylist()))
    said = base.statements.table.column("said").to_pylist() if base.statements else []
    encoded = 1 + sum(map(len, said)) / own
    return Bytes(sums["tables"] / passages, sums["postings"] / passages, statements, encoded)


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
    """What a size needs in one store."""

    memory: float
    disk: float
    search_ms: float
    cores: int
    nodes: int
    cost: float


def capacity(
    store: Store, passages: float, of: Bytes, ns: float, args: argparse.Namespace
) -> Capacity:
    """Return what some passages need; `ns` is the time of a scan for each passage."""
    d = args.dimension
    vectors = passages * (store.memory * d + (HNSW_BYTES if store.graph else 0))
    said = passages * of.statements * 2 * d
    memory = vectors + passages * of.postings + said
    disk = passages * (store.disk * d + of.tables + of.postings) + said
    graph_ms = HNSW_MS * max(np.log(passages) / np.log(MILLION), 1)
    dense_ms = graph_ms if store.graph else passages * ns / MILLION
    # Parts of the collection on several nodes are searched side by side. A component may take
    # half of its limit, so that what is left is for waiting.
    slowest = max(dense_ms, BM25_MS_A_MILLION * passages / MILLION)
    enough = max(memory / GIB / args.node_gib, slowest / (LIMIT_MS / 2), 1)
    nodes = int(np.ceil(enough))
    search = OTHER_MS + slowest / nodes
    cores = cores_for(search, args.rate, LIMIT_MS)
    cost = memory / GIB * args.ram_price + disk / GIB * args.disk_price
    cost += cores * nodes * args.core_price
    return Capacity(memory / GIB, disk / GIB, search, cores, nodes, cost)


def check(of: Bytes, base: KnowledgeBase, ns: float, args: argparse.Namespace) -> None:
    """Print measured against computed: the scan of another size, and the postings of this base."""
    measured = scan_ms(args.check_passages, args.dimension)
    computed = args.check_passages * ns / MILLION
    print(f"scan of {args.check_passages:,}: measured / computed {measured / computed:.2f}")
    load, service = 0.5, 10.0
    exact = service * (1 + load / (2 * (1 - load)))  # Pollaczek and Khinchine
    mean = float(queue(service, MS * load / service, 1).mean())
    print(f"one core at half load, mean time in the queue: simulated / exact {mean / exact:.2f}")
    print(f"{len(base.ids):,} passages, {of.statements:.1f} statements each")


def main() -> None:
    """Print the constants and the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=float, nargs="+", default=[1e6, 50e6])
    parser.add_argument("--dimension", type=int, default=384)
    parser.add_argument("--rate", type=float, default=20.0, help="questions a second")
    parser.add_argument("--encode-rate", type=float, default=24.0, help="passages a second")
    parser.add_argument("--cut-ms", type=float, default=2.4, help="all but encoding, a passage")
    parser.add_argument("--node-gib", type=float, default=256.0)
    parser.add_argument("--ram-price", type=float, default=4.0, help="a GiB and month")
    parser.add_argument("--disk-price", type=float, default=0.1, help="a GiB and month")
    parser.add_argument("--core-price", type=float, default=25.0, help="a core and month")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--check-passages", type=int, default=150_000)
    args = parser.parse_args()
    pipeline = Pipeline(load_settings())
    given = max(read_candidates(pipeline), key=lambda one: one.value.chunks)
    directory = candidate_directory(pipeline, given.value)
    base = KnowledgeBase(directory)
    of = measured_bytes(base, directory)
    ns = scan_ms(SCANNED, args.dimension) * MILLION / SCANNED
    print(f"a passage: tables {of.tables:,.0f} B, postings {of.postings:,.0f} B, scan {ns:.0f} ns")
    if args.check:
        check(of, base, ns, args)
    names = ("passages", "store", "memory GiB", "disk GiB", "search p95 ms", "nodes")
    table = Table(*names, "cores a node", "cost a month", "build h")
    for passages in args.passages:
        work = passages * args.cut_ms / MS + passages * of.encoded / args.encode_rate
        for store in STORES:
            need = capacity(store, passages, of, ns, args)
            table.add_row(
                f"{passages:,.0f}", store.name, f"{need.memory:,.0f}", f"{need.disk:,.0f}",
                f"{need.search_ms:,.0f}", str(need.nodes), str(need.cores),
                f"{need.cost:,.0f}", f"{work / SECONDS_AN_HOUR:,.0f}",
            )  # fmt: skip
    Console(width=150).print(table)


if __name__ == "__main__":
    main()
