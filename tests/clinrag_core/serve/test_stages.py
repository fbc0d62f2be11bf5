"""Search in stages by the service and the command line: the same context, late stages replaced."""

from __future__ import annotations

import json
import logging
import time

import pytest
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from clinrag_core.cli.main import app
from clinrag_core.retrieve.stages.multistage import MultistageRetriever
from clinrag_core.serve.app import service_app
from clinrag_core.serve.auth import ApiKeys
from clinrag_core.settings import MultistageSettings

STAGED = {"q": "isoniazid dose", "pipeline": "multistage"}


def test_both_methods_search_in_stages(client_for):
    client = client_for()
    got = client.get("/v1/search", params=STAGED).json()
    posted = client.post(
        "/v1/search", params={"pipeline": "multistage"}, json={"query": "isoniazid dose"}
    ).json()
    assert got["results"] == posted["results"]
    assert got["results"][0]["quality"]["score"] > 0
    assert [stage["stage"] for stage in got["stages"]] == ["recall", "refinement"]
    assert got["ordered_by"] == "statements"
    assert got["tokens"] <= 4_000
    assert got["release"]


def test_the_seeds_form_expands_and_says_so(client_for):
    body = client_for().get("/v1/search", params=STAGED | {"pipeline": "multistage_seed"}).json()
    assert [stage["stage"] for stage in body["stages"]] == ["recall", "expansion", "refinement"]
    assert {"relation": "named", "name": "isoniazid"}.items() <= body["added_concepts"][0].items()


def test_an_unknown_pipeline_is_a_problem(client_for):
    answer = client_for().get("/v1/search", params=STAGED | {"pipeline": "magic"})
    assert answer.status_code == 422
    assert "isoniazid" not in answer.text


def test_late_stages_are_replaced_by_the_plain_search(released, client_for, monkeypatch):
    def slow(*_: object) -> None:
        time.sleep(0.4)

    monkeypatch.setattr(MultistageRetriever, "search", slow)
    quick = released.model_copy(update={"multistage": MultistageSettings(timeout_ms=50)})
    with TestClient(service_app(quick, ApiKeys({})), base_url="http://localhost") as client:
        body = client.get("/v1/search", params=STAGED).json()
    assert "multistage_timeout" in body["component_errors"]
    assert body["score_kind"] == "rrf"
    assert body["results"]


def test_questions_in_stages_are_in_no_log_and_no_metric(client_for, caplog):
    caplog.set_level(logging.DEBUG)
    client = client_for()
    query = {"query": "isoniazid for Zebulon"}
    client.post("/v1/search", params={"pipeline": "multistage"}, json=query)
    assert "Zebulon" not in caplog.text
    metrics = client.get("/metrics").text
    assert "Zebulon" not in metrics
    assert 'clinrag_stage_seconds_count{stage="refinement"} 1.0' in metrics


@pytest.fixture
def command(released, monkeypatch):
    monkeypatch.setattr("clinrag_core.cli.search.load_settings", lambda: released)
    monkeypatch.setattr("clinrag_core.cli.ask.load_settings", lambda: released)
    return CliRunner()


def test_the_command_line_gives_the_context_of_the_service(command, client_for):
    done = command.invoke(app, ["search", "isoniazid dose", "--pipeline", "multistage", "--json"])
    service = client_for().get("/v1/search", params=STAGED).json()
    said = json.loads(done.stdout)
    ids = [[hit["chunk"]["id"] for hit in body["results"]] for body in (said, service)]
    assert ids[0] == ids[1] != []
    shown = command.invoke(app, ["search", "isoniazid dose", "--pipeline", "multistage"])
    assert "recall: " in shown.stdout
    assert "no cross-encoder" in shown.stdout
    wrong = command.invoke(app, ["search", "isoniazid dose", "--pipeline", "magic"])
    assert wrong.exit_code == 1


def test_answers_from_the_stages_use_the_fallback_threshold(command):
    """The order is not the one that thresholds were calibrated for."""
    done = command.invoke(app, ["ask", "isoniazid dose", "--pipeline", "multistage", "--json"])
    assert done.exit_code == 0, done.output
    answer = json.loads(done.stdout)
    assert answer["confidence"]
    assert {c["source"] for c in answer["confidence"]} == {"fallback"}
    assert all("reranker" in c["configuration"] for c in answer["confidence"])
    assert command.invoke(app, ["ask", "x", "--pipeline", "magic"]).exit_code == 2
