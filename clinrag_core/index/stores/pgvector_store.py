"""PostgreSQL with the extension pgvector: a collection is a table.

A table is filled in one transaction, so that nobody reads half of it. Below `EXACT_BELOW` records
it is searched exactly; above, by an HNSW index. Each thread has a connection of its own.
"""

from __future__ import annotations

import json
import sys
import threading
from typing import TYPE_CHECKING, Any

from clinrag_core.index.approximate import BUILD_WIDTH, LINKS, SEARCH_WIDTH
from clinrag_core.index.stores.collection import ServerStore, as_list
from clinrag_core.index.stores.database import (
    Attempts,
    client_library,
    needed_url,
    stored_payload,
)
from clinrag_core.index.stores.protocol import LISTS, PAYLOAD_TYPES, VectorHit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clinrag_core.index.stores.database import Conditions
    from clinrag_core.index.stores.protocol import VectorRecord
    from clinrag_core.settings import VectorStoreSettings

EXACT_BELOW = 200_000
"""An exact search of 100,000 takes 55 to 112 ms at p95 (`benchmarks/stores.py`), ten times what
FAISS takes; one of a million would be over the time limit of a component, 300 ms."""
_MADE = """
CREATE TABLE IF NOT EXISTS {table} (
    id text COLLATE "C" PRIMARY KEY, vector vector({dimension}) NOT NULL, {columns})
"""


class PgvectorDatabase:
    """The tables of one PostgreSQL database; see `VectorDatabase` for the contract.

    Raises:
        VectorStoreUnavailableError: psycopg2 is not installed, or no address is given.
    """

    def __init__(
        self,
        settings: VectorStoreSettings,
        password: str | None = None,
        sleep: Callable[[float], None] | None = None,
    ) -> None:
        psycopg2 = client_library("psycopg2", "pgvector")
        needed_url(settings, "postgresql://USER@HOST/DATABASE")
        self.timeout_ms = max(round(1000 * settings.timeout_s), 1)
        """Of a search; filling and indexing take as long as they take."""
        self._settings = settings
        self._password = password
        self._local = threading.local()
        lost = (psycopg2.OperationalError, psycopg2.InterfaceError)
        self._attempts = Attempts("PostgreSQL", settings, lost, (psycopg2.Error,), sleep)

    def store(self, collection: str, dimension: int) -> PgvectorStore:
        """See `VectorDatabase.store`."""
        return PgvectorStore(self, collection, dimension)

    def collections(self) -> list[str]:
        """See `VectorDatabase.collections`: tables with a column of vectors."""
        rows = self.run(
            lambda cursor: _fetched(
                cursor,
                "SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid "
                "JOIN pg_type t ON t.oid = a.atttypid WHERE t.typname = 'vector' "
                "AND c.relkind = 'r' AND pg_table_is_visible(c.oid) ORDER BY 1",
            )
        )
        return [name for (name,) in rows]

    def drop(self, collection: str) -> None:
        """See `VectorDatabase.drop`."""
        self.run(lambda cursor: cursor.execute(_sql("DROP TABLE IF EXISTS {table}", collection)))

    def run(self, work: Callable[[Any], Any]) -> Any:
        """Return what some work with a cursor gives, in one transaction of this thread.

        Raises:
            VectorStoreUnavailableError: the database does not answer, or refuses it.
        """
        return self._attempts(lambda: self._once(work))

    def answers(self) -> bool:
        """True if the database answers now."""
        return self._attempts.answers(lambda: self._once(lambda cursor: cursor.execute("SELECT 1")))

    def _once(self, work: Callable[[Any], Any]) -> Any:
        """`run` with one attempt; a lost connection is closed, so that the next connects again."""
        import psycopg2

        connection = getattr(self._local, "connection", None)
        if connection is None or connection.closed:
            timeout = max(round(self._settings.timeout_s), 1)
            # None leaves the password to the address, PGPASSWORD or ~/.pgpass.
            given: dict[str, Any] = {"connect_timeout": timeout, "password": self._password}
            given["tcp_user_timeout"] = 1000 * timeout  # a server that vanishes without a word
            connect: Any = psycopg2.connect
            connection = connect(self._settings.url, **given)
            self._local.connection = connection
        try:
            with connection, connection.cursor() as cursor:
                return work(cursor)
        except (psycopg2.OperationalError, psycopg2.InterfaceError):
            connection.close()
            raise


