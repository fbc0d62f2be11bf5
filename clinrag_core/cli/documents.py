"""`clinrag documents`: your documents, searched in addition to the release when you ask."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from clinrag_core.cli.common import Json, console, echo_json, echo_records
from clinrag_core.settings import load_settings

if TYPE_CHECKING:
    from clinrag_core.users.documents import UserDocuments

app = typer.Typer(help="Your documents, searched when you ask.", no_args_is_help=True)
LOCAL = ""
"""The tenant of the command line, and of a service without keys."""


def _documents() -> UserDocuments:
    from clinrag_core.users.answering import open_answering

    return open_answering(load_settings()).documents


@app.command()
def add(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, readable=True)],
    as_json: Json = False,
) -> None:
    """Index a PDF, HTML, text or markdown file."""
    document = _documents().add(LOCAL, file.name, file.read_bytes())
    if as_json:
        echo_json(document.model_dump(mode="json"))
        return
    console.print(f"{document.id}: {document.words} words, {document.chunks} passages")


@app.command("list")
def list_documents(as_json: Json = False) -> None:
    """Show what is indexed."""
    listed = _documents().list(LOCAL)
    if as_json:
        echo_records(listed)
        return
    table = Table("id", "name", "words", "passages", "added")
    for d in listed:
        table.add_row(d.id, d.name, str(d.words), str(d.chunks), f"{d.added:%Y-%m-%d %H:%M}")
    console.print(table)


@app.command()
def delete(
    document_id: Annotated[str, typer.Argument(help="as `list` shows it")], as_json: Json = False
) -> None:
    """Remove a document: its text, its vectors, every cached answer."""
    _documents().delete(LOCAL, document_id)
    if as_json:
        echo_json({"deleted": document_id})
