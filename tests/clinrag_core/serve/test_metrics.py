"""Metrics that an operator relies on: exported, moving, and those that alerts name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from clinrag_core.retrieve.readiness import store_available
from clinrag_core.serve.holder import EngineHolder
from clinrag_core.serve.metrics import ServiceMetrics
from clinrag_core.settings import VectorStoreSettings

ALERTS = Path(__file__).resolve().parents[3] / "deploy" / "prometheus" / "alerts.yml"


def samples(client) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """Every sample of `/metrics` by its name and labels."""
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(client.get("/metrics").text)
        for sample in family.samples
    }


def value(client, name: str, **labels: str) -> float:
    return samples(client)[name, frozenset(labels.items())]


def test_every_metric_of_an_alert_is_exported(client_for):
    client = client_for()
    client.get("/v1/search", params={"q": "isoniazid"})
    groups = yaml.safe_load(ALERTS.read_text())["groups"]
    expressions = " ".join(rule["expr"] for group in groups for rule in group["rules"])
    named = re.findall(r"(clinrag_\w+)(?:\{(\w+)=\"(\w+)\"\})?", expressions)
    assert len(named) >= 6
    exported = samples(client)
    for name, label, wanted in named:
        having = [labels for metric, labels in exported if metric == name]
        assert having, name
        assert not label or any((label, wanted) in labels for labels in having), (name, label)


def test_encoder_and_store_are_timed_apart_and_caches_are_counted(client_for):
    client = client_for()
    names = ("clinrag_embedding_seconds_count", "clinrag_vector_store_seconds_count")
    before = [value(client, name) for name in names]

    def counted() -> list[float]:
        """Lookups and hits of both caches so far; the warm-up has looked up vectors."""
        found = samples(client)
        return [
            found.get((f"clinrag_cache_{kind}_total", frozenset({("cache", cache)})), 0.0)
            for cache in ("results", "vectors")
            for kind in ("lookups", "hits")
        ]

    start = counted()
    params = {"q": "isoniazid dose"}
    client.get("/v1/search", params=params)
    client.get("/v1/search", params=params)  # from the cache of results
    client.get("/v1/search", params={**params, "top_k": 3})  # its vector is in the cache
    after = [value(client, name) for name in names]
    assert after[0] - before[0] == 1
    assert after[1] - before[1] == 4  # two bases, twice
    assert [now - then for now, then in zip(counted(), start, strict=True)] == [3, 1, 2, 1]


def test_answers_count_too(client_for):
    client = client_for()
    before = value(client, "clinrag_embedding_seconds_count")
    client.post("/v1/ask", json={"question": "isoniazid dose in adults"})
    assert value(client, "clinrag_embedding_seconds_count") > before


def test_failed_encodings_are_counted_and_their_type_is_no_label(client_for, monkeypatch):
    from clinrag_core.encode.onnx_query import OnnxQueryEncoder

    client = client_for()

    def broken(*_):
        raise KeyError("x")

    monkeypatch.setattr(OnnxQueryEncoder, "encode_query", broken)
    body = client.get("/v1/search", params={"q": "isoniazid"}).json()
    assert body["component_errors"] == ["dense_error: KeyError"]
    assert value(client, "clinrag_embedding_failures_total") == 1
    assert value(client, "clinrag_component_errors_total", error="dense_error") == 1


@pytest.mark.parametrize("url", ["http://127.0.0.1:9", "no address at all"])
def test_a_store_that_is_down_is_seen_without_a_search(released, url):
    pytest.importorskip("qdrant_client")
    store = VectorStoreSettings(kind="qdrant", url=url, attempts=1, timeout_s=1)
    metrics = ServiceMetrics()
    holder = EngineHolder(released.model_copy(update={"vector_store": store}), metrics)
    holder.check()
    assert not store_available(holder.engine)
    assert 'clinrag_vector_store_up{kind="qdrant"} 0.0' in metrics.exposition().decode()
    with pytest.raises(Exception, match="dense_error"):
        holder.ready_release()


def test_the_files_of_a_release_are_always_up(client_for):
    assert value(client_for(), "clinrag_vector_store_up", kind="faiss") == 1
