"""What `make run` prints at its end: documents, scores, gates, and what to do next."""

import contextlib

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from clinrag_core.errors import MissingInputError
from clinrag_core.evaluate.render_console import print_report
from clinrag_core.index.release import ReleaseStore
from clinrag_core.pipeline.pages import page_output
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.pipeline.stages import KINDS, REPORTS
from clinrag_core.present.lines import answer_text
from clinrag_core.users.answering import open_answering

BLOCKS: dict[str, tuple[str, ...]] = {
    "retrieval_report": ("all_scores", "summary"),
    "answer_report": ("shares", "summary", "limits"),
    "safety_report": ("summary",),
    "latency_report": (),
    "corpus_report": (),
}
"""Report to the tables that are printed; its page has the others."""
EXAMPLE_DRUG = "rifampin"
EXAMPLE_ON_GUIDELINES = "How is tuberculosis treated in adults?"
TRIED_LABELS = 3  # whose example question is asked until one is answered


def _documents(pipeline: Pipeline) -> Table:
    """Return a table of what was parsed and chunked, per kind of document."""
    table = Table(title="Documents")
    for name in ("", "partitions", "documents", "quarantined", "words", "chunks"):
        table.add_column(name, justify="right" if name else "left")
    for kind in KINDS:
        keys = pipeline.keys(kind)
        chunked = [c for key in keys if (c := pipeline.partition(kind, key).chunked())]
        table.add_row(
            f"{kind}s",
            str(len(keys)),
            str(sum(record.documents for record in chunked)),
            str(sum(len(record.failures) for record in chunked)),
            str(sum(record.words for record in chunked)),
            str(sum(record.chunks for record in chunked)),
        )
    return table


def _quarantine(pipeline: Pipeline) -> Table | None:
    """Return a table of the files that are not used, with the reason; None if there are none."""
    table = Table(title="Quarantine: not used, with the reason")
    for name in ("partition", "reason"):
        table.add_column(name, overflow="fold")
    for kind in KINDS:
        for key in pipeline.keys(kind):
            partition = pipeline.partition(kind, key)
            chunked = partition.chunked()
            parsed = partition.parsed() if chunked and chunked.failures else None
            for failure in parsed.failures if parsed else ():
                kept = "; the last good version is still used" if parsed and parsed.kept else ""
                table.add_row(key, escape(f"{failure.reason}{kept}"))
    return table if table.row_count else None


def print_stopped(pipeline: Pipeline, console: Console) -> None:
    """Print what is known of a stopped run: tables, gates, its report, where to read on."""
    # A run may stop before there is anything to report; the reason is printed next.
    with contextlib.suppress(MissingInputError):
        _print_tables(pipeline, console)
    pointer = ReleaseStore(pipeline.workspace.releases).pointer()
    served = f"release {pointer.release} is still served" if pointer else "nothing is served yet"
    console.print(served)
    console.print("what each gate means and what to do: docs/operations.md, When a check fails")


def print_summary(pipeline: Pipeline, console: Console) -> None:
    """Print the tables, what is served, and the next steps.

    Raises:
        ReleaseError: nothing has been released.
    """
    _print_tables(pipeline, console)
    served = ReleaseStore(pipeline.workspace.releases).open()
    release = served.release
    console.print(f"serving release [bold]{release.id}[/bold] from {pipeline.workspace.releases}")
    for warning in _warnings(pipeline):
        console.print(warning, style="yellow", markup=False, highlight=False)
    for notice in served.notices:
        console.print(notice, style="yellow")
    if served.changes:
        console.print(
            f"{len(served.changes)} HIGH change(s) of labels are shown on answers that cite them: "
            "`clinrag release changes`",
            style="yellow",
        )
    _print_example(pipeline, console)
    console.print("next: `.venv/bin/clinrag serve` opens the question page on 127.0.0.1:8000;")
    console.print('      `.venv/bin/clinrag ask "your question"` answers here;', markup=False)
    console.print("      `make ui` opens the graph in Dagster on 127.0.0.1:3000")


def _warnings(pipeline: Pipeline) -> list[str]:
    """Return what the reports warn of without stopping the release."""
    reports = [pipeline.report(name).read().value for name in REPORTS]
    return [
        f"warning: {check.name}: {check.description}"
        for report in reports
        for check in report.checks
        if not (check.passed or check.gate)
    ]


def _print_example(pipeline: Pipeline, console: Console) -> None:
    """Print a question on the corpus with its answer; nothing where none of a few is answered."""
    answering = open_answering(pipeline.settings)
    engine = answering.engine.unaudited()  # nobody has asked
    for question in example_questions(pipeline):
        answer = engine.ask(question)
        if answer.status == "answered":
            console.print(f"\n[bold]{escape(question)}[/bold]", highlight=False)
            console.print(f"{answer_text(answer)}\n", markup=False, highlight=False)
            return


def example_questions(pipeline: Pipeline) -> list[str]:
    """Return questions on the corpus, the one to try first at the beginning.

    Drugs are named as in the manifest: the key of a combination reads like a file name.
    """
    drugs = {entry.key: entry.drug for entry in pipeline.manifest.labels}
    names = [drugs.get(key) or key for key in pipeline.keys("label")]
    labels = [f"What are the contraindications of {name}?" for name in names]
    preferred = [question for question in labels if EXAMPLE_DRUG in question]
    return [*preferred, *labels[:TRIED_LABELS], EXAMPLE_ON_GUIDELINES]


def _print_tables(pipeline: Pipeline, console: Console) -> None:
    console.print(_documents(pipeline))
    if (quarantine := _quarantine(pipeline)) is not None:
        console.print(quarantine)
    for name in REPORTS:
        print_report(pipeline.report(name).read().value, console, names=BLOCKS[name])
    entry = page_output(pipeline.workspace).read().value
    console.print(f"report: {pipeline.workspace.reports / entry.page}")
