"""`clinrag serve` and `clinrag keys`: the search service and who may use it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from clinrag_core.cli.common import Json, console, echo_json
from clinrag_core.settings import load_settings
from clinrag_core.workspace import Workspace, utc_now

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from clinrag_core.serve.auth import KeyFile
    from clinrag_core.settings import Settings

keys_app = typer.Typer(help="API keys of the search service.", no_args_is_help=True)


def serve(
    host: Annotated[str, typer.Option(help="other than loopback needs API keys")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535)] = 8000,
) -> None:
    """Serve the question page and `/v1` over HTTP; a new release is taken up without a restart."""
    from clinrag_core.serve.app import service_app

    settings = load_settings()
    keys = open_keys(settings, host)
    listen(service_app(settings, keys), settings, host, port)


def open_keys(settings: Settings, host: str) -> KeyFile:
    """Return the API keys of a home, read again when they change.

    Raises:
        ConfigurationError: there are none, and the host can be reached from other machines.
    """
    from clinrag_core.serve.auth import LOOPBACK, KeyFile, check_exposure

    keys = KeyFile(Workspace(settings.home).api_keys, required=host not in LOOPBACK)
    check_exposure(host, keys())
    return keys


def listen(app: ASGIApp, settings: Settings, host: str, port: int) -> None:
    """Serve an application until it is ended; nothing that is asked is logged."""
    import uvicorn

    from clinrag_core.serve.protocol import timed_protocol

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    uvicorn.run(
        app,
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
    as_json: Json = False,
) -> None:
    """Make a key. It is shown once; only its hash is kept. A running service reads it at once."""
    from clinrag_core.serve.auth import SHOWN_DIGITS, key_hash, new_key

    key = new_key(Workspace(load_settings().home).api_keys, tenant, days)
    if as_json:
        echo_json({"id": key_hash(key)[:SHOWN_DIGITS], "tenant": tenant, "key": key})
        return
    console.print(key, markup=False, highlight=False)


@keys_app.command("list")
def keys_list(as_json: Json = False) -> None:
    """Show whose keys there are, by the first digits of their hashes."""
    from clinrag_core.serve.auth import read_entries

    today = utc_now().date()
    entries = read_entries(Workspace(load_settings().home).api_keys)
    if as_json:
        dated = ("tenant", "created", "expires", "revoked")
        echo_json(
            [
                {"id": e.id, "state": e.state(today), **{name: getattr(e, name) for name in dated}}
                for e in entries
            ]
        )
        return
    table = Table("id", "tenant", "created", "expires", "state")
    for key in entries:
        dates = (str(date or "") for date in (key.created, key.expires))
        table.add_row(key.id, key.tenant, *dates, key.state(today))
    console.print(table)


@keys_app.command("revoke")
def keys_revoke(
    key_id: Annotated[str, typer.Argument(help="id, as `list` shows it")], as_json: Json = False
) -> None:
    """Revoke a key; a running service refuses it with its next request."""
    from clinrag_core.serve.auth import revoke_key

    revoked = revoke_key(Workspace(load_settings().home).api_keys, key_id)
    if as_json:
        echo_json({"id": revoked.id, "tenant": revoked.tenant, "revoked": revoked.revoked})
        return
    console.print(f"revoked {revoked.id} of {revoked.tenant}", markup=False, highlight=False)
