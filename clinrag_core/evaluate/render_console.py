"""Renders reports as tables of a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table as ConsoleTable

from clinrag_core.evaluate.report import TableBlock, cell_text

if TYPE_CHECKING:
    from rich.console import Console

    from clinrag_core.evaluate.report import Report, ReportState

STYLES: dict[ReportState, str] = {"passed": "green", "failed": "red", "warning": "yellow"}

SHORT = 12
"""Characters of a word that is not broken over lines, as names of pipelines are."""


def print_report(report: Report, console: Console, *, names: tuple[str, ...] | None = None) -> None:
    """Print a report: its verdict, facts and the named tables.

    Without names, all tables that are not for the page alone.
    """
    head = f"[bold]{escape(report.title)}[/bold]: {escape(report.verdict)}"
    console.print(head, style=STYLES[report.state], highlight=False)
    for name, fact in report.facts.items():
        console.print(f"{name}: {fact}", markup=False, highlight=False)
    for block in report.blocks:
        if isinstance(block, TableBlock) and (
            block.name in names if names is not None else not block.page_only
        ):
            console.print(console_table(block))


def console_table(block: TableBlock) -> ConsoleTable:
    """Return a table with numbers aligned right and failed rows in red."""
    table = ConsoleTable(title=escape(block.title), title_justify="left")
    for at, name in enumerate(block.columns):
        words = [str(row[at]) for row in block.rows if isinstance(row[at], str)]
        whole = bool(words) and all(" " not in word and len(word) <= SHORT for word in words)
        justify = "left" if words else "right"
        table.add_column(name.replace("_", " "), justify=justify, overflow="fold", no_wrap=whole)
    for number, row in enumerate(block.rows):
        style = "red" if number in block.failed else None
        table.add_row(*(escape(cell_text(value)) for value in row), style=style)
    return table
