"""One self-contained HTML page: tables and plots inside, no script, nothing fetched.

Readable on light and dark; all text is escaped here and nowhere else.
"""

from __future__ import annotations

import base64
import html
import io
import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.figure import Figure

_STYLE = """
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .7rem; border-bottom: 1px solid #8884; text-align: right; }
th:first-child, td:first-child { text-align: left; }
div { overflow-x: auto; }
.passed { color: #2e8b57; } .failed { color: #c8553d; font-weight: 600; }
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


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; every cell is escaped, floats have three decimals, None is a dash."""
    head = "".join(f"<th>{html.escape(name)}</th>" for name in columns)
    lines = ["".join(f"<td>{_cell(value)}</td>" for value in row) for row in rows]
    body = "\n".join(f"<tr>{line}</tr>" for line in lines)
    return f"<div><table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>"


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3f}" if math.isfinite(value) else "-"
    return "-" if value is None else html.escape(str(value))


def state(text: str, *, passed: bool) -> str:
    """One line that says at a glance whether all is well."""
    kind = "passed" if passed else "failed"
    return f'<p class="{kind}">{html.escape(text)}</p>'


def link(address: str, text: str) -> str:
    """A link to another page of the same folder."""
    return f'<p><a href="{html.escape(address, quote=True)}">{html.escape(text)}</a></p>'


def image(figure: Figure, alt: str) -> str:
    """A figure as a PNG inside the page; equal figures give equal bytes."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110, metadata={"Software": None})
    data = base64.b64encode(buffer.getvalue()).decode()
    return f'<p><img alt="{html.escape(alt)}" src="data:image/png;base64,{data}"></p>'
