"""`clinrag evaluate`: this project's components on published test sets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from clinrag_core.cli.common import console, errors, guarded
from clinrag_core.settings import load_settings

if TYPE_CHECKING:
    from clinrag_core.evaluate.gate_rates import GateRates, Survivor
    from clinrag_core.evaluate.safety import Safety
    from clinrag_core.pipeline.beir import BeirReport

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
        from clinrag_core.pipeline.beir import evaluate_beir

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


@app.command()
def safety(
    scifact: Annotated[
        Path | None, typer.Option(help="also the claims of SciFact's original release")
    ] = None,
    survivors: Annotated[bool, typer.Option(help="show mutants that passed")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="for machines")] = False,
) -> None:
    """Gates against mutated claims and paraphrases, drugs against drugs, on the candidates."""

    def work() -> None:
        from clinrag_core.evaluate.gate_rates import measure_gates
        from clinrag_core.evaluate.scifact import scifact_samples
        from clinrag_core.pipeline.evaluate import CandidateEvaluation
        from clinrag_core.pipeline.pipeline import Pipeline

        evaluation = CandidateEvaluation(Pipeline(load_settings()))
        found = evaluation.safety(lambda what: errors.print(f"[dim]{what}[/dim]"))
        rates = {"answers": found.gates, "paraphrases": found.paraphrased}
        left: list[Survivor] = []
        if scifact is not None:
            engine = evaluation.answer_engine
            samples = scifact_samples(scifact)
            rates["scifact"], left = measure_gates(samples, engine.gates, engine.drugs)
        if as_json:
            typer.echo(json.dumps({"safety": found.metrics(), **_rates(rates)}, indent=1))
            return
        _show_safety(found, rates)
        if survivors:
            for survivor in left:
                console.print(f"{survivor.kind}: {survivor.text}", markup=False)

    guarded(work)


def _rates(rates: dict[str, GateRates]) -> dict[str, object]:
    return {name: rate.model_dump() for name, rate in rates.items()}


def _show_safety(found: Safety, rates: dict[str, GateRates]) -> None:
    for name, rate in rates.items():
        table = Table(title=f"{name}: {rate.mutants} mutants of {rate.claims} true claims")
        for column in ("mutation", "critical", "mutants", "rejected", "rate"):
            table.add_column(column, justify="left" if column == "mutation" else "right")
        for k in rate.kinds:
            critical = "yes" if k.critical else ""
            table.add_row(k.kind, critical, str(k.mutants), str(k.rejected), f"{k.rate:.4f}")
        console.print(table)
        console.print(f"true claims passed: {rate.passed} of {rate.claims}")
    for told in found.paraphrases:
        console.print(f"paraphrases passed, {told.split}: {told.passed} of {told.claims}")
    pairs = found.drug_pairs
    console.print(
        f"{pairs.questions} questions on {pairs.drugs} drugs and their pairs, "
        f"{pairs.answered} answered: {pairs.wrong} passages of another drug"
    )
    console.print(f"citations: {found.citations}, broken: {found.citation_problems}")


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
