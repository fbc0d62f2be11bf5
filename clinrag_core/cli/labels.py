"""`clinrag labels`: which versions of a label there are, and what changed between two."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from clinrag_core.cli.common import Json, console, echo_records, pipeline_over

if TYPE_CHECKING:
    from clinrag_core.evaluate.label_diff import LabelDiff, SectionChange
    from clinrag_core.pipeline.pipeline import Pipeline

app = typer.Typer(help="Versions of drug labels and what changed.", no_args_is_help=True)

SetId = Annotated[
    str, typer.Argument(help="set id of the label, as DailyMed has it, or the name of its drug")
]
Corpus = Annotated[
    Path | None,
    typer.Option(help="read labels from a folder with a corpus.toml instead of the workspace"),
]
STYLES = {"HIGH": "bold red", "MEDIUM": "yellow", "LOW": "dim"}
SHOWN_EDITS = 5
SHOWN_WORDS = 40
"""Edits of a section, and words of an edit, that a terminal shows; `--json` has all."""


@app.command("list")
def label_list(corpus: Corpus = None, as_json: Json = False) -> None:
    """The labels that were ever acquired, by drug, with their set ids and versions."""
    from clinrag_core.pipeline.label_versions import known_labels

    with pipeline_over(corpus) as pipeline:
        _acquire(pipeline, corpus)
        labels = known_labels(pipeline.workspace)
    if as_json:
        echo_records(labels)
        return
    if not labels:
        console.print("no label was acquired yet: `make run` acquires those of a corpus")
        return
    table = Table("drug", "set id", "versions", "effective")
    for label in labels:
        versions = ", ".join(map(str, label.versions))
        table.add_row(label.drug, label.set_id, versions, str(label.effective or "-"))
    console.print(table, markup=False, highlight=False)


@app.command()
def versions(set_id: SetId, corpus: Corpus = None, as_json: Json = False) -> None:
    """The versions of a label that were ever acquired, oldest first."""
    from clinrag_core.pipeline.label_versions import label_versions, set_id_of

    with pipeline_over(corpus) as pipeline:
        _acquire(pipeline, corpus)
        documents = label_versions(pipeline.workspace, set_id_of(pipeline.workspace, set_id))
    if as_json:
        echo_records([document.label for document in documents if document.label is not None])
        return
    table = Table("version", "effective", "published", "format", "words", "file")
    for document in documents:
        label = document.label
        facts = (label.version, label.effective, label.published) if label else ()
        shown = ["-" if value is None else str(value) for value in facts]
        table.add_row(*shown, document.format, f"{document.words:,}", document.file.name)
    console.print(table)


@app.command()
def diff(
    set_id: SetId,
    old: Annotated[int | None, typer.Option("--from", help="version to compare with")] = None,
    new: Annotated[int | None, typer.Option("--to", help="version compared; the newest")] = None,
    corpus: Corpus = None,
    high_only: Annotated[bool, typer.Option("--high-only", help="leave the others out")] = False,
    as_json: Json = False,
) -> None:
    """What changed between two versions of a label, HIGH first: the two newest by default."""
    from clinrag_core.pipeline.label_versions import label_diff, set_id_of

    with pipeline_over(corpus) as pipeline:
        _acquire(pipeline, corpus)
        label = set_id_of(pipeline.workspace, set_id)
        found = label_diff(pipeline.workspace, label, old, new)
    if high_only:
        kept = tuple(c for c in found.changes if c.severity == "HIGH")
        found = found.model_copy(update={"changes": kept})
    if as_json:
        typer.echo(found.model_dump_json(indent=1))
    else:
        _show(found)


def _acquire(pipeline: Pipeline, corpus: Path | None) -> None:
    """Read a folder's labels into the temporary workspace."""
    if corpus is not None:
        for key in pipeline.keys("label"):
            pipeline.acquire("label", key)


def _show(found: LabelDiff) -> None:
    """Print the differences of two label versions, HIGH first."""
    console.print(
        f"{found.drug}, version {found.old_version} to {found.new_version}: "
        f"{len(found.changes)} sections differ, {found.unchanged} are the same"
    )
    for name, (before, after) in found.header.items():
        console.print(f"  {name}: {before or '-'} → {after or '-'}", markup=False, highlight=False)
    for change in found.changes:
        console.print(_heading(change))
        for edit in change.edits[:SHOWN_EDITS]:
            line = Text("    … ")
            line.append(f"{edit.before} ")
            line.append(f"[-{_short(edit.removed)}-] " if edit.removed else "", style="red")
            line.append(f"{{+{_short(edit.added)}+}} " if edit.added else "", style="green")
            line.append(f"{edit.after} …")
            console.print(line, highlight=False)
        if len(change.edits) > SHOWN_EDITS:
            console.print(f"    and {len(change.edits) - SHOWN_EDITS} more", style="dim")


def _short(text: str) -> str:
    words = text.split()
    if len(words) <= SHOWN_WORDS:
        return text
    return f"{' '.join(words[:SHOWN_WORDS])} … and {len(words) - SHOWN_WORDS} more words"


def _heading(change: SectionChange) -> Text:
    text = Text(f"{change.severity:7}", style=STYLES[change.severity])
    text.append(f"{change.change:8} +{change.words_added} -{change.words_removed} words  ")
    text.append(" › ".join(change.path))
    return text
