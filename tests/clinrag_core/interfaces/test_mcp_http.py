"""The MCP tools over HTTP: through the service's door, with the official client."""

from __future__ import annotations

import asyncio
import json
import shutil

import httpx
import pytest

mcp = pytest.importorskip("mcp", reason="pip install '.[mcp]'")

import httpx2  # noqa: E402 - the client's own library
from mcp.client.streamable_http import streamable_http_client  # noqa: E402
from typer.testing import CliRunner  # noqa: E402

from clinrag_core.cli.main import app  # noqa: E402
from clinrag_core.mcp_http import mcp_app  # noqa: E402
from clinrag_core.serve.auth import ApiKeys, key_hash  # noqa: E402
from clinrag_core.users.answering import open_answering  # noqa: E402

DOSE = "ethambutol daily dose for tuberculosis in adults"
NOTE = (
    b"Zebrafish ward rules\n\nOn the zebrafish ward adults with tuberculosis take isoniazid at 9."
)
KEYS = ApiKeys({key_hash("a-key"): "alice", key_hash("b-key"): "bob"})
HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
LIST = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})


@pytest.fixture(scope="module")
def settings(pages_home, tmp_path_factory):
    """Settings over a copy of the release, in which alice has a document."""
    home = tmp_path_factory.mktemp("mcp") / "home"
    shutil.copytree(pages_home.home, home)
    settings = pages_home.model_copy(update={"home": home})
    open_answering(settings).documents.add("alice", "ward.txt", NOTE)
    return settings


@pytest.fixture(scope="module")
def address(settings, serve_app):
    """The server with two tenants' keys."""
    with serve_app(mcp_app(settings, lambda: KEYS)) as url:
        yield f"{url}/mcp"


def call(address: str, tool: str, key: str = "a-key", mode: str = "auto", **arguments):
    """Call a tool with the official client."""

    async def called():
        headers = {"Authorization": f"Bearer {key}"}
        async with httpx2.AsyncClient(headers=headers, timeout=30) as http:
            over = streamable_http_client(address, http_client=http)
            async with mcp.Client(over, mode=mode) as client:
                return await client.call_tool(tool, arguments)

    return asyncio.run(called())


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_official_client_gets_an_answer_over_http(address, mode):
    answer = call(address, "ask", mode=mode, question=DOSE).structured_content
    assert answer["outcome"] == "answered"
    assert answer["statements"][0].endswith("1200 mg [1]")
    passage = call(address, "passage", passage_id=answer["sources"][0]["passages"][0])
    assert "Ethambutol" in passage.structured_content["text"]


def test_an_abstention_is_a_result(address):
    result = call(address, "ask", question="zebra dose")
    assert not result.is_error
    assert result.structured_content["outcome"] == "abstained"


def test_only_the_keys_owner_reads_own_documents(address):
    question = "isoniazid on the zebrafish ward"
    for key, seen in (("a-key", True), ("b-key", False)):
        answer = call(address, "ask", key, question=question).structured_content
        assert ("take isoniazid at 9" in " ".join(answer["own_documents"])) == seen
        assert "isoniazid at 9" not in " ".join(answer["statements"])


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": "Bearer a-key", "Host": "evil.example"}, 421),
        ({"Authorization": "Bearer a-key", "Origin": "http://evil.example"}, 403),
        ({"Authorization": "Bearer a-key", "Sec-Fetch-Site": "cross-site"}, 403),
        ({"Authorization": "Bearer a-key", "Content-Type": "text/plain"}, 415),
        ({"Authorization": "Bearer a-key"}, 200),
    ],
    ids=["no-key", "wrong-key", "host", "origin", "fetch-site", "type", "allowed"],
)
def test_the_service_door_is_before_the_protocol(address, headers, status):
    answered = httpx.post(address, content=LIST, headers={**HEADERS, **headers})
    assert answered.status_code == status
    if status == 200:
        names = {tool["name"] for tool in answered.json()["result"]["tools"]}
        assert names == {"ask", "search", "passage", "label_diff"}


def test_a_body_has_a_limit(address):
    headers = {**HEADERS, "Authorization": "Bearer a-key"}
    assert httpx.post(address, content=b"x" * 100_000, headers=headers).status_code == 413


def test_it_listens_beyond_this_machine_only_with_keys(tmp_path, monkeypatch):
    monkeypatch.setenv("CLINRAG_HOME", str(tmp_path))
    refused = CliRunner().invoke(app, ["mcp", "--http", "--host", "0.0.0.0"])  # noqa: S104
    assert refused.exit_code == 1
    assert "make a key first" in " ".join(refused.stderr.split())
