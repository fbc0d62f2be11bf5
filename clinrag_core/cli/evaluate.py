"""`clinrag evaluate`: components on published test sets, a release on a corpus's questions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from clinrag_core.cli.common import Json, console, echo_json, errors, progress_bar
from clinrag_core.settings import load_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.evaluate.benchmark import Split
    from clinrag_core.evaluate.gate_rates import GateRates, Survivor
    from clinrag_core.evaluate.nugget_figures import NuggetFigure
    from clinrag_core.pipeline.beir import BeirReport
    from clinrag_core.pipeline.corpus_questions import QuestionsReport
    from clinrag_core.pipeline.nugget_questions import NuggetReport

app = typer.Typer(help="Published test sets, and your questions.", no_args_is_help=True)
SHOWN = ("ndcg_at_10", "recall_at_10", "recall_at_100", "mrr_at_10", "map")


@app.command()
def beir(
    folder: Annotated[Path, typer.Argument(help="corpus.jsonl, queries.jsonl, qrels/*.tsv")],
    split: Annotated[str, typer.Option(help="qrels to score")] = "test",
    as_json: Json = False,
) -> None:
    """BM25, dense and fused retrieval on a BEIR folder, with the published figures."""
    from clinrag_core.pipeline.beir import evaluate_beir

    with progress_bar() as progress:
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


@app.command()
def notes(
    folder: Annotated[Path, typer.Argument(help="clinical notes: .txt, .md, .pdf")],
    as_json: Json = False,
) -> None:
    """Citations, coverage and time of the summaries and plans of a folder of clinical notes.

    Exits with 1 where a note fails, a citation is wrong or too little is cited.
    """
    from clinrag_core.notes.folder import evaluate_notes
    from clinrag_core.notes.summarise import NoteSummariser

    settings = load_settings()
    with progress_bar() as progress:
        task = progress.add_task("notes", total=None)
        figures = evaluate_notes(
            folder,
            NoteSummariser(settings),
            settings.notes.max_characters,
            lambda done, total: progress.update(task, completed=done, total=total),
        )
    if as_json:
        typer.echo(figures.model_dump_json(indent=1))
    else:
        for name, value in figures.model_dump().items():
            console.print(f"{name.replace('_', ' ')}: {value}", highlight=False)
    if not figures.passed:
        raise typer.Exit(1)


@app.command()
def safety(
    scifact: Annotated[
        Path | None, typer.Option(help="also the claims of SciFact's original release")
    ] = None,
    pairs: Annotated[
        int | None,
        typer.Option(min=1, help="ask so many questions on drugs and pairs, and store nothing"),
    ] = None,
    survivors: Annotated[bool, typer.Option(help="show mutants that passed")] = False,
    as_json: Json = False,
) -> None:
    """Gates against mutated claims and paraphrases, drugs against drugs, on the candidates."""
    from clinrag_core.evaluate.gate_rates import measure_gates
    from clinrag_core.evaluate.render_console import console_table, print_report
    from clinrag_core.evaluate.reports.safety import rates_table
    from clinrag_core.evaluate.safety import scifact_samples
    from clinrag_core.pipeline.candidates import answer_engine, read_candidates
    from clinrag_core.pipeline.pipeline import Pipeline
    from clinrag_core.pipeline.reports import make_safety_report, sample_safety

    pipeline = Pipeline(load_settings())

    def say(what: str) -> None:
        errors.print(f"[dim]{what}[/dim]")

    if pairs is None:
        report = make_safety_report(pipeline, say)
    else:
        report = sample_safety(pipeline, pairs, say)
    external: GateRates | None = None
    left: list[Survivor] = []
    if scifact is not None:
        thresholds = pipeline.thresholds.read().value
        engine = answer_engine(pipeline, read_candidates(pipeline), thresholds)
        external, left = measure_gates(scifact_samples(scifact), engine.gates, engine.drugs)
    if as_json:
        rates = external.model_dump() if external is not None else None
        typer.echo(json.dumps({"safety": report.metrics, "scifact": rates}, indent=1))
        return
    print_report(report, console)
    if external is not None:
        console.print(console_table(rates_table("scifact", "SciFact", external)))
    if survivors:
        for survivor in left:
            console.print(f"{survivor.kind}: {survivor.text}", markup=False)


@app.command()
def claims(
    table: Annotated[
        Path, typer.Argument(help="tab-separated; columns evidence, claim and optionally kind")
    ],
    show: Annotated[bool, typer.Option("--show", help="every claim, with why")] = False,
    as_json: Json = False,
) -> None:
    """The claim gates on claims of yours: what is rejected, per kind, and why."""
    from clinrag_core.answer.gates.registry import build_gates
    from clinrag_core.evaluate.claim_checks import check_pairs, count_checked
    from clinrag_core.evaluate.ruler.tables import read_pairs
    from clinrag_core.facts.drugs import DrugLexicon

    checked = check_pairs(read_pairs(table), build_gates(load_settings().answer), DrugLexicon())
    counts = count_checked(checked)
    if as_json:
        typer.echo(counts.model_dump_json(indent=1))
        return
    shown = Table("kind", "rejected", "of", "why")
    for name, kind in counts.kinds.items():
        why = ", ".join(f"{code} {count}" for code, count in kind.why.items())
        shown.add_row(name, str(kind.rejected), str(kind.of), why)
    console.print(shown, markup=False, highlight=False)
    console.print(f"{counts.rejected} of {counts.of} rejected", highlight=False)
    for one in checked if show else ():
        why = "; ".join(one.why) or "passed"
        console.print(f"{one.pair.kind}: {one.pair.claim}\n  {why}", markup=False, highlight=False)


@app.command()
def questions(
    corpus: Annotated[
        Path | None,
        typer.Argument(help="folder with a questions.toml; the profile's corpus by default"),
    ] = None,
    as_json: Json = False,
) -> None:
    """Check the questions of a corpus, and show how the served release does on them.

    Exits with 2 where a question cannot be judged.
    """
    from clinrag_core.pipeline.corpus_questions import evaluate_questions

    settings = load_settings()
    manifest = settings.corpus.manifest
    folder = corpus or (manifest if manifest.is_dir() else manifest.parent)
    report = evaluate_questions(settings, folder)
    if as_json:
        typer.echo(report.model_dump_json(indent=1))
    else:
        _show_questions(report)
    if any(question.problems for question in report.questions):
        raise typer.Exit(2)


def _show_questions(report: QuestionsReport) -> None:
    """Print one row per question, the figures, and what cannot be judged."""
    table = Table("question", "split", "to", "relevant", "first rank", "answer", "cites relevant")
    for q in report.questions:
        rank = str(q.best_rank or "-")
        cites = ("yes" if q.cites_relevant else "no") if q.relevant else "-"
        table.add_row(q.id, q.split, q.expect, str(q.relevant), rank, q.status, cites)
    console.print(table, markup=False, highlight=False)
    for name, value in report.figures.items():
        shown = "not judged" if value is None else f"{value:.3f}"
        console.print(f"{name}: {shown} (n = {report.counts[name]})", highlight=False)
    console.print(f"release {report.release}", highlight=False)
    for q in report.questions:
        for problem in q.problems:
            errors.print(f"{q.id}: not judged: {problem}", markup=False, highlight=False)


@app.command()
def nuggets(
    split: Annotated[str, typer.Option(help="dev, test or both")] = "dev",
    show: Annotated[bool, typer.Option("--show", help="what is missing or wrong")] = False,
    as_json: Json = False,
) -> None:
    """What the served release's answers hold of the nuggets and traps of the benchmark."""
    from clinrag_core.pipeline.nugget_questions import evaluate_nuggets

    chosen = _split(split)
    with progress_bar() as progress:
        task = progress.add_task("asking", total=None)
        report = evaluate_nuggets(
            load_settings(),
            chosen,
            lambda done, total: progress.update(task, completed=done, total=total),
        )
    if as_json:
        typer.echo(report.model_dump_json(indent=1))
        return
    _show_nuggets(report)
    if show:
        _show_missing(report)


