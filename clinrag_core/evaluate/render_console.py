"""Renders reports as tables of a terminal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table as ConsoleTable

from clinrag_core.evaluate.report import TableBlock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from clinrag_core.evaluate.report import Cell, Report, ReportState

STYLES: dict[ReportState, str] = {"passed": "green", "failed": "red", "warning": "yellow"}


def print_report(report: Report, console: Console, *, names: tuple[str, ...] | None = None) -> None:
    """Print a report: its verdict, facts and tables.

    Args:
        report: the report.
        console: where to.
        names: blocks to print; all tables that are not for the page alone by default.
    """
    head = f"[bold]{escape(report.title)}[/bold]: {escape(report.verdict)}"
    console.print(head, style=STYLES[report.state], highlight=False)
    for name, fact in report.facts.items():
        console.print(f"{name}: {fact}", markup=False, highlight=False)
    for table in report_tables(report, names):
        console.print(table)


def report_tables(report: Report, names: tuple[str, ...] | None = None) -> Iterator[ConsoleTable]:
    """The tables of a report, numbers aligned right, failed rows in red."""
    for block in report.blocks:
        if not isinstance(block, TableBlock):
            continue
        if block.name in names if names is not None else not block.page_only:
            yield console_table(block)


def console_table(block: TableBlock) -> ConsoleTable:
    """One table."""
    table = ConsoleTable(title=escape(block.title), title_justify="left")
    for at, name in enumerate(block.columns):
        words = any(isinstance(row[at], str) for row in block.rows)
        table.add_column(name, justify="left" if words else "right", overflow="fold")
    for number, row in enumerate(block.rows):
        style = "red" if number in block.failed else None
        table.add_row(*(escape(_text(value)) for value in row), style=style)
    return table


def _text(value: Cell) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.3f}" if math.isfinite(value) else "-"
    return str(value)
