"""Who may come in is decided from the headers, before a body is read."""

from __future__ import annotations

import datetime as dt
import logging
import socket
import threading
import time

import pytest
import uvicorn

from clinrag_core.errors import ConfigurationError
from clinrag_core.serve.app import service_app
from clinrag_core.serve.auth import (
    ApiKeys,
    KeyFile,
    UnknownKeyError,
    key_hash,
    load_keys,
    new_key,
    read_entries,
    revoke_key,
)
from clinrag_core.serve.protocol import timed_protocol

KEYS = ApiKeys({key_hash("a-key"): "alice", key_hash("b-key"): "bob"})
A, B = {"X-API-Key": "a-key"}, {"X-API-Key": "b-key"}
NOTE = b"The zebrafish marker was 42 units on isoniazid."
EVIL = "http://evil.example"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1.evil.example:8000"}, 421),
        ({"Origin": EVIL}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost.evil.example"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}, 201),
        ({"Host": "127.0.0.1:8000"}, 201),
        ({"Host": "[::1]:8000"}, 201),
    ],
)
def test_a_web_page_cannot_plant_a_document_in_a_service_without_keys(client_for, headers, status):
    client = client_for()
    given = client.post("/v1/documents?filename=n.txt", content=NOTE, headers=headers)
    assert given.status_code == status
    assert len(client.get("/v1/documents").json()["documents"]) == (status == 201)


def test_a_page_of_another_site_cannot_ask_search_or_delete(client_for):
    client = client_for()
    for method, path in (
        ("GET", "/v1/search?question=isoniazid"), ("POST", "/v1/ask"), ("GET", "/v1/documents"),
        ("DELETE", "/v1/documents/x"), ("POST", "/v1/notes/summary"), ("GET", "/"),
    ):  # fmt: skip
        assert client.request(method, path, headers={"Origin": EVIL}).status_code == 403
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert client.get("/docs", headers=link).status_code == 200
    assert client.get("/v1/search?question=isoniazid", headers=link).status_code == 403


def test_other_hosts_and_origins_are_a_setting(client_for):
    client = client_for(hosts=("rag.example.org",), origins=("https://ehr.example.org",))
    named = {"Host": "rag.example.org", "Origin": "https://ehr.example.org"}
    assert client.get("/v1/documents", headers=named).status_code == 200
    other = {"Host": "rag.example.org", "Origin": "https://other.example.org"}
    assert client.get("/v1/documents", headers=other).status_code == 403


@pytest.mark.parametrize(
    ("path", "kind", "status"),
    [
        ("/v1/ask", "text/plain", 415),
        ("/v1/ask", "application/x-www-form-urlencoded", 415),
        ("/v1/ask", None, 415),
        ("/v1/ask", "application/json; charset=utf-8", 200),
        ("/v1/search", "text/plain", 415),
        ("/v1/documents?filename=n.txt", "application/x-www-form-urlencoded", 415),
        ("/v1/documents?filename=n.txt", "application/json", 415),
        ("/v1/documents?filename=n.txt", "text/plain", 201),
    ],
)
def test_bodies_have_a_documented_type(client_for, path, kind, status):
    headers = {"Content-Type": kind} if kind else {}
    body = NOTE if "documents" in path else b'{"question": "type 2 diabetes"}'
    assert client_for().post(path, content=body, headers=headers).status_code == status


def test_a_form_uploads_the_file_and_not_its_envelope(client_for):
    client = client_for()
    added = client.post("/v1/documents", files={"file": ("visit.md", NOTE, "text/markdown")})
    assert added.status_code == 201, added.text
    assert added.json()["name"] == "visit.md"
    assert added.json()["words"] == len(NOTE.split())
    again = client.post("/v1/documents?filename=visit.md", content=NOTE)
    assert again.json()["id"] == added.json()["id"]  # the same bytes
    two = [("file", ("a.md", NOTE)), ("other", ("b.md", NOTE))]
    assert client.post("/v1/documents", files=two).status_code in (400, 422)
    assert client.post("/v1/documents", files={"file": ("", b"")}).status_code in (400, 422)


