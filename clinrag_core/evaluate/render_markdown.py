"""Renders reports as GitHub-flavoured Markdown, for the metadata of Dagster's UI.

The UI shows Markdown inline only below 1,000 characters, and clips tables on the right.
"""

from __future__ import annotations

import urllib.parse
from typing import TYPE_CHECKING

from clinrag_core.evaluate.bar_chart import bar_chart
from clinrag_core.evaluate.report import BarBlock, TableBlock, cell_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clinrag_core.evaluate.report import Block, Cell, Report

MARKS = {"passed": "✔ **passed**", "failed": "✘ **STOPPED**", "warning": "✘ **warning**"}


def verdict_markdown(report: Report) -> str:
    """Return the state and the verdict of a report in one line."""
    return f"{MARKS[report.state]}: {report.verdict}"


def overview_markdown(report: Report) -> str:
    """Return the state of a report and what fails, in lines short enough for a narrow column.

    Not as a list: its bullets and their indent push names out of Dagster's column at 1,280 px.
    """
    failed = [check.name for check in report.checks if not check.passed]
    return "\n\n".join([MARKS[report.state], *failed])


def report_markdown(report: Report) -> str:
    """Return a whole report: verdict, facts and every block that is not for the page alone."""
    parts = [verdict_markdown(report)]
    parts += [f"- {name}: {fact}" for name, fact in report.facts.items()]
    for block in report.blocks:
        if not (isinstance(block, TableBlock) and (block.page_only or not block.rows)):
            parts += [f"### {block.title}", block_markdown(block)]
    return "\n\n".join(parts)


def block_markdown(block: Block) -> str:
    """Return one block: a table, a chart as SVG data URI or a figure as PNG data URI.

    Leaves out the columns that only the page shows.
    """
    if isinstance(block, TableBlock):
        shown = [i for i, name in enumerate(block.columns) if name not in block.page_columns]
        rows = (
            [
                f"**✘\u00a0{row[i]}**" if number in block.failed and i == shown[0] else row[i]
                for i in shown
            ]
            for number, row in enumerate(block.rows)
        )
        return markdown_table([block.columns[i] for i in shown], rows)
    if isinstance(block, BarBlock):
        address = urllib.parse.quote(bar_chart(block.bars, block.form), safe=" ='/:(),-")
        return f"![{block.title}](<data:image/svg+xml,{address}>)"
    return f"![{block.title}](data:image/png;base64,{block.png})"


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """Return a GFM table; floats have three decimals, None is a dash."""
    lines = ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
    lines += [
        "| " + " | ".join(cell_text(value).replace("|", "\\|") for value in row) + " |"
        for row in rows
    ]
    return "\n".join(lines)