@app.command("pool")
def pool_unjudged(
    out: Annotated[Path, typer.Option(help="table to fill in: grade 0, 1 or 2, and terms")],
    statements: Annotated[
        bool, typer.Option("--statements", help="of the nugget questions, instead of passages")
    ] = False,
    split: Annotated[str, typer.Option(help="of statements: dev, test or both")] = "both",
    as_json: Json = False,
) -> None:
    """The first passages of every pipeline, or statements of every ranking, not judged yet."""
    from clinrag_core.pipeline.pipeline import Pipeline
    from clinrag_core.pipeline.pooling import write_passage_pool, write_statement_pool

    pipeline, chosen = Pipeline(load_settings()), _split(split)
    if not statements:
        _show_count(write_passage_pool(pipeline, out), "passages to judge", out, as_json=as_json)
        return
    with progress_bar() as progress:
        task = progress.add_task("ranking", total=None)
        count = write_statement_pool(
            pipeline,
            out,
            chosen,
            lambda done, total: progress.update(task, completed=done, total=total),
        )
    _show_count(count, "statements to judge", out, as_json=as_json)


@app.command()
def judged(
    table: Annotated[Path, typer.Argument(help="a table of `pool`, filled in")],
    out: Annotated[Path, typer.Option(help="a .tsv in the folder `judged` of the benchmark")],
    as_json: Json = False,
) -> None:
    """Keep the judgements of a filled table, without its texts."""
    from clinrag_core.pipeline.pooling import keep_judged

    _show_count(keep_judged(table, out), "judgements", out, as_json=as_json)


