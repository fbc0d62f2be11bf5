"""The search service as a client sees it."""

from __future__ import annotations

import json
import logging

import pytest
from fastapi.testclient import TestClient

from clinrag_core.errors import ConfigurationError
from clinrag_core.serve.auth import ApiKeys, check_exposure, key_hash, load_keys, new_key
from clinrag_core.serve.limits import RateLimiter

QUESTION = "isoniazid dose for a patient called Zebulon"


def test_hybrid_search_request_with_component_scores(client_for):
    answer = client_for().get(
        "/v1/search", params={"q": "isoniazid 300 mg", "fusion_method": "rrf"}
    )
    assert answer.status_code == 200
    body = answer.json()
    assert body["components_used"] == ["bm25", "dense"]
    assert body["score_kind"] == "rrf"
    assert body["fusion_metadata"]["k"] == 60
    assert set(body["results"][0]["component_scores"]) <= {"bm25", "dense"}
    assert body["results"][0]["chunk"]["text"]
    assert {"bm25", "dense", "fusion", "total"} <= set(body["timings_ms"])
    assert body["release"]


def test_results_have_the_names_of_the_specifications(client_for):
    body = client_for().get("/v1/search", params={"q": "isoniazid dose", "rrf_k": 10}).json()
    assert body["fusion_metadata"]["method"] == "rrf"
    assert body["fusion_metadata"]["k"] == 10
    first = body["results"][0]
    chunk = first["chunk"]
    assert first["doc_id"] == f"{chunk['document_id']}:{chunk['id']}"
    assert first["source"] == chunk["organisation"]
    assert first["similarity"] == pytest.approx(first["component_scores"]["dense"], abs=1e-5)
    assert first["score"] == max(result["score"] for result in body["results"])
    alone = client_for().get("/v1/search", params={"q": "x", "components": "bm25"}).json()
    assert all(result["similarity"] is None for result in alone["results"])


def test_the_rank_constant_is_that_of_the_request(client_for):
    scores = [
        client_for()
        .post("/v1/search", json={"query": "isoniazid", "rrf_k": k, "top_k": 1})
        .json()["results"][0]["fused_score"]
        for k in (0, 60)
    ]
    assert scores[0] > 10 * scores[1]


@pytest.mark.parametrize("source", ["FDA", "Test"])
def test_sources_are_the_publishers(client_for, source):
    params = {"q": "isoniazid dose", "sources": source, "top_k": 50}
    results = client_for().get("/v1/search", params=params).json()["results"]
    assert {result["source"] for result in results} == {source}


