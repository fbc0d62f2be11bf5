"""`clinrag mcp`: the tools of clinrag for assistants and agents, over standard input and output."""

from __future__ import annotations

import logging
import sys

from clinrag_core.errors import ConfigurationError
from clinrag_core.settings import load_settings


def mcp() -> None:
    """Serve ask, search, passage and label_diff as MCP tools over standard input and output."""
    try:
        from clinrag_core.mcp_server import build_server

        # The library logs arguments of failed calls; they hold questions.
        logging.disable(logging.CRITICAL)
        from clinrag_core.client import Clinrag

        settings = load_settings()
        server = build_server(lambda: Clinrag(settings))
    except ModuleNotFoundError as error:
        if error.name is None or not error.name.startswith("mcp"):
            raise
        raise ConfigurationError("install it first: pip install 'clinrag[mcp]'") from error
    sys.stderr.write("clinrag: MCP over standard input and output; end with Ctrl+C\n")
    server.run("stdio")
