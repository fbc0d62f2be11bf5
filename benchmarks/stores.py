#!/usr/bin/env python3
"""pgvector as the code makes it: bytes a passage of table and graph, filling, p95, next to FAISS.

Vectors are drawn in clusters (`benchmarks/dense.py`), payloads are those of the passages in
CLINRAG_HOME, repeated. The graph is made whatever the number of passages; a service makes one for
large tables alone. Without an address the PostgreSQL of the tests is started, with its defaults for
memory and without synchronising to the disk; psycopg2 reads a password from PGPASSWORD.

    CLINRAG_HOME=.clinrag python benchmarks/stores.py --passages 100000
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from dense import clustered, queries_near
from latency import percentiles, timed

from clinrag_core.index.approximate import ApproximateIndex
from clinrag_core.index.dense import DenseIndex
from clinrag_core.index.filters import FILTERED, MetadataFilter
from clinrag_core.index.knowledge_base import read_chunks
from clinrag_core.index.stores import pgvector_store
from clinrag_core.index.stores.pgvector_store import PgvectorDatabase
from clinrag_core.index.stores.protocol import VectorRecord
from clinrag_core.pipeline.candidates import candidate_directory, read_candidates
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.settings import VectorStoreSettings, load_settings

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from numpy.typing import NDArray

TESTS = Path(__file__).resolve().parents[1] / "tests"
COLLECTION = "Benchmark_stores"
TOP = 100
"""Candidates of a component (docs/search-engine.md)."""
WARM_UP = 100
TIMEOUT_S = 60
"""Longer than that of the service: an exact search of many passages is measured as well."""


@contextmanager
def database(url: str | None) -> Generator[PgvectorDatabase]:
    """A database at an address, or one of a server that is started and stopped."""
    if url is not None:
        yield PgvectorDatabase(_settings(url))
        return
    sys.path.insert(0, str(TESTS))
    from fakes.postgres_server import PASSWORD, Server

    with tempfile.TemporaryDirectory(prefix="clinrag-postgres-") as folder:
        server = Server(Path(folder))
        server.start()
        try:
            address = f"postgresql://dagster@127.0.0.1:{server.port}/postgres"
            yield PgvectorDatabase(_settings(address), PASSWORD)
        finally:
            server.stop()


def _settings(url: str) -> VectorStoreSettings:
    return VectorStoreSettings(kind="pgvector", url=url, attempts=1, timeout_s=TIMEOUT_S)


def payloads(count: int) -> list[dict[str, Any]]:
    """What filters read of the passages of all candidates, repeated to some number."""
    pipeline = Pipeline(load_settings())
    given = [one.value for one in read_candidates(pipeline)]
    tables = [read_chunks(candidate_directory(pipeline, one)) for one in given]
    rows = [row for table in tables for row in table.select(FILTERED).to_pylist()]
    return list(islice(cycle(rows), count))


def sizes(opened: PgvectorDatabase) -> tuple[int, int]:
    """Return the bytes of the collection's table, key included, and of its graph."""
    statement = "SELECT pg_total_relation_size(%s::regclass), pg_relation_size(%s::regclass)"
    names = (f'"{COLLECTION}"', f'"{COLLECTION}_hnsw"')

    def read(cursor: Any) -> tuple[int, int]:
        cursor.execute(statement, names)
        return cursor.fetchone()

    everything, graph = opened.run(read)
    return everything - graph, graph


def filters(records: Sequence[VectorRecord]) -> list[tuple[str, MetadataFilter]]:
    """Return a filter by the drug with most passages and one by the publisher with most, named."""
    drugs = Counter(one.payload["drug"] for one in records if one.payload["drug"])
    sources = Counter(one.payload["organisation"] for one in records)
    ((drug, of_drug),), ((source, of_source),) = drugs.most_common(1), sources.most_common(1)
    return [
        (f"a drug, {of_drug / len(records):.1%}", MetadataFilter(drugs=(drug,))),
        (f"a source, {of_source / len(records):.0%}", MetadataFilter(sources=(source,))),
    ]


def recall(hits: Sequence[Any], expected: Sequence[Any]) -> float:
    """Return the mean share of the ten nearest passages that were found."""
    pairs = zip(hits, expected, strict=True)
    shares = [len({h[0] for h in a[:10]} & {e[0] for e in b[:10]}) / 10 for a, b in pairs]
    return float(np.mean(shares))


def measure(opened: PgvectorDatabase, vectors: NDArray[np.float32], queries: Any) -> None:
    """Print what a filled collection takes, and the time of its searches next to FAISS's."""
    count, dimension = vectors.shape
    ids = [f"{row:024}" for row in range(count)]  # as long as the id of a passage
    rows = zip(ids, vectors, payloads(count), strict=True)
    records = [VectorRecord(*row) for row in rows]
    opened.drop(COLLECTION)
    store = opened.store(COLLECTION, dimension)
    start = time.perf_counter()
    store.upsert(records)
    filled = time.perf_counter() - start
    timed(lambda query: store.query(query, TOP), queries[:WARM_UP])
    exact_times, _ = timed(lambda query: store.query(query, TOP), queries[:WARM_UP])
    pgvector_store.EXACT_BELOW = 1
    start = time.perf_counter()
    store.optimise()
    indexed = time.perf_counter() - start
    table, graph = sizes(opened)
    print(f"{count:,} passages x {dimension}: filled in {filled:.0f} s, graph in {indexed:.0f} s")
    print(f"a passage: table {table / count:,.0f} B, graph {graph / count:,.0f} B")
    for name, wanted in filters(records):
        times, _ = timed(lambda query, wanted=wanted: store.query(query, TOP, wanted), queries)
        print(percentiles(f"pgvector, {name}", times))
    times, hits = timed(lambda query: store.query(query, TOP), queries)
    exact = DenseIndex.build(vectors, ids)
    expected = [exact.search(query, TOP) for query in queries]
    print(percentiles("pgvector, exact", exact_times))
    print(percentiles("pgvector, graph", times), f"recall@10 {recall(hits, expected):.3f}")
    faiss = ApproximateIndex.build(vectors, ids, threads=2)
    times, hits = timed(lambda query: faiss.search(query, TOP), queries)
    print(percentiles("FAISS, graph", times), f"recall@10 {recall(hits, expected):.3f}")
    opened.drop(COLLECTION)


def main() -> None:
    """Measure pgvector."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--dimension", type=int, default=384)
    parser.add_argument("--queries", type=int, default=500)
    parser.add_argument("--url", help="postgresql://USER@HOST/DATABASE; unset: a server is started")
    args = parser.parse_args()
    vectors = clustered(args.passages, args.dimension, 0)
    queries = queries_near(vectors, args.queries)
    with database(args.url) as opened:
        measure(opened, vectors, queries)


if __name__ == "__main__":
    main()