class PgvectorStore(ServerStore[PgvectorDatabase]):
    """One table. A batch is everything: all records are stored or none."""

    batch = sys.maxsize

    def _make(self) -> None:
        """Make extension and table unless they are there."""

        def make(cursor: Any) -> None:
            # Two processes may begin at once, and IF NOT EXISTS does not serialise them.
            cursor.execute("SELECT pg_advisory_xact_lock(hashtext('clinrag'))")
            cursor.execute("CREATE EXTENSION IF NOT EXISTS vector")
            columns = ", ".join(f"{name} {kind}" for name, kind in PAYLOAD_TYPES.items())
            made = _MADE.format(table="{table}", dimension=int(self.dimension), columns=columns)
            cursor.execute(_sql(made, self._collection))

        self._database.run(make)

    def _put(self, records: Sequence[VectorRecord]) -> None:
        """Insert or replace rows in one transaction."""
        from psycopg2 import sql
        from psycopg2.extras import execute_values

        names = [sql.Identifier(name) for name in ("id", "vector", *PAYLOAD_TYPES)]
        renewed = [sql.SQL("{0} = EXCLUDED.{0}").format(name) for name in names[1:]]
        statement = _sql(
            "INSERT INTO {table} ({columns}) VALUES %s ON CONFLICT (id) DO UPDATE SET {renewed}",
            self._collection,
            columns=sql.SQL(", ").join(names),
            renewed=sql.SQL(", ").join(renewed),
        )
        self._database.run(lambda cursor: execute_values(cursor, statement, map(_row, records)))

    def _nearest(self, vector: list[float], limit: int, wanted: Conditions) -> list[VectorHit]:
        """Search exactly, or by the HNSW index of a large table."""
        from psycopg2 import sql

        where, values = _where(wanted)
        statement = _sql(
            "SELECT id, -(vector <#> %(query)s::vector) FROM {table}{where} "
            "ORDER BY vector <#> %(query)s::vector, id LIMIT %(limit)s",
            self._collection,
            where=sql.SQL(where),
        )
        values |= {"query": json.dumps(vector), "limit": limit}

        def search(cursor: Any) -> list[Any]:
            width = min(max(SEARCH_WIDTH, limit), 1000)  # the most that pgvector takes
            cursor.execute("SET LOCAL statement_timeout = %s", (self._database.timeout_ms,))
            cursor.execute("SET LOCAL hnsw.ef_search = %s", (width,))
            cursor.execute("SET LOCAL hnsw.iterative_scan = strict_order")
            return _fetched(cursor, statement, values)

        return [VectorHit(name, float(score)) for name, score in self._database.run(search)]

    def _remove(self, ids: list[str]) -> None:
        statement = _sql("DELETE FROM {table} WHERE id = ANY(%s)", self._collection)
        self._database.run(lambda cursor: cursor.execute(statement, (ids,)))

    def _count(self) -> int:
        statement = _sql("SELECT count(*) FROM {table}", self._collection)
        ((records,),) = self._database.run(lambda cursor: _fetched(cursor, statement))
        return int(records)

    def optimise(self) -> None:
        """See `VectorStore.optimise`: statistics, and an HNSW index for a large table."""
        large = self.stats().records >= EXACT_BELOW

        def prepare(cursor: Any) -> None:
            if large:
                cursor.execute(
                    _sql(
                        "CREATE INDEX IF NOT EXISTS {index} ON {table} USING hnsw "
                        f"(vector vector_ip_ops) WITH (m = {LINKS}, "
                        f"ef_construction = {BUILD_WIDTH})",
                        self._collection,
                    )
                )
            cursor.execute(_sql("ANALYZE {table}", self._collection))

        self._database.run(prepare)


def _sql(text: str, collection: str, **parts: Any) -> Any:
    """A statement with the names of a collection's table and index in it, quoted, and its parts."""
    from psycopg2 import sql

    names = {"table": sql.Identifier(collection), "index": sql.Identifier(f"{collection}_hnsw")}
    names |= parts
    used = {name: value for name, value in names.items() if f"{{{name}}}" in text}
    return sql.SQL(text).format(**used)


def _fetched(cursor: Any, statement: Any, values: Any = None) -> list[Any]:
    cursor.execute(statement, values)
    return cursor.fetchall()


def _row(record: VectorRecord) -> tuple[Any, ...]:
    payload = stored_payload(record.payload)
    values = [payload.get(name, [] if name in LISTS else None) for name in PAYLOAD_TYPES]
    return (record.id, json.dumps(as_list(record.vector)), *values)


def _where(asked: Conditions) -> tuple[str, dict[str, Any]]:
    """The conditions of a filter as SQL with parameters, and their values."""
    values: dict[str, Any] = {**asked.any_of}
    said = [
        f"{field} && %({field})s" if field in LISTS else f"{field} = ANY(%({field})s)"
        for field in asked.any_of
    ]
    for name, year, sign in (("from", asked.year_from, ">="), ("to", asked.year_to, "<=")):
        if year is not None:
            said.append(f"year {sign} %(year_{name})s")
            values[f"year_{name}"] = year
    if asked.tables_only:
        said.append("has_table")
    return (f" WHERE {' AND '.join(said)}" if said else ""), values
