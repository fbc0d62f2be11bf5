"""`clinrag`: thin, every command a call into the packages above it."""

from __future__ import annotations

import sys
from importlib.metadata import version
from typing import Annotated

import typer

from clinrag_core.cli import (
    ask,
    audit,
    config,
    corpus,
    documents,
    evaluate,
    labels,
    mcp,
    models,
    notes,
    parse,
    release,
    report,
    search,
    serve,
)
from clinrag_core.cli.options import ConfiguredGroup
from clinrag_core.cli.start import hide_pandas

app = typer.Typer(
    cls=ConfiguredGroup,
    help="Answer from released TB and CAP knowledge bases. Not a medical device.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    """Print the version of clinrag and end."""
    if wanted:
        typer.echo(f"clinrag {version('clinrag')}")
        raise typer.Exit


@app.callback()
def _root(
    _: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="print the version and end"
        ),
    ] = False,
) -> None:
    """Answer from released TB and CAP knowledge bases. Not a medical device."""


app.command("ask")(ask.ask)
app.command("search")(search.search)
app.command("serve")(serve.serve)
app.command("mcp")(mcp.mcp)
app.add_typer(serve.keys_app, name="keys")
app.add_typer(evaluate.app, name="evaluate")
app.add_typer(release.app, name="release")
app.add_typer(report.app, name="report")
app.add_typer(parse.app, name="parse")
app.add_typer(notes.app, name="notes")
app.add_typer(corpus.app, name="corpus")
app.add_typer(labels.app, name="labels")
app.add_typer(documents.app, name="documents")
app.add_typer(audit.app, name="audit")
app.add_typer(config.app, name="config")
app.add_typer(models.app, name="models")


def main() -> None:
    """Run the command line of this process."""
    if sys.argv[1:2] in (["ask"], ["search"]):
        hide_pandas()
    app()


if __name__ == "__main__":
    main()
