"""The MCP tools through the official client: in the process, and over standard input and output."""

from __future__ import annotations

import asyncio
import json
import logging
import subprocess
import sys

import pytest

mcp = pytest.importorskip("mcp", reason="pip install '.[mcp]'")

from clinrag_core.client import Clinrag  # noqa: E402
from clinrag_core.mcp_server import build_server  # noqa: E402
from clinrag_core.settings.render import toml_file  # noqa: E402

DOSE = "ethambutol daily dose for tuberculosis in adults"


@pytest.fixture(scope="module")
def server(pages_home):
    opened = Clinrag(pages_home)
    yield build_server(lambda _: opened)
    opened.close()


def call(server, tool: str, mode: str = "auto", **arguments):
    async def called():
        async with mcp.Client(server, mode=mode) as client:
            return await client.call_tool(tool, arguments)

    return asyncio.run(called())


def test_the_tools_say_what_they_take_and_that_they_only_read(server):
    async def listed():
        async with mcp.Client(server) as client:
            return (await client.list_tools()).tools

    tools = {tool.name: tool for tool in asyncio.run(listed())}
    assert set(tools) == {"ask", "search", "passage", "label_diff"}
    assert all(tool.annotations.read_only_hint for tool in tools.values())
    assert tools["ask"].input_schema["required"] == ["question"]
    assert "statements" in tools["ask"].output_schema["properties"]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_an_answer_has_numbered_statements_and_their_sources(server, mode):
    answer = call(server, "ask", mode, question=DOSE).structured_content
    assert answer["outcome"] == "answered"
    assert answer["statements"][0].endswith("1200 mg [1]")
    assert answer["sources"][0]["number"] == 1
    assert answer["notice"] == "Not a medical device."
    passage = call(server, "passage", passage_id=answer["sources"][0]["passages"][0])
    assert "Ethambutol" in passage.structured_content["text"]


def test_an_abstention_is_a_result_with_its_reason(server):
    result = call(server, "ask", question="zebra dose")
    assert not result.is_error
    assert result.structured_content["outcome"] == "abstained"
    assert "never mention zebra" in result.structured_content["reason"]
    assert result.structured_content["statements"] == []


def test_search_says_which_values_of_a_filter_there_are(server):
    found = call(server, "search", question="liver", drug="isoniazid", top_k=3)
    assert 1 <= len(found.structured_content["passages"]) <= 3
    wrong = call(server, "search", question="liver", drug="isoniazide")
    assert wrong.is_error
    assert "nearest: isoniazid" in wrong.content[0].text


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("passage", {"passage_id": "0" * 24}),
        ("label_diff", {"label": "isoniazidd"}),
        ("label_diff", {"label": "isoniazid"}),
        ("ask", {"question": "x"}),
    ],
)
def test_what_cannot_be_done_is_an_error_in_words(server, tool, arguments):
    result = call(server, tool, **arguments)
    assert result.is_error
    assert "Traceback" not in result.content[0].text


def test_a_question_is_in_no_log(server, caplog):
    caplog.set_level(logging.DEBUG, logger="clinrag_core")
    call(server, "ask", question="zebrafish dose of isoniazid")
    assert not [
        r for r in caplog.records
        if r.name.startswith("clinrag") and "zebrafish" in f"{r.getMessage()}{r.__dict__}"
    ]  # fmt: skip


@pytest.mark.slow
def test_standard_output_holds_the_protocol_alone(pages_home, tmp_path):
    config = tmp_path / "tiny.toml"
    config.write_text(toml_file(pages_home))
    start = {"protocolVersion": "2025-11-25", "capabilities": {},
             "clientInfo": {"name": "test", "version": "1"}}  # fmt: skip
    asked = {"name": "ask", "arguments": {"question": "zebrafish dose of isoniazid"}}
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": start},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": asked},
    ]
    command = [sys.executable, "-m", "clinrag_core.cli.main", "mcp", "--config", str(config)]
    with subprocess.Popen(  # noqa: S603 - this interpreter
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        for message in messages:
            process.stdin.write(json.dumps(message) + "\n")
            process.stdin.flush()
        lines = [process.stdout.readline() for _ in range(2)]
        process.stdin.close()
        rest = process.stdout.read()
        errors = process.stderr.read() if process.stderr else ""
    replies = [json.loads(line) for line in [*lines, *rest.splitlines()]]
    assert [reply["id"] for reply in replies] == [1, 2]
    assert replies[1]["result"]["structuredContent"]["outcome"]
    assert "zebrafish" not in errors
