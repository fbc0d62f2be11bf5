"""`clinrag mcp`: the tools of clinrag for assistants and agents."""

from __future__ import annotations

import functools
import logging
import sys
import threading
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated

import typer

from clinrag_core.cli.serve import listen, open_keys
from clinrag_core.errors import ConfigurationError
from clinrag_core.settings import load_settings

if TYPE_CHECKING:
    from clinrag_core.settings import Settings


def mcp(
    http: Annotated[bool, typer.Option("--http", help="over HTTP, at /mcp")] = False,
    host: Annotated[
        str, typer.Option(help="with --http; other than loopback needs API keys")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="with --http")] = 8001,
) -> None:
    """Serve ask, search, passage and label_diff as MCP tools, over pipes or HTTP."""
    if find_spec("mcp") is None:
        raise ConfigurationError("install it first: pip install 'clinrag[mcp]'")
    settings = load_settings()
    if http:
        _over_http(settings, host, port)
    else:
        _over_pipes(settings)


def _over_pipes(settings: Settings) -> None:
    """Serve whoever started this process; standard output belongs to the protocol."""
    from clinrag_core.client import Clinrag
    from clinrag_core.mcp_server import build_server

    # The library logs arguments of failed calls; they hold questions.
    logging.disable(logging.CRITICAL)
    lock, first = threading.Lock(), functools.cache(lambda: Clinrag(settings))

    def opened(_: str) -> Clinrag:
        with lock:  # of several first calls, one opens the release
            return first()

    sys.stderr.write("clinrag: MCP over standard input and output; end with Ctrl+C\n")
    build_server(opened).run("stdio")


def _over_http(settings: Settings, host: str, port: int) -> None:
    """Serve programs that reach this address and pass the door."""
    from clinrag_core.mcp_http import mcp_app

    keys = open_keys(settings, host)
    # The library logs arguments of failed calls; they hold questions.
    quiet = logging.getLogger("mcp")
    quiet.addHandler(logging.NullHandler())
    quiet.propagate = False
    listen(mcp_app(settings, keys), settings, host, port)
