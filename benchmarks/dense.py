#!/usr/bin/env python3
"""Exact and approximate (HNSW) nearest neighbours: latency, recall, build time, memory.

Vectors are drawn in clusters of a few hundred around random centres, as embeddings lie; queries
are noisy copies of some of them.

    python benchmarks/dense.py --passages 100000
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np

from clinrag_core.index.approximate import ApproximateIndex
from clinrag_core.index.dense import DenseIndex

TOP = 10


def clustered(count: int, dimension: int, seed: int) -> np.ndarray:
    """Normalised float32 vectors around `count / 300` centres."""
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((max(count // 300, 1), dimension)).astype(np.float32)
    out = np.empty((count, dimension), dtype=np.float32)
    for start in range(0, count, 50_000):
        stop = min(start + 50_000, count)
        owners = rng.integers(len(centres), size=stop - start)
        noise = rng.standard_normal((stop - start, dimension)).astype(np.float32)
        out[start:stop] = centres[owners] + 0.7 * noise
    out /= np.linalg.norm(out, axis=1, keepdims=True)
    return out


def timed(search, queries: np.ndarray) -> tuple[np.ndarray, list[list[str]]]:
    """Milliseconds and ids of every query."""
    times: list[float] = []
    found: list[list[str]] = []
    for query in queries:
        start = time.perf_counter()
        hits = search(query, TOP)
        times.append(1_000 * (time.perf_counter() - start))
        found.append([i for i, _ in hits])
    return np.array(times), found


def report(name: str, times: np.ndarray, note: str) -> None:
    """One line of percentiles."""
    p50, p95, p99 = np.quantile(times, (0.5, 0.95, 0.99))
    print(f"  {name:6} p50 {p50:7.2f}  p95 {p95:7.2f}  p99 {p99:7.2f} ms   {note}")


def main() -> None:
    """Measure both on the same queries."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--dimension", type=int, default=384)
    parser.add_argument("--queries", type=int, default=1_000)
    parser.add_argument("--threads", type=int, default=1, help="of the HNSW build")
    parser.add_argument("--exact-only", action="store_true")
    args = parser.parse_args()
    vectors = clustered(args.passages, args.dimension, 0)
    rng = np.random.default_rng(1)
    picked = vectors[rng.integers(len(vectors), size=args.queries)]
    queries = picked + 0.02 * rng.standard_normal(picked.shape).astype(np.float32)
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    ids = [f"{i:08}" for i in range(len(vectors))]
    import faiss

    faiss.omp_set_num_threads(1)
    exact = DenseIndex.build(vectors, ids)
    for query in queries[:20]:
        exact.search(query, TOP)
    times, truth = timed(exact.search, queries)
    print(f"{args.passages:,} passages x {args.dimension}, {args.queries} queries, one thread")
    report("exact", times, f"vectors {vectors.nbytes / 1e6:,.0f} MB")
    if args.exact_only:
        return
    start = time.perf_counter()
    graph = ApproximateIndex.build(vectors, ids, threads=args.threads)
    built = time.perf_counter() - start
    faiss.omp_set_num_threads(1)
    times, found = timed(graph.search, queries)
    same = [len(set(a) & set(b)) / TOP for a, b in zip(found, truth, strict=True)]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    report(
        "hnsw",
        times,
        f"recall@{TOP} {np.mean(same):.4f}, built in {built:.0f} s with {args.threads} thread(s), "
        f"peak memory {peak:.1f} GB",
    )


if __name__ == "__main__":
    main()