def test_a_key_is_asked_for_before_a_body_is_read(client_for):
    client = client_for(KEYS)
    assert client.post("/v1/documents?filename=n.txt", content=NOTE).status_code == 401
    for path in ("/docs", "/openapi.json", "/v1/search?question=x", "/no-such-page"):
        assert client.get(path).status_code == 401
    assert client.get("/docs").headers["WWW-Authenticate"].startswith("Basic")
    assert client.get("/docs", auth=("anybody", "a-key")).status_code == 200


def test_wrong_keys_are_limited_and_right_ones_are_not(client_for):
    client = client_for(KEYS, failures_per_minute=8)
    wrong = [client.get("/v1/documents", headers={"X-API-Key": "no"}) for _ in range(5)]
    assert [answer.status_code for answer in wrong] == [401, 401, 429, 429, 429]
    assert int(wrong[-1].headers["Retry-After"]) >= 1
    assert client.get("/v1/documents", headers=A).status_code == 200


def test_metrics_take_a_key_where_one_is_set(client_for, monkeypatch):
    assert client_for(KEYS).get("/metrics").status_code == 200
    monkeypatch.setenv("CLINRAG_METRICS_KEY", "counting")
    client = client_for(KEYS)
    assert client.get("/metrics").status_code == 401
    bearer = {"Authorization": "Bearer counting"}
    assert client.get("/metrics", headers=bearer).status_code == 200
    assert client.get("/v1/documents", headers=bearer).status_code == 401


def test_every_answer_has_its_security_headers(client_for):
    client = client_for(KEYS)
    for answer in (
        client.get("/healthz"), client.get("/docs", headers=A), client.get("/v1/documents"),
        client.get("/v1/documents", headers=A), client.get("/no-such-page", headers=A),
        client.get("/healthz", headers={"Host": "evil.example"}),
    ):  # fmt: skip
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["X-Frame-Options"] == "DENY"
        assert "default-src 'self'" in answer.headers["Content-Security-Policy"]
        assert answer.headers["Cache-Control"] == "no-store"


def test_the_api_page_needs_nothing_from_elsewhere(client_for):
    client = client_for()
    page = client.get("/docs").text
    assert "http" not in page.replace("http-equiv", "")
    assert "<script>" not in page
    for name in ("swagger-ui-bundle.js", "swagger-ui.css", "start.js", "favicon.png"):
        assert client.get(f"/docs/{name}").status_code == 200


def test_the_schema_names_keys_bodies_tags_and_operations(client_for):
    schema = client_for(KEYS).get("/openapi.json", headers=A).json()
    assert set(schema["components"]["securitySchemes"]) == {"bearer", "api_key"}
    operations = {
        (method, path): one for path, of in schema["paths"].items() for method, one in of.items()
    }
    assert all(one["tags"] for one in operations.values())
    ids = [one["operationId"] for one in operations.values()]
    assert len(set(ids)) == len(ids)
    assert operations["post", "/v1/documents"]["operationId"] == "add_document"
    types = operations["post", "/v1/documents"]["requestBody"]["content"]
    assert {"multipart/form-data", "application/pdf"} <= set(types)
    assert "404" in operations["delete", "/v1/documents/{document_id}"]["responses"]
    assert operations["post", "/v1/ask"]["security"]


def test_one_name_for_the_question_and_the_old_ones_are_read(client_for):
    client = client_for()
    bodies = [client.get(f"/v1/search?{name}=isoniazid").json() for name in ("question", "q")]
    bodies += [
        client.post("/v1/search", json={n: "isoniazid"}).json() for n in ("question", "query")
    ]
    assert len({str(body["results"]) for body in bodies}) == 1
    assert client.get("/v1/search?question=a&q=b").status_code == 422
    assert "question" in client.get("/v1/search").json()["errors"][0]["place"]
    schema = client.get("/openapi.json").json()["components"]["schemas"]
    assert "question" in schema["SearchRequest"]["properties"]
    assert "query" not in schema["SearchRequest"]["properties"]


