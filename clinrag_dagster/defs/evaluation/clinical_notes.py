"""A folder of clinical notes through the summaries and plans that the service makes.

Figures alone: no text, no file name and no item of a note becomes metadata or a log line.
"""

import logging

import dagster as dg

from clinrag_core.errors import NoteError
from clinrag_core.notes.folder import COVERAGE, NoteFigures, evaluate_notes
from clinrag_core.notes.summarise import NoteSummariser
from clinrag_dagster.metadata import OWNERS, summary, trends
from clinrag_dagster.resources import ClinragResource

logger = logging.getLogger(__name__)
NAME = "notes_report"


def _check(figures: NoteFigures) -> dg.AssetCheckResult:
    """Return the gate: every note read, every citation valid and exact, enough cited."""
    problems = {
        "notes failed": figures.failed,
        "invalid citations": sum(figures.invalid.values()),
        "inexact quotes": figures.inexact,
    }
    said = [f"{count} {what}" for what, count in problems.items() if count]
    if figures.coverage < COVERAGE:
        said.append(f"coverage {figures.coverage:.3f}, at least {COVERAGE}")
    return dg.AssetCheckResult(
        check_name="notes_citations_valid",
        passed=figures.passed,
        description="; ".join(said) or f"{figures.items} items of {figures.notes} notes",
        metadata={"items": figures.items, "coverage": figures.coverage},
    )


@dg.asset(
    group_name="clinical_notes",
    kinds={"python"},
    owners=OWNERS,
    code_version="1",
    check_specs=[dg.AssetCheckSpec("notes_citations_valid", asset=NAME)],
)
def notes_report(clinrag: ClinragResource) -> dg.MaterializeResult:
    """Citations, coverage and time of every note in the folder `notes.folder`."""
    settings = clinrag.pipeline().settings
    if settings.notes.folder is None:
        raise dg.Failure("set notes.folder to a folder of clinical notes", allow_retries=False)

    def report(done: int, total: int) -> None:
        logger.info("summarised %d of %d notes", done, total)

    try:
        figures = evaluate_notes(
            settings.notes.folder,
            NoteSummariser(settings),
            settings.notes.max_characters,
            report,
        )
    except NoteError as error:
        raise dg.Failure(str(error), allow_retries=False) from error
    counted = {**figures.invalid, **figures.dropped, **figures.failures}
    return dg.MaterializeResult(
        metadata={
            "summary": summary(
                ("figure", "value"),
                [
                    ("notes", figures.notes),
                    ("failed", figures.failed),
                    ("items", figures.items),
                    ("recommendations", figures.recommendations),
                    ("coverage", figures.coverage),
                    *counted.items(),
                ],
            ),
            **trends(
                {
                    "coverage": figures.coverage,
                    "milliseconds/median": figures.milliseconds["median"],
                    "milliseconds/p95": figures.milliseconds["p95"],
                }
            ),
        },
        check_results=[_check(figures)],
    )
