"""One self-contained HTML page: tables and plots inside, no script, nothing fetched.

Readable on light and dark; all text is escaped here and nowhere else.
"""

from __future__ import annotations

import base64
import html
import io
import math
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from matplotlib.figure import Figure

NUMBER = re.compile(r"[+-]?\d")
_STYLE = """
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .7rem; border-bottom: 1px solid #8884; text-align: right; }
th:first-child, td:first-child, .text { text-align: left; }
td:not(.text), td:first-child, th { white-space: nowrap; }
div { overflow-x: auto; }
p.passed, p.failed { padding: .5rem .8rem; border-left: .4rem solid; font-size: 1.15rem; }
.passed { color: #2e8b57; background: #2e8b5718; }
.failed { color: #c8553d; background: #c8553d18; font-weight: 600; }
img { max-width: 100%; background: white; border-radius: 4px; }
"""


def page(title: str, parts: Iterable[str]) -> str:
    """A page with a title and its parts, each HTML already."""
    name = html.escape(title)
    body = "\n".join((f"<h1>{name}</h1>", *parts))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{name}'
        f"</title><style>{_STYLE}</style></head>\n<body>\n{body}\n</body></html>\n"
    )


class Link(NamedTuple):
    """A cell that leads to another page of the same folder."""

    address: str
    text: str


def table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], failed: Collection[int] = ()
) -> str:
    """A table; every cell is escaped, floats have three decimals, None is a dash.

    Args:
        columns: their names.
        rows: cells.
        failed: numbers of the rows, from 0, that stand out.
    """
    head = "".join(f"<th>{html.escape(name)}</th>" for name in columns)
    lines: list[str] = []
    for number, row in enumerate(rows):
        kind = ' class="failed"' if number in failed else ""
        lines.append(f"<tr{kind}>{''.join(_cell(value) for value in row)}</tr>")
    body = "\n".join(lines)
    return f"<div><table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>"


def _cell(value: object) -> str:
    if isinstance(value, Link):
        address, text = html.escape(value.address, quote=True), html.escape(value.text)
        return f'<td class="text"><a href="{address}">{text}</a></td>'
    if isinstance(value, float):
        return f"<td>{value:.3f}</td>" if math.isfinite(value) else "<td>-</td>"
    if value is None:
        return "<td>-</td>"
    words = isinstance(value, str) and not NUMBER.match(value)
    kind = ' class="text"' if words else ""
    return f"<td{kind}>{html.escape(str(value))}</td>"


def state(text: str, *, passed: bool) -> str:
    """One line that says at a glance whether all is well."""
    kind = "passed" if passed else "failed"
    return f'<p class="{kind}">{"✔" if passed else "✘"} {html.escape(text)}</p>'


def image(figure: Figure, alt: str) -> str:
    """A figure as a PNG inside the page; equal figures give equal bytes."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110, metadata={"Software": None})
    data = base64.b64encode(buffer.getvalue()).decode()
    return f'<p><img alt="{html.escape(alt)}" src="data:image/png;base64,{data}"></p>'
