"""`clinrag serve` and `clinrag keys`: the search service and who may use it."""

from __future__ import annotations

import logging
from typing import Annotated

import typer
from rich.table import Table

from clinrag_core.cli.common import console
from clinrag_core.settings import load_settings
from clinrag_core.workspace import Workspace, utc_now

keys_app = typer.Typer(help="API keys of the search service.", no_args_is_help=True)


def serve(
    host: Annotated[str, typer.Option(help="other than loopback needs API keys")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535)] = 8000,
) -> None:
    """Serve `/v1/search` over HTTP; a new release is taken up without a restart."""
    import uvicorn

    from clinrag_core.serve.app import service_app
    from clinrag_core.serve.auth import LOOPBACK, KeyFile, check_exposure
    from clinrag_core.serve.protocol import timed_protocol

    settings = load_settings()
    keys = KeyFile(Workspace(settings.home).api_keys, required=host not in LOOPBACK)
    check_exposure(host, keys())
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    uvicorn.run(
        service_app(settings, keys),
        host=host,
        port=port,
        access_log=False,  # its lines contain the query string
        server_header=False,
        http=timed_protocol(settings.service.header_s),
        ws="none",
        timeout_graceful_shutdown=settings.service.shutdown_s,
    )


@keys_app.command("new")
def keys_new(
    tenant: Annotated[str, typer.Argument(help="whose key it is")],
    days: Annotated[int | None, typer.Option(min=1, help="days until it expires")] = None,
) -> None:
    """Make a key. It is shown once; only its hash is kept. A running service reads it at once."""
    from clinrag_core.serve.auth import new_key

    key = new_key(Workspace(load_settings().home).api_keys, tenant, days)
    console.print(key, markup=False, highlight=False)


@keys_app.command("list")
def keys_list() -> None:
    """Show whose keys there are, by the first digits of their hashes."""
    from clinrag_core.serve.auth import read_entries

    today = utc_now().date()
    table = Table("id", "tenant", "created", "expires", "state")
    for key in read_entries(Workspace(load_settings().home).api_keys):
        dates = (str(date or "") for date in (key.created, key.expires))
        table.add_row(key.id, key.tenant, *dates, key.state(today))
    console.print(table)


@keys_app.command("revoke")
def keys_revoke(key_id: Annotated[str, typer.Argument(help="id, as `list` shows it")]) -> None:
    """Revoke a key; a running service refuses it with its next request."""
    from clinrag_core.serve.auth import revoke_key

    revoked = revoke_key(Workspace(load_settings().home).api_keys, key_id)
    console.print(f"revoked {revoked.id} of {revoked.tenant}", markup=False, highlight=False)
