"""Releases in an external vector database: filled before they are served, removed when pruned."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from fakes.vector_servers import FakeWeaviate

from clinrag_core.errors import VectorStoreUnavailableError
from clinrag_core.index.stores.release_stores import ReleaseStores, open_database
from clinrag_core.index.stores.weaviate_store import WeaviateDatabase
from clinrag_core.retrieve.open import open_engine
from clinrag_core.retrieve.request import SearchRequest
from clinrag_core.serve.holder import EngineHolder
from clinrag_core.serve.metrics import ServiceMetrics
from clinrag_core.settings import Settings, VectorStoreSettings


@pytest.fixture
def server() -> Iterator[FakeWeaviate]:
    fake = FakeWeaviate()
    yield fake
    fake.stop()


@pytest.fixture
def settings(server: FakeWeaviate) -> VectorStoreSettings:
    return VectorStoreSettings(kind="weaviate", url=server.url, attempts=1, timeout_s=2)


def base(fingerprint: str) -> Any:
    return SimpleNamespace(manifest=SimpleNamespace(fingerprint=fingerprint, dimension=8))


def test_collections_of_releases_that_are_gone_are_removed(
    server: FakeWeaviate, settings: VectorStoreSettings
):
    kept = ["aa", "bb"]
    stores = ReleaseStores(settings, lambda: kept)
    for fingerprint in ("aa", "bb", "cc"):
        stores(base(fingerprint)).stats()
    other = settings.model_copy(update={"namespace": "Ward"})
    ReleaseStores(other, list)(base("cc")).stats()
    assert stores.remove_old() == ["Clinrag_cc"]
    assert sorted(server.classes) == ["Clinrag_aa", "Clinrag_bb", "Ward_cc"]
    kept.remove("aa")
    assert stores.remove_old() == ["Clinrag_aa"]
    assert stores.remove_old() == []


def test_a_release_is_in_its_own_collections_before_it_is_served(
    released: Settings, server: FakeWeaviate, settings: VectorStoreSettings
):
    WeaviateDatabase(settings).store("Clinrag_old", 8).stats()
    holder = EngineHolder(released.model_copy(update={"vector_store": settings}), ServiceMetrics())
    holder.check()
    bases = holder.engine.knowledge_bases.values()
    held = {name: len(objects) for name, objects in server.objects.items()}
    assert held == {f"Clinrag_{b.manifest.fingerprint}": len(b.ids) for b in bases}
    asked = len(server.requests)
    request = SearchRequest(query="isoniazid dose", components=("dense",), top_k=5)
    found = holder.engine.search(request)
    assert found.component_errors == ()
    plain = open_engine(released).search(request)
    assert [h.chunk.id for h in found.results] == [h.chunk.id for h in plain.results]
    assert {path for _, path in server.requests[asked:]} == {"/v1/graphql"}


def test_a_database_that_goes_down_costs_recall_and_no_request(
    released: Settings, server: FakeWeaviate, settings: VectorStoreSettings
):
    engine = open_engine(released.model_copy(update={"vector_store": settings}))
    request = SearchRequest(query="isoniazid dose", top_k=5)
    assert engine.search(request).component_errors == ()
    server.stop()
    found = engine.search(SearchRequest(query="rifampicin dose for adults", top_k=5))
    assert found.component_errors == ("dense_error: VectorStoreUnavailableError",)
    assert found.components_used == ("bm25",)
    assert found.results


def test_files_have_no_database():
    with pytest.raises(VectorStoreUnavailableError, match="FAISS"):
        open_database(VectorStoreSettings())
