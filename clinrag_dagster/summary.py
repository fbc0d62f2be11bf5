"""What `make run` prints at its end: documents, scores, answers, and where to look next."""

import math

from clinrag_core.evaluate.frames import score_frame
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from clinrag_core.errors import ClinragError
from clinrag_core.evaluate.answer_metrics import answer_metrics
from clinrag_core.evaluate.report import VERDICT_COLUMNS, verdict_row
from clinrag_core.index.release import ReleaseStore
from clinrag_core.pipeline.evaluate import CandidateEvaluation
from clinrag_core.pipeline.pipeline import KINDS, Pipeline
from clinrag_core.pipeline.reports import report_path, write_report

COLUMNS = {
    "recall_at_5": "R@5",
    "recall_at_10": "R@10",
    "recall_at_100": "R@100",
    "precision_at_5": "P@5",
    "ndcg_at_10": "nDCG@10",
    "mrr_at_10": "MRR@10",
    "map": "MAP",
    "hit_rate_at_5": "hit@5",
}


def _number(value: float) -> str:
    return f"{value:.3f}" if math.isfinite(value) else "-"


def _documents(pipeline: Pipeline) -> Table:
    table = Table(title="Documents")
    for name in ("", "partitions", "documents", "quarantined", "sections", "words", "chunks"):
        table.add_column(name, justify="right" if name else "left")
    for kind in KINDS:
        keys = pipeline.keys(kind)
        parsed = [p for key in keys if (p := pipeline.partition(kind, key).parsed())]
        documents = [document for record in parsed for document in record.documents]
        corpus = pipeline.corpus(kind)
        table.add_row(
            f"{kind}s",
            str(len(keys)),
            str(len(documents)),
            str(sum(len(record.failures) for record in parsed)),
            str(sum(len(document.sections) for document in documents)),
            str(sum(document.words for document in documents)),
            str(corpus.chunks),
        )
    return table


def _quarantine(pipeline: Pipeline) -> Table | None:
    table = Table(title="Quarantine: not used, with the reason")
    for name in ("partition", "reason"):
        table.add_column(name, overflow="fold")
    for kind in KINDS:
        for key in pipeline.keys(kind):
            parsed = pipeline.partition(kind, key).parsed()
            for failure in parsed.failures if parsed else ():
                kept = ""
                if parsed and parsed.kept:
                    kept = "; the last good version is still used"
                table.add_row(key, escape(f"{failure.reason}{kept}"))
    return table if table.row_count else None


def _verdicts(evaluation: CandidateEvaluation) -> Table:
    table = Table(title="Gates")
    for name in VERDICT_COLUMNS:
        table.add_column(name, justify="left" if name in ("metric", "verdict") else "right")
    for verdict in evaluation.verdicts():
        cells = [
            _number(c) if isinstance(c, float) else str(c or "-") for c in verdict_row(verdict)
        ]
        table.add_row(*cells, style=None if verdict.passed else "red")
    for limit in evaluation.limits():
        value = _number(limit.value) if limit.value is not None else "-"
        bound = f"{'≥' if limit.at_least else '≤'} {limit.limit:g}"
        state = "holds" if limit.passed else "broken"
        style = None if limit.passed else "red"
        table.add_row(limit.name, bound, value, "-", "-", str(limit.n), state, style=style)
    return table


def print_stopped(pipeline: Pipeline, console: Console) -> None:
    """Print what can be said of a run that was stopped: tables, gates, its report."""
    try:
        evaluation = CandidateEvaluation(pipeline)
        _print_tables(evaluation, console)
        console.print(f"report: {write_report(evaluation)}")
    except ClinragError:
        return  # it was stopped before there was anything to evaluate; the reason is printed next
    pointer = ReleaseStore(pipeline.workspace.releases).pointer()
    served = f"release {pointer.release} is still served" if pointer else "nothing is served yet"
    console.print(served)


def print_summary(pipeline: Pipeline, console: Console) -> None:
    """Print the tables, what is served, and the next steps."""
    evaluation = CandidateEvaluation(pipeline)
    _print_tables(evaluation, console)
    release = ReleaseStore(pipeline.workspace.releases).current()
    console.print(f"serving release [bold]{release.id}[/bold] from {pipeline.workspace.releases}")
    console.print(f"report: {report_path(evaluation)}")
    console.print("next: `make ui` opens the graph in Dagster on 127.0.0.1:3000;")
    console.print(
        '      `.venv/bin/clinrag ask "What is the dose of rifampin?"` answers from the release'
    )


def _print_tables(evaluation: CandidateEvaluation, console: Console) -> None:
    console.print(_documents(evaluation.pipeline))
    if (quarantine := _quarantine(evaluation.pipeline)) is not None:
        console.print(quarantine)
    console.print(_scores(evaluation))
    judgements = evaluation.retrieval().judgements
    asked = len(judgements.relevant) + len(judgements.unjudged)
    console.print(
        f"this corpus can judge {len(judgements.relevant)} of {asked} questions to answer; "
        f"{len(judgements.answerable)} questions to refuse are answerable here and left out"
    )
    console.print(_answers(evaluation))
    console.print(_verdicts(evaluation))


def _scores(evaluation: CandidateEvaluation) -> Table:
    table = Table(title="Retrieval (only the test split may be quoted)")
    for name in ("questions on", "split", "pipeline", "n", *COLUMNS.values()):
        table.add_column(name, justify="left" if name in ("questions on", "pipeline") else "right")
    for row in score_frame(evaluation.retrieval().scores).to_dict("records"):
        values = [_number(float(row[name])) for name in COLUMNS]
        names = (str(row[name]) for name in ("slice", "split", "pipeline", "questions"))
        table.add_row(*names, *values)
    return table


def _answers(evaluation: CandidateEvaluation) -> Table:
    table = Table(title="Answers")
    for name in ("split", "judged", "answered", "supported", "refused rightly", "valid citations"):
        table.add_column(name, justify="right" if name != "split" else "left")
    for split in ("dev", "test"):
        m = answer_metrics([a for a in evaluation.answers() if a.split == split])
        names = ("answered", "supported", "refused", "citation_validity")
        table.add_row(split, str(int(m["questions"])), *(_number(m[name]) for name in names))
    return table
