"""Records what the notebook and an MCP client get from a release, into docs/sessions.md.

`python docs/sessions.py` runs the cells of docs/notebooks/python.ipynb and calls every MCP tool
with the official client over HTTP, on the release of the profile. Figures are shortened.
"""

import ast
import asyncio
import contextlib
import json
import re
import socket
import threading
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import mcp
import pandas as pd
import uvicorn

from clinrag_core.mcp_http import MCP_PATH, mcp_app
from clinrag_core.serve.auth import ApiKeys
from clinrag_core.settings import load_settings

DOCS = Path(__file__).resolve().parent
NOTEBOOK = DOCS / "notebooks" / "python.ipynb"
PAGE = DOCS / "sessions.md"
LONGEST = 1_500
"""Characters of one output; the rest is cut with a mark."""
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("ask", {"question": "What are the contraindications of isoniazid?"}),
    ("ask", {"question": "What is the dose of wonderdrugine?"}),
    ("search", {"question": "isoniazid and the liver", "drug": "isoniazid", "top_k": 1}),
    ("label_diff", {"label": "isoniazid"}),
)
HEAD = """# Recorded sessions

What the notebook and an MCP client got from the sample release. `python docs/sessions.py` records
it again. Long outputs are cut.

"""


def notebook() -> Generator[str]:
    """Yield each cell of the notebook and what it shows."""
    space: dict[str, Any] = {}
    for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            yield source.replace("# Ask from Python", "## Notebook")
            continue
        yield f"```python\n{source}\n```"
        *before, last = ast.parse(source).body
        exec(compile(ast.Module(before, []), "cell", "exec"), space)  # noqa: S102 - our notebook
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), space)  # noqa: S307
            if value is not None:
                yield f"```text\n{cut(repr(value))}\n```"
        else:
            exec(compile(ast.Module([last], []), "cell", "exec"), space)  # noqa: S102


@contextlib.contextmanager
def served() -> Generator[str]:
    """Serve the MCP tools on a free port of this machine; yields the address."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    app = mcp_app(load_settings(), lambda: ApiKeys({}))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.1)
    yield f"http://127.0.0.1:{listening.getsockname()[1]}{MCP_PATH}"
    server.should_exit = True
    thread.join(10)


async def session(address: str) -> list[str]:
    """Return each call and what it returns."""
    parts = ["## MCP over HTTP", "`clinrag mcp --http` answers at `http://127.0.0.1:8001/mcp`."]
    async with mcp.Client(address) as client:
        listed = (await client.list_tools()).tools
        parts.append(f"Tools: {', '.join(f'`{tool.name}`' for tool in listed)}.")
        passage = ""
        for tool, arguments in CALLS:
            parts += await called(client, tool, arguments)
            if tool == "search":
                result = await client.call_tool(tool, arguments)
                passage = (result.structured_content or {})["passages"][0]["id"]
        parts += await called(client, "passage", {"passage_id": passage})
    return parts


async def called(client: mcp.Client, tool: str, arguments: dict[str, Any]) -> list[str]:
    """Return one call and its result, an error in words."""
    result = await client.call_tool(tool, arguments)
    if result.is_error:
        shown = f"error: {result.content[0].text}"
    else:
        shown = json.dumps(result.structured_content, indent=1, ensure_ascii=False)
    return [f"```text\n{tool} {json.dumps(arguments)}\n```", f"```text\n{cut(shown)}\n```"]


def cut(text: str) -> str:
    """Return a text that is not too long for a page; figures with three decimals."""
    text = re.sub(r"(\d\.\d{3})\d+", r"\1", text)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}\n…"


def main() -> None:
    """Write the page."""
    pd.set_option("display.width", 110, "display.max_columns", 8, "display.max_colwidth", 30)
    parts = list(notebook())
    with served() as address:
        parts += asyncio.run(session(address))
    PAGE.write_text(HEAD + "\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