def _show_count(count: int, what: str, out: Path, *, as_json: bool) -> None:
    """Print how many rows were written, and where."""
    if as_json:
        echo_json({"rows": count, "table": out})
    else:
        console.print(f"{count} {what} in {out}")


def _split(name: str) -> Split | None:
    """Return the split that an option names; None is both.

    Raises:
        BadParameter: it names none.
    """
    if name == "both":
        return None
    if name not in ("dev", "test"):
        raise typer.BadParameter("dev, test or both", param_hint="--split")
    return name


def _show_nuggets(report: NuggetReport) -> None:
    """Print the figures of each split, and a row per kind and topic."""
    parts = [name for name in report.figures if "," in name]
    for name, figures in report.figures.items():
        if name not in parts:
            _show_figures(name, figures)
    for name, figures in report.doses.items():
        _show_figures(f"{name}, dose of a drug:", figures)
    columns = ("vital_recall", "complete", "relevant_claims", "wrongly_refused", "traps_said")
    table = Table("part", "n", *(name.replace("_", " ") for name in columns))
    for name in parts:
        values = {figure.name: figure for figure in report.figures[name]}
        shown = [values[c].value for c in columns]
        cells = ["-" if value is None else f"{value:.2f}" for value in shown]
        table.add_row(name, str(values["traps_said"].n), *cells)
    console.print(table)
    console.print(f"release {report.release}", highlight=False)


def _show_figures(name: str, figures: Sequence[NuggetFigure]) -> None:
    """Print one figure a line, with its interval."""
    for figure in figures:
        value = "not judged" if figure.value is None else f"{figure.value:.3f}"
        interval = "" if figure.low is None else f" [{figure.low:.3f}, {figure.high:.3f}]"
        line = f"{name} {figure.name}: {value}{interval} (n = {figure.n})"
        console.print(line, highlight=False)


def _show_missing(report: NuggetReport) -> None:
    """Print each question that is not answered as it should be, with what was said."""
    for question, result in zip(report.questions, report.results, strict=True):
        missing = [
            "; ".join(question.nuggets[n].terms)
            for n in result.counted
            if n not in result.said and question.nuggets[n].vital
        ]
        traps = ["; ".join(question.traps[n].terms) for n in result.traps_said]
        wrong = result.expect == "refuse" and result.answered
        if not (missing or traps or wrong):
            continue
        lines = [f"\n{question.id} ({question.kind}, {question.split}): {question.text}"]
        lines += [f"  missing: {terms}" for terms in missing]
        lines += [f"  trap said: {terms}" for terms in traps]
        lines += ["  must be refused"] if wrong else []
        lines += [f"  {result.status} {result.reason or ''}"] if not result.answered else []
        lines += [f"  said: {' '.join(text.split())}" for text in result.claims]
        console.print("\n".join(lines), markup=False, highlight=False)


def _show(report: BeirReport) -> None:
    """Print a BEIR report with the published figures."""
    table = Table(title=f"{report.name}, {report.split}: {report.queries} queries")
    for name in ("pipeline", *SHOWN, "published nDCG@10", "difference"):
        table.add_column(name, justify="left" if name == "pipeline" else "right")
    for row in report.rows:
        known = ("-", "-")
        if row.published is not None:
            difference = row.metrics["ndcg_at_10"] - row.published
            known = (f"{row.published:.3f}", f"{difference:+.4f}")
        table.add_row(row.pipeline, *(f"{row.metrics[m]:.4f}" for m in SHOWN), *known)
    console.print(table)
    console.print(
        f"weighted fusion: BM25 {report.bm25_weight:g}, chosen on {report.weight_chosen_on}"
    )
