"""The endpoints of notes: what they answer and refuse; nothing of a note is logged or counted."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import positive_data_acceptance
from starlette.testclient import TestClient

from clinrag_core.serve.app import service_app
from clinrag_core.serve.auth import ApiKeys
from clinrag_core.settings import ServiceSettings, Settings, load_settings

NOTE = "HPI: Mr. Quentin Farrowby has a cough.\nPlan: amoxicillin 500 mg daily\n"
EXAMPLES = 40


@pytest.fixture
def note_settings(tmp_path: Path) -> Settings:
    return load_settings("sample", {"CLINRAG_HOME": str(tmp_path / "home")})


@pytest.fixture
def service(note_settings: Settings):
    """A client of a service without a release: summaries need none."""
    limits = ServiceSettings(requests_per_minute=0)
    app = service_app(note_settings.model_copy(update={"service": limits}), ApiKeys({}))
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        yield client


def test_a_summary_and_a_plan(service: TestClient):
    summary = service.post("/v1/notes/summary", json={"text": NOTE}).json()
    assert summary["summary"]["labs_imaging"] == []
    assert summary["plan"] is None
    plan = service.post("/v1/notes/plan", json={"text": NOTE}).json()["plan"]
    (one,) = plan["recommendations"]
    assert one["recommendation"] == "amoxicillin 500 mg daily"
    assert one["source"] == "Plan section, chunk_1:45-69"


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("summary", {"text": ""}, 422),
        ("summary", {"text": " \n"}, 422),
        ("summary", {"text": "x" * 50_001}, 422),
        ("summary", {"text": "x" * 70_000}, 413),
        ("summary", {"text": "cough", "check": True}, 422),
        ("plan", {"text": "cough", "check": True}, 503),
    ],
    ids=["empty", "blank", "long", "too-large", "unknown-field", "no-release"],
)
def test_what_cannot_be_used_is_a_problem(service: TestClient, path: str, body, status: int):
    response = service.post(f"/v1/notes/{path}", json=body)
    assert response.status_code == status
    assert response.headers["content-type"] == "application/problem+json"


def test_nothing_of_a_note_is_logged_or_counted(service: TestClient, caplog, note_settings):
    caplog.set_level(logging.DEBUG)
    service.post("/v1/notes/plan", json={"text": NOTE})
    service.post("/v1/notes/summary", json={"text": NOTE, "more": "Farrowby"})
    metrics = service.get("/metrics").text
    assert 'clinrag_notes_total{kind="plan"} 1.0' in metrics
    logged = caplog.text + "".join(str(vars(record)) for record in caplog.records)
    for word in ("Farrowby", "amoxicillin", "cough"):
        assert word not in metrics
        assert word not in logged
    files = [p for p in note_settings.home.rglob("*") if p.is_file()]
    assert not [p for p in files if b"Farrowby" in p.read_bytes()]


@pytest.mark.parametrize("path", ["/v1/notes/summary", "/v1/notes/plan"])
def test_no_generated_request_breaks_the_endpoints(service: TestClient, path: str):
    schema = schemathesis.openapi.from_asgi(
        "/openapi.json", service.app, headers={"Host": "localhost"}
    )
    statuses: set[int] = set()

    @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
    @given(case=schema[path]["POST"].as_strategy())
    def attack(case) -> None:
        case.headers = {**dict(case.headers or {}), "Host": "localhost"}
        response = case.call(session=service)
        statuses.add(response.status_code)
        assert response.status_code in (200, 400, 413, 415, 422, 503), response.text
        # A schema cannot say that a text is more than white space, or that there is no release.
        excluded = [positive_data_acceptance, not_a_server_error]
        case.validate_response(response, excluded_checks=excluded)

    attack()
    assert 200 in statuses
