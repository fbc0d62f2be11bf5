"""`clinrag corpus`: a folder of documents as a corpus, and what is wrong with one."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from clinrag_core.cli.common import Json, console, echo_json, errors, pipeline_over, progress_bar
from clinrag_core.errors import ConfigurationError

if TYPE_CHECKING:
    from clinrag_core.pipeline.corpus_check import CorpusCheck
    from clinrag_core.pipeline.new_corpus import FolderScan

app = typer.Typer(help="Your own corpus: write its manifest, check it.", no_args_is_help=True)
NOT_GIVEN = "not given"
Folder = Annotated[Path, typer.Argument(exists=True, file_okay=False, help="folder of documents")]


@app.command()
def init(
    folder: Folder,
    force: Annotated[bool, typer.Option("--force", help="overwrite corpus.toml")] = False,
    as_json: Json = False,
) -> None:
    """Write corpus.toml for the documents of a folder: PDF, HTML, text, Markdown, drug labels.

    Titles, formats and drugs are read from the documents. Files that cannot be used are listed
    with the reason.
    """
    from clinrag_core.acquire.manifest import MANIFEST_NAME
    from clinrag_core.pipeline.new_corpus import manifest_text, scan_folder
    from clinrag_core.workspace import write_atomic

    manifest = folder / MANIFEST_NAME
    if manifest.exists() and not force:
        raise ConfigurationError(f"{manifest} exists: --force overwrites it")
    with progress_bar() as progress:
        task = progress.add_task("reading", total=None)
        scan = scan_folder(
            folder,
            lambda done, total, name: progress.update(
                task, completed=done, total=total, description=name[:40]
            ),
        )
    if not as_json:
        _show(scan)
    if not scan.guidelines and not scan.labels:
        raise ConfigurationError(f"no file in {folder} can be used: nothing was written")
    write_atomic(manifest, manifest_text(folder.resolve().name or "corpus", scan).encode())
    if as_json:
        echo_json({"manifest": manifest, **_listed(scan)})
        return
    console.print(f"wrote {manifest}", markup=False, highlight=False)
    named = shlex.quote(str(folder))
    console.print(f"next: make run CORPUS={named}", markup=False, highlight=False, soft_wrap=True)
    console.print(f"after editing it: clinrag corpus check {named}", markup=False, highlight=False)


def _listed(scan: FolderScan) -> dict[str, object]:
    """Return what was found as plain values."""
    return {
        "guidelines": [file._asdict() for file in scan.guidelines],
        "labels": [file._asdict() for file in scan.labels],
        "unusable": [file._asdict() for file in scan.unusable],
    }


def _show(scan: FolderScan) -> None:
    """Print what was found, and on the error stream what cannot be used."""
    table = Table("", "id or drug", "title", "read", "file", show_lines=False)
    for kind, files in (("guideline", scan.guidelines), ("label", scan.labels)):
        for file in files:
            table.add_row(kind, file.name, file.title, file.note, file.path)
    if table.row_count:
        console.print(table, markup=False, highlight=False)
    for file in scan.unusable:
        errors.print(f"not used: {file.path}: {file.reason}", markup=False, highlight=False)


@app.command()
def check(
    folder: Folder,
    as_json: Json = False,
) -> None:
    """Show what a run would read of a corpus, and every problem with its file and place.

    Exits with 1 where something cannot be used.
    """
    from clinrag_core.errors import ManifestError
    from clinrag_core.pipeline.corpus_check import check_corpus, question_problems

    try:
        with pipeline_over(folder) as pipeline, progress_bar() as progress:
            task = progress.add_task("reading", total=None)
            checked = check_corpus(
                pipeline,
                lambda done, total, name: progress.update(
                    task, completed=done, total=total, description=name[:40]
                ),
            )
    except ManifestError as error:
        raise ManifestError(*error.problems, *question_problems(folder)) from error
    if as_json:
        typer.echo(checked.model_dump_json(indent=1))
    else:
        _show_check(checked)
    if checked.problems:
        raise typer.Exit(1)


def _show_check(checked: CorpusCheck) -> None:
    """Print the documents, then notes, then problems."""
    columns = ("", "id or drug", "title", "organisation", "year", "licence", "topics", "words")
    table = Table(*columns)
    for d in checked.documents:
        given = (d.organisation, d.year, d.licence, ", ".join(d.topics))
        shown = (str(value) if value else NOT_GIVEN for value in given)
        table.add_row(d.kind, d.key, d.title, *shown, f"{d.words:,}")
    console.print(table, markup=False, highlight=False)
    for note in checked.notes:
        console.print(f"note: {note}", markup=False, highlight=False)
    for problem in checked.problems:
        errors.print(f"problem: {problem}", style="red", markup=False, highlight=False)
    console.print(
        f"{len(checked.documents)} documents can be read; {len(checked.problems)} problems",
        highlight=False,
    )
