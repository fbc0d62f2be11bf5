"""Metadata as Dagster's UI shows it.

The UI draws a chart for every number, shows Markdown inline only below 1,000 characters and keeps
two copies of everything. So numbers are the few that are worth following over time, tables and
figures come from reports, and no question, note or answer text is ever written here.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import dagster as dg

from clinrag_core.evaluate.render_markdown import (
    block_markdown,
    markdown_table,
    overview_markdown,
    report_markdown,
)
from clinrag_core.evaluate.report import BarBlock, Cell, Report, ReportCheck

MAX_TABLE_ROWS = 25
"""The UI draws every row at once; the HTML page has the rest."""
MAX_TRENDS = 6
"""Charts per asset that are visible without scrolling at 1,280 px."""
OWNERS = ["team:clinrag"]


def stored(
    digest: str,
    metadata: Mapping[str, dg.MetadataValue | str | int | float],
    check_results: Sequence[dg.AssetCheckResult] = (),
) -> dg.MaterializeResult:
    """Return the result of a stage; the release compares its digest with the stored output's."""
    return dg.MaterializeResult(
        data_version=dg.DataVersion(digest),
        metadata={**metadata, "digest": digest},
        check_results=check_results,
    )


def summary(columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> dg.MarkdownMetadataValue:
    """Return a Markdown table; keep it under 1,000 characters and the UI shows it inline."""
    return dg.MetadataValue.md(markdown_table(columns, rows))


def table(rows: Sequence[Mapping[Any, Cell]]) -> dg.TableMetadataValue:
    """Return a table of flat records, at most 25 rows."""
    records = [dg.TableRecord(dict(row)) for row in rows[:MAX_TABLE_ROWS]]
    columns = [dg.TableColumn(name, _column_type(rows, name)) for name in (rows[0] if rows else {})]
    return dg.MetadataValue.table(records, schema=dg.TableSchema(columns=columns))


def _column_type(rows: Sequence[Mapping[Any, Cell]], name: str) -> str:
    kinds = {type(row[name]) for row in rows if row[name] is not None}
    if kinds == {int}:
        return "int"
    return "float" if kinds == {float} else "string"


def trends(values: Mapping[str, float]) -> dict[str, dg.FloatMetadataValue]:
    """Return the figures that the UI charts over time.

    Raises:
        ValueError: there are more than six.
    """
    if len(values) > MAX_TRENDS:
        raise ValueError(f"{len(values)} trends, at most {MAX_TRENDS} can be read")
    return {name: dg.MetadataValue.float(float(value)) for name, value in values.items()}


def counts(**values: int | str | float) -> dict[str, dg.TextMetadataValue]:
    """Return figures that describe one materialisation and are not worth a chart."""
    return {
        name: dg.MetadataValue.text(f"{value:,}" if isinstance(value, int) else str(value))
        for name, value in values.items()
    }


def report_metadata(report: Report) -> dict[str, dg.MetadataValue]:
    """Return a report as metadata: its state, an overview, the whole report and its trends.

    The asset page leaves 215 pixels for a value at 1,280 px and cuts off the rest, so only what
    fits is inline; the report is over 1,000 characters and opens in a dialog of 760 pixels.
    """
    bars = [block for block in report.blocks if isinstance(block, BarBlock)]
    return {
        "verdict": dg.MetadataValue.md(overview_markdown(report)),
        **{block.name: dg.MetadataValue.md(block_markdown(block)) for block in bars},
        "report": dg.MetadataValue.md(report_markdown(report)),
        **trends({_short(name): round(report.metrics[name], 4) for name in report.trends}),
    }


def _short(metric: str) -> str:
    """Return a metric's name without its report and split, so that it fits into 300 pixels."""
    return "/".join(part for part in metric.split("/")[1:] if part != "test")


def check_result(check: ReportCheck) -> dg.AssetCheckResult:
    """Return a check of a report; a check that is not a gate only warns."""
    return dg.AssetCheckResult(
        check_name=check.name,
        passed=check.passed,
        severity=dg.AssetCheckSeverity.ERROR if check.gate else dg.AssetCheckSeverity.WARN,
        description=check.description,
        metadata=dict(check.figures),
    )
