"""`clinrag config`: the settings in force and where each came from; a file to start from."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from clinrag_core.cli.common import Json, console, echo_json
from clinrag_core.errors import ConfigurationError
from clinrag_core.settings import load_with_origins

app = typer.Typer(help="Settings: what is in force, and a file to start from.")


@app.command()
def show(
    as_json: Json = False,
) -> None:
    """Print every setting in force and where its value came from."""
    from clinrag_core.settings.leaves import nested
    from clinrag_core.settings.render import effective

    rows = effective(load_with_origins(), os.environ)
    if as_json:
        typer.echo(json.dumps(nested(rows), indent=1, ensure_ascii=False))
        return
    table = Table("setting", "value", "from")
    for name, row in rows.items():
        table.add_row(name, json.dumps(row["value"], ensure_ascii=False), row["origin"])
    console.print(table, markup=False, highlight=False)


@app.command()
def init(
    path: Annotated[Path, typer.Argument(help="file to write")] = Path("clinrag.toml"),
    force: Annotated[bool, typer.Option("--force", help="overwrite the file")] = False,
    as_json: Json = False,
) -> None:
    """Write the settings in force as a TOML file with every setting, its default and meaning."""
    from clinrag_core.settings.render import toml_file

    if path.exists() and not force:
        raise ConfigurationError(f"{path} exists: choose another name, or --force overwrites it")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(toml_file(load_with_origins().settings), encoding="utf-8")
    if as_json:
        echo_json({"settings": path})
        return
    console.print(f"wrote {path}; use it with --config {path} or CLINRAG_CONFIG={path}")
