#!/usr/bin/env python3
"""Exact and approximate (HNSW) nearest neighbours: latency, recall, build time, memory.

Vectors are drawn in clusters around random centres, because embeddings cluster; queries are noisy
copies of some vectors.

    python benchmarks/dense.py --passages 100000
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np
from latency import percentiles, timed

from clinrag_core.index.approximate import ApproximateIndex
from clinrag_core.index.dense import DenseIndex

TOP = 10
WARM_UP = 20
CLUSTER_SIZE = 300
BLOCK = 50_000
"""Vectors drawn at once, which limits memory."""
CLUSTER_SPREAD = 0.7
"""Standard deviation within a cluster, relative to that of the centres."""
QUERY_NOISE = 0.02
"""Standard deviation of the noise per dimension: a query's vector is its nearest neighbour."""


def clustered(count: int, dimension: int, seed: int) -> np.ndarray:
    """Return normalised float32 vectors in clusters of about `CLUSTER_SIZE`."""
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((max(count // CLUSTER_SIZE, 1), dimension)).astype(np.float32)
    out = np.empty((count, dimension), dtype=np.float32)
    for start in range(0, count, BLOCK):
        stop = min(start + BLOCK, count)
        clusters = rng.integers(len(centres), size=stop - start)
        noise = rng.standard_normal((stop - start, dimension)).astype(np.float32)
        out[start:stop] = centres[clusters] + CLUSTER_SPREAD * noise
    out /= np.linalg.norm(out, axis=1, keepdims=True)
    return out


def queries_near(vectors: np.ndarray, count: int) -> np.ndarray:
    """Return `count` of the vectors with noise, of unit length."""
    rng = np.random.default_rng(1)
    picked = vectors[rng.integers(len(vectors), size=count)]
    queries = picked + QUERY_NOISE * rng.standard_normal(picked.shape).astype(np.float32)
    return queries / np.linalg.norm(queries, axis=1, keepdims=True)


def main() -> None:
    """Measure both indexes on the same queries."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--dimension", type=int, default=384)
    parser.add_argument("--queries", type=int, default=1_000)
    parser.add_argument("--threads", type=int, default=1, help="of the HNSW build")
    parser.add_argument("--exact-only", action="store_true")
    args = parser.parse_args()
    vectors = clustered(args.passages, args.dimension, 0)
    queries = queries_near(vectors, args.queries)
    ids = [f"{i:08}" for i in range(len(vectors))]
    import faiss

    faiss.omp_set_num_threads(1)
    exact = DenseIndex.build(vectors, ids)
    timed(lambda query: exact.search(query, TOP), queries[:WARM_UP])
    times, exact_hits = timed(lambda query: exact.search(query, TOP), queries)
    print(f"{args.passages:,} passages x {args.dimension}, {args.queries} queries, one thread")
    print(f"{percentiles('exact', times)}  vectors {vectors.nbytes / 1e6:,.0f} MB")
    if args.exact_only:
        return
    start = time.perf_counter()
    graph = ApproximateIndex.build(vectors, ids, threads=args.threads)
    built = time.perf_counter() - start
    faiss.omp_set_num_threads(1)
    times, graph_hits = timed(lambda query: graph.search(query, TOP), queries)
    recall = [
        len(dict(hits).keys() & dict(expected).keys()) / TOP
        for hits, expected in zip(graph_hits, exact_hits, strict=True)
    ]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(
        f"{percentiles('hnsw', times)}  recall@{TOP} {np.mean(recall):.4f}, built in {built:.0f} s "
        f"with {args.threads} thread(s), peak memory {peak:.1f} GB"
    )


if __name__ == "__main__":
    main()