def test_no_result_is_less_similar_than_asked(client_for):
    """Property 8 of seed 001, as a client sees it; also what only BM25 found."""
    client = client_for()
    everything = client.get("/v1/search", params={"q": "isoniazid", "top_k": 100}).json()
    cosines = sorted(result["similarity"] for result in everything["results"])
    middle = cosines[len(cosines) // 2]
    params = {"q": "isoniazid", "top_k": 100, "min_similarity": middle}
    results = client.get("/v1/search", params=params).json()["results"]
    assert len(results) == sum(cosine >= middle for cosine in cosines)
    assert all(result["similarity"] >= middle for result in results)


def test_a_least_similarity_needs_vectors(client_for):
    params = {"q": "isoniazid", "min_similarity": 0.5, "components": "bm25"}
    answer = client_for().get("/v1/search", params=params)
    assert answer.status_code == 422
    assert "dense" in answer.json()["errors"][0]["problem"]


def test_filters_that_nothing_has_are_named(client_for):
    """`--drug foo` found nothing and said nothing."""
    params = {"q": "dose", "drugs": "foo,isoniazide,Pyrazinamide", "sources": "WHO"}
    body = client_for().get("/v1/search", params=params).json()
    missing = [(m["field"], m["value"], m["nearest"][:1]) for m in body["unmatched_filters"]]
    assert missing == [
        ("sources", "WHO", []),
        ("drugs", "foo", []),
        ("drugs", "isoniazide", ["isoniazid"]),
    ]


def test_the_command_line_takes_and_gives_what_the_service_does(released, client_for, monkeypatch):
    from typer.testing import CliRunner

    from clinrag_core.cli import search as command
    from clinrag_core.cli.main import app

    monkeypatch.setattr(command, "load_settings", lambda: released)
    options = ["--drug", "foo", "--drug", "isoniazid", "--rrf-k", "7", "--top-k", "2", "--json"]
    done = CliRunner().invoke(app, ["search", "isoniazid dose", *options])
    assert done.exit_code == 0
    assert "no passage has drugs = 'foo'" in done.stderr
    request = {"query": "isoniazid dose", "rrf_k": 7, "top_k": 2}
    request |= {"filter": {"drugs": ["foo", "isoniazid"]}}
    served = client_for().post("/v1/search", json=request).json()
    printed = json.loads(done.stdout)
    for body in (served, printed):
        body.pop("timings_ms")
    assert printed == served


def test_component_selection_via_api(client_for):
    body = client_for().get("/v1/search", params={"q": "isoniazid", "components": "bm25"}).json()
    assert body["components_used"] == ["bm25"]
    assert set(body["results"][0]["component_scores"]) == {"bm25"}


def test_get_and_post_give_the_same(client_for):
    client = client_for()
    params = {
        "q": "isoniazid",
        "groups": "dosage,warnings",
        "top_k": 3,
        "weights": "bm25:1,dense:2",
    }
    params |= {"fusion_method": "weighted"}
    got = client.get("/v1/search", params=params).json()
    posted = client.post(
        "/v1/search",
        json={
            "query": "isoniazid",
            "filter": {"groups": ["dosage", "warnings"]},
            "top_k": 3,
            "fusion_method": "weighted",
            "weights": {"bm25": 1, "dense": 2},
        },
    ).json()
    for body in (got, posted):
        body.pop("timings_ms")
        body.pop("cached")
    assert got == posted
    assert {hit["chunk"]["group"] for hit in got["results"]} <= {"dosage", "warnings"}


def test_a_missing_component_is_reported_and_the_others_answer(client_for):
    params = {"q": "isoniazid", "components": "bm25,splade,dense"}
    body = client_for().get("/v1/search", params=params).json()
    assert body["component_errors"] == ["splade_unavailable"]
    assert body["components_used"] == ["bm25", "dense"]
    assert body["results"]


def test_reranking_without_a_reranker_keeps_the_fusion_order(client_for):
    client = client_for()
    plain = client.get("/v1/search", params={"q": "isoniazid"}).json()
    body = client.get("/v1/search", params={"q": "isoniazid", "rerank": True}).json()
    assert (body["reranked"], body["reranker_error"]) == (False, "unavailable")
    assert [h["chunk"]["id"] for h in body["results"]] == [
        h["chunk"]["id"] for h in plain["results"]
    ]


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"q": ""},
        {"q": "   "},
        {"q": "x", "components": "magic"},
        {"q": "x", "top_k": 0},
        {"q": "x", "knowledge_bases": "no_such"},
        {"q": "x", "weights": "bm25:minus"},
        {"q": "x", "query_intent": "POETRY"},
        {"q": "x", "year_from": 2020, "year_to": 2010},
        {"q": "x" * 2_001},
        {"q": "x", "unknown": "1"},
    ],
)
def test_what_cannot_be_used_is_a_problem_that_does_not_repeat_the_question(client_for, params):
    answer = client_for().get("/v1/search", params=params)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["status"] == 422


def test_health_readiness_and_metrics(client_for):
    client = client_for()
    assert client.get("/healthz").json() == {"status": "alive"}
    assert client.get("/readyz").json()["status"] == "ready"
    client.get("/v1/search", params={"q": "isoniazid", "components": "bm25,splade"})
    text = client.get("/metrics").text
    assert 'clinrag_stage_seconds_count{stage="bm25"} 1.0' in text
    assert 'clinrag_component_errors_total{error="splade_unavailable"} 1.0' in text
    assert 'clinrag_http_responses_total{status="200"}' in text


def test_the_second_answer_comes_from_the_cache(client_for):
    client = client_for()
    first = client.get("/v1/search", params={"q": "isoniazid"}).json()
    second = client.get("/v1/search", params={"q": "isoniazid"}).json()
    assert (first["cached"], second["cached"]) == (False, True)
    assert first["results"] == second["results"]


