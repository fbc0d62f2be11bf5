"""`clinrag parse`: what the parsers make of a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from clinrag_core.cli.common import console, errors, guarded, pipeline_over

if TYPE_CHECKING:
    from clinrag_core.pipeline.parse_audit import ParseAudit

app = typer.Typer(help="What the parsers make of a corpus.", no_args_is_help=True)


@app.callback()
def parse() -> None:
    """What the parsers make of a corpus."""


@app.command()
def audit(
    corpus: Annotated[
        Path | None,
        typer.Argument(help="folder with a corpus.toml; the profile's own corpus by default"),
    ] = None,
    report: Annotated[Path | None, typer.Option(help="write the HTML report here")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="for machines")] = False,
) -> None:
    """One row per document: words, sections, headings, running text, what was kept, warnings.

    Exits with 2 where a document has an error-level finding.
    """

    def work() -> None:
        from clinrag_core.evaluate.parse_audit.report import render_parse_report
        from clinrag_core.pipeline.parse_audit import audit_corpus
        from clinrag_core.workspace import write_atomic

        with pipeline_over(corpus) as pipeline, _progress() as progress:
            task = progress.add_task("audit", total=None)
            found = audit_corpus(
                pipeline,
                lambda done, total, name: progress.update(
                    task, completed=done, total=total, description=name[:40]
                ),
            )
        if report is not None:
            page = render_parse_report(
                found.corpus, found.rows, found.heading_recall, found.not_acquired
            )
            write_atomic(report.absolute(), page.encode())
        if as_json:
            typer.echo(found.model_dump_json(indent=1))
        else:
            _show(found)
        if any(f.severity == "error" for row in found.rows for f in row.findings):
            raise typer.Exit(2)

    guarded(work)


def _progress() -> Progress:
    columns = (TextColumn("{task.description:40}"), BarColumn(), MofNCompleteColumn())
    return Progress(*columns, console=errors, transient=True)


def _show(found: ParseAudit) -> None:
    from clinrag_core.evaluate.parse_audit.report import COLUMNS, audit_row

    table = Table(title=f"Parse audit of {found.corpus}", title_justify="left")
    for name in COLUMNS:
        left = name in ("document", "warnings")
        table.add_column(name, justify="left" if left else "right", overflow="fold")
    parsed = [row for row in found.rows if row.quarantined is None]
    for row in parsed:
        cells = audit_row(row)
        table.add_row(*(_cell(value) for value in cells))
    console.print(table, markup=False)
    for row in found.rows:
        if row.quarantined is not None:
            console.print(f"quarantined  {row.quarantined}", markup=False, highlight=False)
        for finding in row.findings:
            line = f"{finding.severity:8} {row.file}: {finding.message} [{finding.code}]"
            console.print(line, markup=False, highlight=False)
    for reason in found.not_acquired:
        console.print(f"not acquired {reason}", markup=False, highlight=False)
    recall = found.heading_recall
    told = "no outline to compare with" if recall is None else f"heading recall {recall:.3f}"
    words = sum(row.words for row in parsed)
    console.print(
        f"{len(parsed)} documents, {words:,} words, {len(found.rows) - len(parsed)} in quarantine, "
        f"{told}"
    )


def _cell(value: str | int | float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
