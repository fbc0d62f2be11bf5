"""A service is ready when every component answers in time, and no request pays for a cold start."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from clinrag_core.retrieve import components
from clinrag_core.retrieve.open import open_engine
from clinrag_core.retrieve.request import SearchRequest
from clinrag_core.serve.app import service_app
from clinrag_core.serve.auth import ApiKeys
from clinrag_core.serve.holder import EngineHolder
from clinrag_core.serve.metrics import ServiceMetrics

COLD_S = 0.5
"""Longer than the 300 ms that a component has."""


@pytest.fixture
def slow_bm25(monkeypatch):
    """Makes BM25 sleep while `slow` says so for the engine that is searched; returns the calls."""

    def make(slow):
        calls: list[int] = []
        search = components.BM25Retriever.search

        def slowed(self, base, query, prepared, k):
            calls.append(1)
            if slow(calls):
                time.sleep(COLD_S)
            return search(self, base, query, prepared, k)

        monkeypatch.setattr(components.BM25Retriever, "search", slowed)
        return calls

    return make


def first_search(client):
    return client.get("/v1/search", params={"q": "isoniazid"}).json()


def test_the_first_request_does_not_lose_a_component_to_the_cold_start(client_for, slow_bm25):
    """The first search took 815 ms, BM25 has 300: `bm25_timeout` while /readyz said 200."""
    slow_bm25(lambda calls: len(calls) <= 2)  # the first search of each of two bases
    client = client_for()
    assert client.get("/readyz").status_code == 200
    assert first_search(client)["component_errors"] == []


@pytest.mark.slow
def test_a_component_that_is_always_late_keeps_the_service_from_being_ready(client_for, slow_bm25):
    slow_bm25(lambda _: True)
    client = client_for(reload_s=3_600)
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert "bm25_timeout" in answer.json()["detail"]
    assert client.get("/healthz").status_code == 200
    body = first_search(client)  # it still answers, and says without what
    assert body["component_errors"] == ["bm25_timeout"]
    assert body["results"]


def test_it_becomes_ready_when_the_component_recovers(client_for, slow_bm25):
    slow = threading.Event()
    slow.set()
    slow_bm25(lambda _: slow.is_set())
    client = client_for(reload_s=0.05)
    assert client.get("/readyz").status_code == 503
    slow.clear()
    for _ in range(200):
        if client.get("/readyz").status_code == 200:
            return
        time.sleep(0.05)
    pytest.fail("it never became ready")


def test_a_release_that_is_not_warm_does_not_replace_one_that_is(
    released, build_release, tiny_corpus, slow_bm25
):
    holder = EngineHolder(released, ServiceMetrics())
    assert holder.refresh()
    before, old = holder.ready_release(), holder.engine
    label = tiny_corpus.folder / "isoniazid.xml"
    label.write_bytes(label.read_bytes().replace(b"hepatitis", b"liver injury"))
    after = build_release(released)
    slow = threading.Event()
    slow.set()
    slow_bm25(lambda _: slow.is_set())
    assert not holder.refresh()
    assert (holder.engine.release, holder.ready_release()) == (before, before)
    slow.clear()
    assert holder.refresh()
    assert holder.ready_release() == after
    running = asyncio.run(old.search_async(SearchRequest(query="isoniazid")))
    assert running.component_errors == ()  # a search that began before keeps its threads


@pytest.mark.parametrize("failure", [KeyError("x"), OSError("x"), TypeError("x")])
def test_a_release_that_cannot_be_opened_does_not_end_the_service(
    released, monkeypatch, failure: Exception
):
    from fastapi.testclient import TestClient

    def broken(*_):
        raise failure

    monkeypatch.setattr("clinrag_core.serve.holder.open_engine", broken)
    with TestClient(service_app(released, ApiKeys({})), base_url="http://localhost") as client:
        assert client.get("/healthz").status_code == 200
        assert client.get("/readyz").status_code == 503


def test_a_missing_reranker_keeps_the_service_from_being_ready(released, tmp_path):
    retrieval = released.retrieval.model_copy(update={"reranker": str(tmp_path)})
    holder = EngineHolder(released.model_copy(update={"retrieval": retrieval}), ServiceMetrics())
    holder.refresh()
    with pytest.raises(Exception, match="reranker_unavailable"):
        holder.ready_release()


def test_a_single_call_has_no_time_limit(released, slow_bm25):
    """`clinrag search` and `ask` are always cold."""
    slow_bm25(lambda _: True)
    response = open_engine(released).search(SearchRequest(query="isoniazid"))
    assert response.component_errors == ()
    assert response.components_used == ("bm25", "dense")
