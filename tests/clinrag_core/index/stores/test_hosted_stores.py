"""Weaviate and Pinecone under the conformance suite, against servers that play their interfaces."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest
from fakes.vector_servers import FakePinecone, FakeWeaviate

from clinrag_core.errors import VectorStoreUnavailableError
from clinrag_core.index.stores.pinecone_store import PineconeDatabase
from clinrag_core.index.stores.protocol import VectorRecord
from clinrag_core.index.stores.weaviate_store import WeaviateDatabase
from clinrag_core.settings import VectorStoreSettings

PATH = Path(__file__).parent / "conformance.py"
SPEC = importlib.util.spec_from_file_location("vector_store_conformance", PATH)
assert SPEC is not None
assert SPEC.loader is not None
suite = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(suite)


def settings_of(kind: str, url: str | None, **more: object) -> VectorStoreSettings:
    values = {"kind": kind, "url": url, "attempts": 3, "backoff_s": 0, "timeout_s": 5, **more}
    return VectorStoreSettings.model_validate(values)


@pytest.fixture
def weaviate() -> Iterator[FakeWeaviate]:
    server = FakeWeaviate()
    yield server
    server.stop()


@pytest.fixture
def pinecone() -> Iterator[FakePinecone]:
    pytest.importorskip("pinecone", reason="needs the extra 'pinecone'")
    server = FakePinecone(suite.DIMENSION)
    server.key = "key"
    yield server
    server.stop()


class TestWeaviateStore(suite.VectorStoreConformance):
    @pytest.fixture
    def store(self, weaviate: FakeWeaviate):
        database = WeaviateDatabase(settings_of("weaviate", weaviate.url))
        return database.store("Test_kb", suite.DIMENSION)


class TestWeaviateDatabase(suite.VectorDatabaseConformance):
    @pytest.fixture
    def database(self, weaviate: FakeWeaviate):
        return WeaviateDatabase(settings_of("weaviate", weaviate.url))


class TestPineconeStore(suite.VectorStoreConformance):
    @pytest.fixture
    def store(self, pinecone: FakePinecone):
        database = PineconeDatabase(settings_of("pinecone", pinecone.url), "key")
        return database.store("Test_kb", suite.DIMENSION)


class TestPineconeDatabase(suite.VectorDatabaseConformance):
    @pytest.fixture
    def database(self, pinecone: FakePinecone):
        return PineconeDatabase(settings_of("pinecone", pinecone.url), "key")


def test_weaviate_says_which_record_it_refuses(weaviate: FakeWeaviate):
    store = WeaviateDatabase(settings_of("weaviate", weaviate.url)).store("Test_kb", 8)
    (good,) = suite.records(1)
    with pytest.raises(VectorStoreUnavailableError, match="invalid property year"):
        store.upsert([good, VectorRecord("x", good.vector, {"year": "then"})])


def test_weaviates_answers_to_queries_it_refuses_are_errors(weaviate: FakeWeaviate):
    database = WeaviateDatabase(settings_of("weaviate", weaviate.url))
    with pytest.raises(VectorStoreUnavailableError, match="Nowhere"):
        database.graphql("{Get {Nowhere (limit: 1) {x}}}")


def test_quotes_in_a_filter_stay_in_its_value(weaviate: FakeWeaviate):
    store = WeaviateDatabase(settings_of("weaviate", weaviate.url)).store("Test_kb", 8)
    held = suite.records(2)
    store.upsert(held)
    wanted = suite.MetadataFilter(sources=('WHO"]} } ) {x}', "it's \\ \n"))
    assert store.query(held[0].vector, 3, wanted) == []


@pytest.mark.parametrize("kind", ["weaviate", "pinecone"])
def test_a_busy_server_is_asked_again(kind: str, request: pytest.FixtureRequest):
    server = request.getfixturevalue(kind)
    opened = {"weaviate": WeaviateDatabase, "pinecone": PineconeDatabase}[kind]
    store = opened(settings_of(kind, server.url), "key").store("Test_kb", suite.DIMENSION)
    store.upsert(suite.records(3))
    server.failures = 2
    assert store.stats().records == 3


@pytest.mark.parametrize("kind", ["weaviate", "pinecone"])
def test_a_wrong_key_is_refused_at_once(kind: str, request: pytest.FixtureRequest):
    server = request.getfixturevalue(kind)
    server.key = "right"
    opened = {"weaviate": WeaviateDatabase, "pinecone": PineconeDatabase}[kind]
    database = opened(settings_of(kind, server.url), "wrong")
    with pytest.raises(VectorStoreUnavailableError, match="refuses"):
        database.collections()
    assert len(server.requests) == 1


@pytest.mark.parametrize("kind", ["weaviate", "pinecone"])
def test_a_server_that_is_not_there_costs_an_error_after_its_attempts(kind: str):
    if kind == "pinecone":
        pytest.importorskip("pinecone", reason="needs the extra 'pinecone'")
    opened = {"weaviate": WeaviateDatabase, "pinecone": PineconeDatabase}[kind]
    attempts = {"weaviate": 3, "pinecone": 2}[kind]  # Pinecone's client makes four of each
    settings = settings_of(kind, "http://127.0.0.1:9", timeout_s=1, attempts=attempts)
    waits: list[float] = []
    store = opened(settings, "key", sleep=waits.append).store("Test_kb", 4)
    with pytest.raises(VectorStoreUnavailableError, match=f"after {attempts} attempts"):
        store.stats()
    assert len(waits) == attempts - 1
    assert not store.available()


@pytest.mark.parametrize("opened", [WeaviateDatabase, PineconeDatabase])
def test_an_address_is_needed(opened):
    if opened is PineconeDatabase:
        pytest.importorskip("pinecone", reason="needs the extra 'pinecone'")
    with pytest.raises(VectorStoreUnavailableError, match="url"):
        opened(settings_of("weaviate", None), "key")