def test_questions_are_in_no_log_and_no_metric(client_for, caplog):
    caplog.set_level(logging.DEBUG)
    client = client_for()
    client.get("/v1/search", params={"q": QUESTION})
    client.post("/v1/search", json={"query": QUESTION, "top_k": 0})
    logged = " ".join(str(vars(r)) for r in caplog.records if r.name.startswith("clinrag"))
    assert logged
    assert "Zebulon" not in logged + client.get("/metrics").text


def test_keys_are_needed_and_only_their_hash_is_kept(client_for, tmp_path):
    file = tmp_path / "api_keys"
    key = new_key(file, "ward-3")
    assert key not in file.read_text()
    client = client_for(load_keys(file, {}))
    refused = client.get("/v1/search", params={"q": "isoniazid"})
    assert refused.status_code == 401
    assert refused.headers["content-type"] == "application/problem+json"
    assert (
        client.get("/v1/search", params={"q": "x"}, headers={"X-API-Key": "no"}).status_code == 401
    )
    bearer = {"Authorization": f"Bearer {key}"}
    assert client.get("/v1/search", params={"q": "isoniazid"}, headers=bearer).status_code == 200
    assert client.get("/healthz").status_code == 200


def test_one_tenants_results_are_not_served_to_another(client_for):
    keys = ApiKeys({key_hash("a"): "ward-a", key_hash("b"): "ward-b"})
    client = client_for(keys)
    for name in ("a", "b"):
        body = client.get(
            "/v1/search", params={"q": "isoniazid"}, headers={"X-API-Key": name}
        ).json()
        assert body["cached"] is False


def test_without_keys_only_this_machine_is_served():
    check_exposure("127.0.0.1", ApiKeys({}))
    with pytest.raises(ConfigurationError, match="clinrag keys new"):
        check_exposure("0.0.0.0", ApiKeys({}))  # noqa: S104 - what must be refused


def test_a_malformed_key_file_is_named(tmp_path):
    file = tmp_path / "api_keys"
    file.write_text("ward-3 abc\n")
    with pytest.raises(ConfigurationError, match="entry 1"):
        load_keys(file, {})


def test_large_bodies_are_refused(client_for):
    answer = client_for(max_body_bytes=1_000).post("/v1/search", json={"query": "x" * 2_000})
    assert answer.status_code == 413


def test_too_many_requests_get_a_time_to_retry(client_for):
    client = client_for(requests_per_minute=4)
    statuses = [client.get("/v1/search", params={"q": "isoniazid"}).status_code for _ in range(3)]
    assert statuses == [200, 429, 429]
    assert int(client.get("/v1/search", params={"q": "isoniazid"}).headers["Retry-After"]) >= 1


def test_buckets_fill_again_with_time():
    now = [0.0]
    limiter = RateLimiter(60, clock=lambda: now[0])
    for _ in range(15):
        limiter.take("a")
    with pytest.raises(Exception, match="too many"):
        limiter.take("a")
    limiter.take("b")
    now[0] += 1.0
    limiter.take("a")


def test_a_new_release_is_taken_up_and_no_request_is_lost(
    client_for, released, build_release, tiny_corpus
):
    client: TestClient = client_for(reload_s=0.05)
    before = client.get("/readyz").json()["release"]
    label = tiny_corpus.folder / "isoniazid.xml"
    label.write_bytes(label.read_bytes().replace(b"hepatitis", b"liver injury"))
    build_release(released)
    statuses: list[int] = []
    for _ in range(200):
        answer = client.get("/v1/search", params={"q": "isoniazid liver injury"})
        statuses.append(answer.status_code)
        if answer.json().get("release") != before:
            break
    assert set(statuses) == {200}
    assert client.get("/readyz").json()["release"] != before


def test_before_the_first_release_the_service_lives_and_is_not_ready(tiny_settings):
    from clinrag_core.serve.app import service_app

    with TestClient(service_app(tiny_settings, ApiKeys({})), base_url="http://localhost") as client:
        assert client.get("/healthz").status_code == 200
        assert client.get("/readyz").status_code == 503
        assert client.get("/v1/search", params={"q": "isoniazid"}).status_code == 503
