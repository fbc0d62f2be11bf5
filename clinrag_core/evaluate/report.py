"""A report as data: verdict, tables, charts, figures, checks and metrics.

Written once by a stage and stored; `render_html`, `render_markdown` and `render_console` show the
same record on a page, in Dagster's UI and in a terminal. Contains no text of a user.
"""

from __future__ import annotations

import base64
import io
import math
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from clinrag_core.evaluate.bar_chart import Bar
from clinrag_core.evaluate.evaluation import EvaluatedBases
from clinrag_core.model.base import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from matplotlib.figure import Figure

ReportState = Literal["passed", "failed", "warning"]
Cell = str | int | float | None
MAX_FIGURE_BYTES = 60_000
"""Dagster's event log keeps every picture twice."""
DPI = 80
SMALLER = 0.8
"""Of its dots an inch, those that a picture over `MAX_FIGURE_BYTES` keeps with each try."""


class TableBlock(Record):
    """A table of a report."""

    kind: Literal["table"] = "table"
    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    failed: tuple[int, ...] = ()
    """Numbers of the rows, from 0, to highlight."""
    page_only: bool = False
    """Whether only the HTML page shows it."""
    page_columns: tuple[str, ...] = ()
    """Columns that only the HTML page shows: texts of the benchmark's questions."""


class BarBlock(Record):
    """A bar chart of a report, small enough for a line of Markdown."""

    kind: Literal["bars"] = "bars"
    name: str
    title: str
    bars: tuple[Bar, ...]
    form: str = "{:.3f}"
    """Format of a value."""


class FigureBlock(Record):
    """A figure of a report."""

    kind: Literal["figure"] = "figure"
    name: str
    title: str
    png: str
    """The picture as base64."""


Block = Annotated[TableBlock | BarBlock | FigureBlock, Field(discriminator="kind")]


class ReportCheck(Record):
    """A check of a report; a release needs every gate to pass."""

    name: str
    passed: bool
    gate: bool
    description: str
    figures: dict[str, float | int | str] = Field(default_factory=dict)


class Report(Record):
    """The report of one stage."""

    name: str
    """The stage that wrote it."""
    title: str
    state: ReportState
    verdict: str
    facts: dict[str, str] = Field(default_factory=dict)
    blocks: tuple[Block, ...]
    checks: tuple[ReportCheck, ...]
    metrics: dict[str, float]
    """Flat figures by path, as `retrieval/labels/default/test/ndcg_at_10`."""
    trends: tuple[str, ...]
    """The metrics worth following over time, six at most."""


class EvaluationReport(Report):
    """The report of a stage of the evaluation."""

    evaluated: EvaluatedBases
    failed: tuple[str, ...] = ()
    """Gated metrics and limits that fail."""


def cell_text(value: object) -> str:
    """Return a cell as all renderers show it: three decimals; a dash for None, NaN, infinity."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def table_block(
    name: str,
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    failed: Iterable[int] = (),
    page_only: bool = False,
    page_columns: Sequence[str] = (),
) -> TableBlock:
    """Return a table of strings, numbers and None; numbers that are not finite become None."""
    return TableBlock(
        name=name,
        title=title,
        columns=tuple(columns),
        rows=tuple(tuple(_cell(value) for value in row) for row in rows),
        failed=tuple(failed),
        page_only=page_only,
        page_columns=tuple(page_columns),
    )


def _cell(value: object) -> Cell:
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    item = getattr(value, "item", None)  # a scalar of numpy
    return _cell(item()) if item is not None else None


def figure_block(name: str, title: str, figure: Figure) -> FigureBlock:
    """Return a figure as PNG of at most `MAX_FIGURE_BYTES`; equal figures give equal bytes.

    One that is too large is drawn with fewer dots an inch: a picture never stops a release.
    """
    dpi = float(DPI)
    while len(data := _png(figure, dpi)) > MAX_FIGURE_BYTES:
        dpi *= SMALLER
    return FigureBlock(name=name, title=title, png=base64.b64encode(data).decode())


def _png(figure: Figure, dpi: float) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=dpi, metadata={"Software": None})
    return buffer.getvalue()


def finite(prefix: str, values: Mapping[str, float]) -> dict[str, float]:
    """Metrics as `prefix/name`, without those that are not finite."""
    return {
        f"{prefix}/{name}": float(value)
        for name, value in sorted(values.items())
        if math.isfinite(value)
    }
