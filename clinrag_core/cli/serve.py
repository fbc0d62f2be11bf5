"""`clinrag serve` and `clinrag keys`: the search service and who may use it."""

from __future__ import annotations

import logging
from typing import Annotated

import typer

from clinrag_core.cli.common import console
from clinrag_core.settings import load_settings
from clinrag_core.workspace import Workspace

keys_app = typer.Typer(help="API keys of the search service.", no_args_is_help=True)


def serve(
    host: Annotated[str, typer.Option(help="other than loopback needs API keys")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535)] = 8000,
) -> None:
    """Serve `/v1/search` over HTTP; a new release is taken up without a restart."""
    import uvicorn

    from clinrag_core.serve.app import service_app
    from clinrag_core.serve.auth import check_exposure, load_keys

    settings = load_settings()
    keys = load_keys(Workspace(settings.home).api_keys)
    check_exposure(host, keys)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    uvicorn.run(
        service_app(settings, keys),
        host=host,
        port=port,
        access_log=False,  # its lines contain the query string
        server_header=False,
        timeout_graceful_shutdown=settings.service.shutdown_s,
    )


@keys_app.command("new")
def keys_new(tenant: Annotated[str, typer.Argument(help="whose key it is")]) -> None:
    """Make a key. It is shown once; only its hash is kept."""
    from clinrag_core.serve.auth import new_key

    key = new_key(Workspace(load_settings().home).api_keys, tenant)
    console.print(key, markup=False, highlight=False)
