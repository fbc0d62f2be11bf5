"""`clinrag report`: the pages of evaluations, in a browser."""

from __future__ import annotations

from typing import Annotated

import typer

from clinrag_core.cli.common import Json, console, echo_json
from clinrag_core.settings import load_settings
from clinrag_core.workspace import Workspace

app = typer.Typer(help="Evaluation reports, kept per release.", no_args_is_help=True)


@app.command("open")
def open_report(
    release: Annotated[
        str | None, typer.Argument(help="id of a release; the index of all by default")
    ] = None,
    path_only: Annotated[bool, typer.Option("--path", help="only print its path")] = False,
    as_json: Json = False,
) -> None:
    """Open the index of reports, or the report of one release; with --json only name it."""
    from clinrag_core.pipeline.pages import find_report

    path = find_report(Workspace(load_settings().home), release)
    if as_json:
        echo_json({"release": release, "report": path})
        return
    typer.echo(path)
    if not path_only and typer.launch(str(path)) != 0:
        console.print("no browser could be started: open that file in one")
