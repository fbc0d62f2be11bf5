"""The commands as one Typer application, or only the one that will run."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated

import typer

from clinrag_core.cli.options import ConfiguredGroup

COMMANDS = {
    "ask": "ask.ask",
    "search": "search.search",
    "serve": "serve.serve",
    "mcp": "mcp.mcp",
    "keys": "serve.keys_app",
    "evaluate": "evaluate.app",
    "release": "release.app",
    "report": "report.app",
    "parse": "parse.app",
    "notes": "notes.app",
    "corpus": "corpus.app",
    "labels": "labels.app",
    "documents": "documents.app",
    "audit": "audit.app",
    "config": "config.app",
    "models": "models.app",
}
"""Commands and groups of commands, with their module and its attribute."""


def application(only: str | None = None) -> typer.Typer:
    """Return every command; where `only` is the name of one, that one alone."""
    app = typer.Typer(
        cls=ConfiguredGroup,
        help="Answer from released TB and CAP knowledge bases. Not a medical device.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
    )
    app.callback()(_root)
    for name in [only] if only in COMMANDS else COMMANDS:
        module, attribute = COMMANDS[name].split(".")
        command = getattr(import_module(f"clinrag_core.cli.{module}"), attribute)
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(name)(command)
    return app


def _print_version(wanted: bool) -> None:
    """Print the version of clinrag and end."""
    if wanted:
        from importlib.metadata import version  # loads the parser of e-mail

        typer.echo(f"clinrag {version('clinrag')}")
        raise typer.Exit


def _root(
    _: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="print the version and end"
        ),
    ] = False,
) -> None:
    """Answer from released TB and CAP knowledge bases. Not a medical device."""