def test_unknown_documents_are_404(client_for):
    assert client_for().delete("/v1/documents/user-none").status_code == 404


def test_keys_expire_are_listed_and_revoked_without_a_restart(tmp_path, client_for):
    file = tmp_path / "api_keys"
    first, second = new_key(file, "alice"), new_key(file, "bob", days=1)
    keys = KeyFile(file)
    client = client_for(keys)
    assert client.get("/v1/documents", headers={"X-API-Key": first}).status_code == 200
    entries = read_entries(file, {})
    assert [entry.tenant for entry in entries] == ["alice", "bob"]
    assert first not in file.read_text()
    revoke_key(file, entries[0].id)
    assert client.get("/v1/documents", headers={"X-API-Key": first}).status_code == 401
    assert client.get("/v1/documents", headers={"X-API-Key": second}).status_code == 200
    tomorrow = dt.datetime.now(dt.UTC).date() + dt.timedelta(days=1)
    with pytest.raises(UnknownKeyError):
        keys().tenant(second, tomorrow)
    third = new_key(file, "carol")
    assert client.get("/v1/documents", headers={"X-API-Key": third}).status_code == 200
    states = [entry.state(tomorrow) for entry in read_entries(file, {})]
    assert states == ["revoked", "expired", "valid"]


def test_revoking_the_last_key_or_damaging_the_file_opens_nothing(tmp_path, caplog):
    file = tmp_path / "api_keys"
    key = new_key(file, "alice")
    keys = KeyFile(file)
    file.write_text("alice nonsense\n")
    caplog.set_level(logging.ERROR)
    assert keys().tenant(key) == "alice"
    for content in ("", "# all gone\n"):
        file.write_text(content)
        with pytest.raises(UnknownKeyError):
            keys().tenant("")
    new = new_key(file, "alice")
    revoke_key(file, key_hash(new)[:8])
    with pytest.raises(UnknownKeyError):  # also after a restart
        load_keys(file, {}).tenant("")
    with pytest.raises(ConfigurationError):
        revoke_key(file, "0" * 8)


@pytest.fixture(params=[ApiKeys({})])
def address(released, request):
    """A real server with short limits; its address."""
    limits = released.service.model_copy(update={"header_s": 0.4, "body_s": 0.4})
    app = service_app(released.model_copy(update={"service": limits}), request.param)
    config = uvicorn.Config(app, port=0, log_level="error", http=timed_protocol(0.4), ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    for _ in range(600):
        if server.started:
            break
        time.sleep(0.05)
    yield server.servers[0].sockets[0].getsockname()
    server.should_exit = True
    thread.join()


def received(address, data: bytes) -> bytes:
    """What a server answers to bytes until it closes; a server that waits for ever is an error."""
    with socket.create_connection(address, timeout=20) as connection:
        connection.sendall(data)
        pieces = []
        while piece := connection.recv(65_536):
            pieces.append(piece)
            if b"}" in piece:
                break
    return b"".join(pieces)


def test_headers_and_bodies_have_to_arrive_in_time(address):
    for begun in (b"", b"POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nX-A: "):
        assert received(address, begun) == b""
    head = b"POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    answer = received(address, head + b"Content-Length: 100\r\n\r\n{")
    assert answer.startswith(b"HTTP/1.1 408")
    foreign = head.replace(b"localhost", b"evil.example")  # refused without its body
    answer = received(address, foreign + b"Content-Length: 60000\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 421")


@pytest.mark.parametrize("address", [KEYS], indirect=True)
@pytest.mark.parametrize("key", ["", "X-API-Key: wrong\r\n"])
def test_a_key_is_asked_for_before_a_body_arrives(address, key: str):
    """Bodies were buffered before anybody asked whose they were."""
    head = f"POST /v1/documents?filename=n.txt HTTP/1.1\r\nHost: localhost\r\n{key}"
    for kind in ("text/plain", "multipart/form-data; boundary=b"):
        sent = f"{head}Content-Type: {kind}\r\nContent-Length: 20000000\r\n\r\nIsoniazid"
        assert received(address, sent.encode()).startswith(b"HTTP/1.1 401")
