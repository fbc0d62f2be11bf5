"""`clinrag evaluate`: this project's components on published test sets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from clinrag_core.cli.common import console, errors, guarded
from clinrag_core.settings import load_settings

if TYPE_CHECKING:
    from clinrag_core.build.beir import BeirReport

app = typer.Typer(help="Components on published test sets.", no_args_is_help=True)
SHOWN = ("ndcg_at_10", "recall_at_10", "recall_at_100", "mrr_at_10", "map")


@app.callback()
def evaluate() -> None:
    """Components on published test sets."""


@app.command()
def beir(
    folder: Annotated[Path, typer.Argument(help="corpus.jsonl, queries.jsonl, qrels/*.tsv")],
    split: Annotated[str, typer.Option(help="qrels to score")] = "test",
    as_json: Annotated[bool, typer.Option("--json", help="for machines")] = False,
) -> None:
    """BM25, dense and fused retrieval on a BEIR folder, beside the published figures."""

    def work() -> None:
        from clinrag_core.build.beir import evaluate_beir

        columns = (TextColumn("encoding"), BarColumn(), MofNCompleteColumn())
        with Progress(*columns, console=errors, transient=True) as progress:
            task = progress.add_task("encoding", total=None)
            report = evaluate_beir(
                folder,
                load_settings(),
                split,
                lambda done, total: progress.update(task, completed=done, total=total),
            )
        if as_json:
            typer.echo(report.model_dump_json(indent=1))
        else:
            _show(report)

    guarded(work)


def _show(report: BeirReport) -> None:
    table = Table(title=f"{report.name}, {report.split}: {report.queries} queries")
    for name in ("pipeline", *SHOWN, "published nDCG@10", "difference"):
        table.add_column(name, justify="left" if name == "pipeline" else "right")
    for row in report.rows:
        own = row.metrics["ndcg_at_10"]
        known = ("-", "-")
        if row.published is not None:
            known = (f"{row.published:.3f}", f"{own - row.published:+.4f}")
        table.add_row(row.pipeline, *(f"{row.metrics[m]:.4f}" for m in SHOWN), *known)
    console.print(table)
    console.print(
        f"weighted fusion: BM25 {report.bm25_weight:g}, chosen on {report.weight_chosen_on}"
    )
