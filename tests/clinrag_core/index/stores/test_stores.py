"""FAISS and Qdrant under the same conformance suite, and what is each one's own."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from clinrag_core.errors import VectorStoreUnavailableError
from clinrag_core.index.stores.faiss_store import FaissStore
from clinrag_core.index.stores.qdrant_store import QdrantDatabase, connect
from clinrag_core.settings import VectorStoreSettings


def load_conformance():
    path = Path(__file__).parent / "conformance.py"
    spec = importlib.util.spec_from_file_location("vector_store_conformance", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


suite = load_conformance()


class TestFaissStore(suite.VectorStoreConformance):
    @pytest.fixture
    def store(self) -> FaissStore:
        return FaissStore.empty(suite.DIMENSION)


class TestQdrantDatabase(suite.VectorDatabaseConformance):
    @pytest.fixture
    def database(self):
        pytest.importorskip("qdrant_client")
        settings = VectorStoreSettings(kind="qdrant")
        client = connect(settings)
        yield QdrantDatabase(client, settings)
        client.close()


class TestQdrantStore(suite.VectorStoreConformance):
    @pytest.fixture
    def store(self):
        pytest.importorskip("qdrant_client")
        settings = VectorStoreSettings(kind="qdrant")
        client = connect(settings)
        yield QdrantDatabase(client, settings).store("kb_test", suite.DIMENSION)
        client.close()


def test_a_server_that_is_not_there_is_tried_again_with_growing_waits():
    pytest.importorskip("qdrant_client")
    settings = VectorStoreSettings(
        kind="qdrant", url="http://127.0.0.1:9", attempts=4, backoff_s=0.5, timeout_s=1
    )
    waits: list[float] = []
    database = QdrantDatabase(connect(settings), settings, sleep=waits.append)
    store = database.store("kb_test", 4)
    with pytest.raises(VectorStoreUnavailableError, match="after 4 attempts"):
        store.query(np.ones(4, np.float32), 3)
    assert len(waits) == 3
    assert waits == sorted(waits)
    assert waits[-1] > waits[0]
    assert not store.available()
