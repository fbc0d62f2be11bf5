"""`clinrag parse`: what the parsers make of a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from clinrag_core.cli.common import console, pipeline_over, progress_bar

app = typer.Typer(help="What the parsers make of a corpus.", no_args_is_help=True)


@app.command()
def audit(
    corpus: Annotated[
        Path | None,
        typer.Argument(help="folder with a corpus.toml; the profile's corpus by default"),
    ] = None,
    report: Annotated[Path | None, typer.Option(help="write the HTML report here")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="for machines")] = False,
) -> None:
    """One row per document: words, sections, headings, running text, what was kept, warnings.

    Exits with 2 where a document has an error-level finding.
    """
    from clinrag_core.evaluate.parse_audit.report import parse_report
    from clinrag_core.evaluate.render_console import print_report
    from clinrag_core.pipeline.parse_audit import make_parse_audit, parse_corpus, parse_page
    from clinrag_core.workspace import write_atomic

    with pipeline_over(corpus) as pipeline, progress_bar() as progress:
        task = progress.add_task("audit", total=None)

        def advance(done: int, total: int, name: str) -> None:
            progress.update(task, completed=done, total=total, description=name[:40])

        parse_corpus(pipeline, advance)
        found = make_parse_audit(pipeline, advance)
    if report is not None:
        write_atomic(report.absolute(), parse_page(found).encode())
    if as_json:
        typer.echo(found.model_dump_json(indent=1))
    else:
        print_report(parse_report(found), console)
    if any(f.severity == "error" for row in found.rows for f in row.findings):
        raise typer.Exit(2)
