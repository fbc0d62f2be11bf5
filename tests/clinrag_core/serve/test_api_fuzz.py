"""Every operation under generated requests of two tenants: no 5xx, nothing of the other tenant.

Each run makes a few dozen requests; `make test-all` makes 20,000, as the last test here
(`--log-cli-level=INFO` shows how many of each operation, by status).
"""

from __future__ import annotations

import logging
import math
from collections import Counter

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import (
    ignored_auth,
    missing_required_header,
    negative_data_rejection,
    positive_data_acceptance,
    unsupported_method,
)
from starlette.testclient import TestClient

from clinrag_core.serve.app import service_app
from clinrag_core.serve.auth import ApiKeys, key_hash
from clinrag_core.settings import ServiceSettings

logger = logging.getLogger(__name__)
EXAMPLES = 30
NOTE_EXAMPLES = 250
SEARCH_EXAMPLES = 250
"""Most generated searches break a limit of one of their many parameters."""
CHAT = "/v1/chat/completions"
ALL_EXAMPLES = 20_000
PATIENCE_S = 300
"""The client's; a busy machine once kept one answer for more than its usual ten seconds."""
KEYS = {"alice": "a-key", "bob": "b-key"}
SECRETS = {"alice": "zebrafishquux", "bob": "aardvarkquux"}
OPERATIONS = [
    ("GET", "/v1/search"), ("POST", "/v1/search"), ("POST", "/v1/ask"),
    ("GET", "/v1/documents"), ("POST", "/v1/documents"),
    ("DELETE", "/v1/documents/{document_id}"), ("POST", "/v1/notes/summary"),
    ("POST", "/v1/notes/plan"), ("GET", "/v1/models"), ("POST", "/v1/chat/completions"),
    ("GET", "/healthz"), ("GET", "/readyz"),
]  # fmt: skip
WITHOUT_PARAMETERS = OPERATIONS[-2:]
# A schema cannot say that a year range is in order or a name is known; an upload of any bytes is
# described as bytes; keys are what the tests of the door are for.
EXCLUDED = [
    positive_data_acceptance, negative_data_rejection, ignored_auth, missing_required_header,
    unsupported_method,
]  # fmt: skip


@pytest.fixture
def attacked(released):
    """The service with two tenants' keys and without a rate limit, its schema, and a client."""
    unlimited = released.model_copy(
        update={
            "service": ServiceSettings(requests_per_minute=0),
            "user_documents": released.user_documents.model_copy(update={"max_documents": 2}),
        }
    )
    app = service_app(unlimited, ApiKeys({key_hash(key): name for name, key in KEYS.items()}))
    headers = {"Host": "localhost", "X-API-Key": KEYS["alice"]}
    schema = schemathesis.openapi.from_asgi("/openapi.json", app, headers=headers)
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        for name, secret in SECRETS.items():
            text = f"The {secret} marker was 42 units on isoniazid in tuberculosis.".encode()
            given_ = client.post(
                "/v1/documents?filename=n.txt", content=text, headers={"X-API-Key": KEYS[name]}
            )
            assert given_.status_code == 201
        yield schema, client


def attack(
    schema, client: TestClient, method: str, path: str, examples: int, mode=GenerationMode.POSITIVE
) -> Counter[int]:
    """Send generated requests of both tenants; return how often each status came back."""
    statuses: Counter[int] = Counter()

    @settings(
        max_examples=examples, deadline=None, derandomize=True,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(
        case=schema[path][method].as_strategy(generation_mode=mode),
        tenant=st.sampled_from(sorted(KEYS)),
    )
    def sent(case, tenant: str) -> None:
        other = next(name for name in KEYS if name != tenant)
        case.headers = {**dict(case.headers or {}), "X-API-Key": KEYS[tenant], "Host": "localhost"}
        response = case.call(session=client, timeout=PATIENCE_S)
        statuses[response.status_code] += 1
        assert response.status_code < 500 or path == "/readyz", response.text
        assert SECRETS[other] not in response.text
        if path.startswith("/v1/") and response.status_code not in (408, 415):
            case.validate_response(response, excluded_checks=EXCLUDED)

    sent()
    return statuses


@pytest.mark.parametrize(
    ("method", "path"), [o for o in OPERATIONS if o[1] in ("/v1/search", "/v1/ask", CHAT)]
)
def test_no_generated_request_breaks_the_service(attacked, method: str, path: str):
    schema, client = attacked
    expected = 400 if path == CHAT else 200  # few generated chats hold a question
    examples = SEARCH_EXAMPLES if (method, path) == ("GET", "/v1/search") else EXAMPLES
    assert expected in attack(schema, client, method, path, examples)


def test_no_generated_upload_or_deletion_breaks_the_service(attacked):
    schema, client = attacked
    for method, path in OPERATIONS:
        if path.startswith("/v1/documents"):
            attack(schema, client, method, path, EXAMPLES // 4)
    for name, key in KEYS.items():
        listed = client.get("/v1/documents", headers={"X-API-Key": key}).json()["documents"]
        assert len(listed) >= 1, name


def test_every_operation_of_the_service_is_attacked(attacked):
    schema, _ = attacked
    described = {
        (method.upper(), path)
        for path, of in schema.raw_schema["paths"].items()
        for method in of
        if path != "/metrics"
    }
    assert described == set(OPERATIONS)


@pytest.mark.slow
@pytest.mark.parametrize("mode", list(GenerationMode))
@pytest.mark.parametrize("path", ["/v1/notes/summary", "/v1/notes/plan"])
def test_no_generated_note_breaks_its_endpoints(attacked, path: str, mode: GenerationMode):
    schema, client = attacked
    statuses = attack(schema, client, "POST", path, NOTE_EXAMPLES, mode)
    assert (200 if mode == GenerationMode.POSITIVE else 422) in statuses, dict(statuses)


@pytest.mark.slow
def test_twenty_thousand_generated_requests_break_nothing(attacked):
    """Half as the schema says, half not; an operation without parameters has two cases only."""
    schema, client = attacked
    sent = sum(attack(schema, client, *o, EXAMPLES).total() for o in WITHOUT_PARAMETERS)
    rounds = [(o, mode) for o in OPERATIONS[:-2] for mode in GenerationMode]
    for done, ((method, path), mode) in enumerate(rounds):
        share = math.ceil((ALL_EXAMPLES - sent) / (len(rounds) - done))
        statuses = attack(schema, client, method, path, share, mode)
        sent += statuses.total()
        logger.info("%s %s %s: %s", method, path, mode.value, dict(statuses))
    assert sent >= ALL_EXAMPLES
