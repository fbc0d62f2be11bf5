"""Published test sets through this project's tokeniser, indexes, fusion and metrics.

A figure that differs from the published one shows a broken component before users see it.
"""

import logging

import dagster as dg

from clinrag_core.pipeline.beir import BeirReport, beir_folders, evaluate_beir
from clinrag_dagster.metadata import MAX_TRENDS, OWNERS, summary, table, trends
from clinrag_dagster.resources import ClinragResource

logger = logging.getLogger(__name__)
NAME = "external_benchmarks"
TOLERANCE = 0.005
"""Of nDCG@10. Ties and rounding of other implementations move it by .001 to .002 here; a lost stop
list moves it by .01 and more."""


def _rows(reports: list[BeirReport]) -> list[tuple[str | float | int | None, ...]]:
    """One row per pipeline and metric, with the published figure where there is one."""
    return [
        (
            report.name,
            row.pipeline,
            report.queries,
            row.metrics["ndcg_at_10"],
            row.published,
            None if row.published is None else row.metrics["ndcg_at_10"] - row.published,
        )
        for report in reports
        for row in report.rows
    ]


def _check(reports: list[BeirReport]) -> dg.AssetCheckResult:
    """Return the check that every figure is as published."""
    known = [(r, row) for r in reports for row in r.rows if row.published is not None]
    off = [
        f"{r.name}, {row.pipeline}: {row.metrics['ndcg_at_10']:.4f}, published {row.published}"
        for r, row in known
        if abs(row.metrics["ndcg_at_10"] - (row.published or 0.0)) > TOLERANCE
    ]
    return dg.AssetCheckResult(
        check_name="as_published",
        passed=bool(known) and not off,
        description="; ".join(off)
        or (f"{len(known)} figures as published" if known else "no published figure to compare"),
        metadata={"compared": len(known), "off": len(off), "tolerance": TOLERANCE},
    )


@dg.asset(
    group_name=NAME,
    kinds={"python"},
    owners=OWNERS,
    code_version="1",
    check_specs=[dg.AssetCheckSpec("as_published", asset=NAME)],
)
def external_benchmarks(clinrag: ClinragResource) -> dg.MaterializeResult:
    """Every BEIR folder under `$CLINRAG_BENCH`, with the published figures with their source."""
    settings = clinrag.pipeline().settings
    if settings.external_benchmarks is None:
        raise dg.Failure(
            "set CLINRAG_BENCH to a folder that contains BEIR folders", allow_retries=False
        )

    def report(done: int, total: int) -> None:
        logger.info("encoded %d of %d documents", done, total)

    reports: list[BeirReport] = []
    for folder in beir_folders(settings.external_benchmarks):
        logger.info("evaluating %s", folder.name)
        reports.append(evaluate_beir(folder, settings, on_progress=report))
    figures = {
        f"{r.name}/{row.pipeline}/ndcg_at_10": row.metrics["ndcg_at_10"]
        for r in reports
        for row in r.rows
        if row.published is not None
    }
    sources = [
        {"set": r.name, "pipeline": row.pipeline, "source": row.source}
        for r in reports
        for row in r.rows
        if row.source is not None
    ]
    return dg.MaterializeResult(
        metadata={
            "summary": summary(
                ("set", "pipeline", "n", "nDCG@10", "published", "difference"), _rows(reports)
            ),
            "sources": table(sources),
            **trends(dict(list(figures.items())[:MAX_TRENDS])),
        },
        check_results=[_check(reports)],
    )
