"""Metadata as the report surface of the Dagster UI.

Small GFM tables show inline below 1,000 characters, floats become trend charts, plots are PNG data
URIs. Only ids, counts and scores ever go here: no question, note or answer text.
"""

import base64
import io
import math
import urllib.parse
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import dagster as dg
from clinrag_core.evaluate.glance import Bar, bar_chart

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAX_PLOT_BYTES = 60_000
INLINE_CHARACTERS = 1_000
MAX_TABLE_ROWS = 25

Cell = str | int | float | None
OWNERS = ["team:clinrag"]


def scores(prefix: str, values: Mapping[str, float]) -> dict[str, dg.FloatMetadataValue]:
    """Finite floats as `prefix/name`, so that trend charts group by prefix."""
    return {
        f"{prefix}/{name}": dg.MetadataValue.float(float(value))
        for name, value in sorted(values.items())
        if math.isfinite(value)
    }


def markdown_table(
    columns: Sequence[str], rows: Iterable[Sequence[Cell]]
) -> dg.MarkdownMetadataValue:
    """A GFM table; keep it under 1,000 characters and the UI shows it inline."""
    lines = ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
    lines += ["| " + " | ".join(_cell(value) for value in row) + " |" for row in rows]
    return dg.MetadataValue.md("\n".join(lines))


def _cell(value: Cell) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.3f}" if math.isfinite(value) else "-"
    return str(value).replace("|", "\\|")


def table(rows: Sequence[Mapping[Any, Cell]]) -> dg.TableMetadataValue:
    """A table of flat records, at most 25 rows."""
    records = [dg.TableRecord(dict(row)) for row in rows[:MAX_TABLE_ROWS]]
    columns = [dg.TableColumn(name, _column_type(rows, name)) for name in (rows[0] if rows else {})]
    return dg.MetadataValue.table(records, schema=dg.TableSchema(columns=columns))


def _column_type(rows: Sequence[Mapping[Any, Cell]], name: str) -> str:
    kinds = {type(row[name]) for row in rows if row[name] is not None}
    if kinds == {int}:
        return "int"
    return "float" if kinds == {float} else "string"


def glance(bars: Sequence[Bar], alt: str, form: str = "{:.3f}") -> dg.MarkdownMetadataValue:
    """A bar chart short enough for the UI to show at once where it has about six bars."""
    address = urllib.parse.quote(bar_chart(bars, form), safe=" ='/:(),-")
    return dg.MetadataValue.md(f"![{alt}](<data:image/svg+xml,{address}>)")


def plot(figure: "Figure", alt: str) -> dg.MarkdownMetadataValue:
    """A figure as a PNG data URI.

    Raises:
        ValueError: it is over 60 kB; the event log keeps every picture twice.
    """
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=80, bbox_inches="tight")
    data = buffer.getvalue()
    if len(data) > MAX_PLOT_BYTES:
        raise ValueError(f"plot {alt!r} has {len(data)} bytes, at most {MAX_PLOT_BYTES} are kept")
    encoded = base64.b64encode(data).decode()
    return dg.MetadataValue.md(f"![{alt}](data:image/png;base64,{encoded})")
