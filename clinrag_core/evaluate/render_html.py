"""Renders reports as one self-contained HTML page: no script, nothing fetched.

Readable on light and dark; all text is escaped here and nowhere else.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.evaluate.bar_chart import bar_chart
from clinrag_core.evaluate.report import BarBlock, TableBlock, cell_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from clinrag_core.evaluate.report import Block, Report, ReportState

_NUMBER = re.compile(r"[+-]?\d[\d.,-]*( %| to [+-]?[\d.,]+)?$")
_STYLE = """
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 76rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: break-word; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .5rem; border-bottom: 1px solid #8884; text-align: right; }
th:first-child, td:first-child, .text { text-align: left; }
nav ul { padding-left: 1.2rem; }
nav .jumps { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; }
td:not(.text) { white-space: nowrap; }
td { vertical-align: top; }
.wide { font-size: .8rem; }
.wide th, .wide td { padding: .2rem .35rem; }
div { overflow-x: auto; }
p[class="passed"], p[class="failed"], p[class="warning"] { padding: .5rem .8rem;
  border-left: .4rem solid; font-size: 1.15rem; }
.passed { color: #1f6b43; background: #2e8b5718; }
.failed { color: #a5402a; background: #c8553d18; font-weight: 600; }
.warning { color: #7a5a00; background: #b8860b18; }
img { max-width: 100%; background: white; border-radius: 4px; }
h2 { margin-top: 2.2rem; border-top: 1px solid #8886; padding-top: 1rem; }
article { border: 1px solid #8886; border-radius: .5rem; padding: .3rem 1rem .6rem;
  margin: .8rem 0; }
article h3 { margin: .4rem 0 0; }
article p { margin: .15rem 0; }
.about { font-size: .85rem; opacity: .8; }
dl { display: grid; grid-template-columns: 10rem 1fr; gap: .35rem 1rem; margin: .6rem 0 .2rem; }
dt { font-weight: 600; }
dd { margin: 0; min-width: 0; }
@media (max-width: 45rem) { dl { grid-template-columns: 1fr; } }
@media (prefers-color-scheme: dark) {
  .passed { color: #7fd1a2; } .failed { color: #f0a08f; } .warning { color: #e5c15c; } }
@media print {
  @page { size: A4 landscape; margin: 12mm; }
  body { max-width: none; margin: 0; font-size: 10px; } div { overflow: visible; }
  .wide { font-size: 7px; } article, figure, tr { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
  details::details-content { content-visibility: visible; display: block; } }
"""
WIDE = 9
"""Columns from which a table is set in a smaller type, so that it fits a screen of 1,280."""


def page(title: str, parts: Iterable[str]) -> str:
    """Return a page with a title and its parts, each HTML already."""
    name = html.escape(title)
    body = "\n".join((f"<h1>{name}</h1>", *parts))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{name}'
        f"</title><style>{_STYLE}</style></head>\n<body>\n{body}\n</body></html>\n"
    )


class PageLink(NamedTuple):
    """A cell that links to another page of the same folder."""

    address: str
    text: str


def table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], failed: Collection[int] = ()
) -> str:
    """Return a table with every cell escaped; `failed` numbers the rows, from 0, to highlight."""
    rows = list(rows)
    first = rows[0] if rows else ()
    head = "".join(
        f"<th{_kind_of(first[place] if place < len(first) else '')}>{html.escape(name)}</th>"
        for place, name in enumerate(columns)
    )
    wide = ' class="wide"' if len(columns) >= WIDE else ""
    lines: list[str] = []
    for number, row in enumerate(rows):
        kind = ' class="failed"' if number in failed else ""
        lines.append(f"<tr{kind}>{''.join(_cell(value) for value in row)}</tr>")
    body = "\n".join(lines)
    return (
        f"<div><table{wide}><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>"
    )


def _cell(value: object) -> str:
    if isinstance(value, PageLink):
        address, text = html.escape(value.address, quote=True), html.escape(value.text)
        return f'<td class="text"><a href="{address}">{text}</a></td>'
    return f"<td{_kind_of(value)}>{html.escape(cell_text(value))}</td>"


def _kind_of(value: object) -> str:
    """Return the class of a cell, and of the heading above it: words are set to the left."""
    words = isinstance(value, PageLink) or (isinstance(value, str) and not _NUMBER.match(value))
    return ' class="text"' if words else ""


def state_line(text: str, state: ReportState) -> str:
    """Return one line with the state as mark and colour."""
    mark = {"passed": "✔", "warning": "⚠"}.get(state, "✘")
    return f'<p class="{state}">{mark} {html.escape(text)}</p>'


def report_html(report: Report, left_out: Collection[str] = ()) -> list[str]:
    """Return a report as parts of a page: heading, verdict, facts, every block not left out."""
    parts = [
        f'<h2 id="{html.escape(report.name, quote=True)}">{html.escape(report.title)}</h2>',
        state_line(report.verdict, report.state),
    ]
    if report.facts:
        parts.append(table(("", ""), report.facts.items()))
    return parts + [_block(block) for block in report.blocks if block.name not in left_out]


def _block(block: Block) -> str:
    title = html.escape(block.title)
    if isinstance(block, TableBlock):
        return f"<h3>{title}</h3>{table(block.columns, block.rows, block.failed)}"
    if isinstance(block, BarBlock):
        return f"<figure>{bar_chart(block.bars, block.form)}</figure>"
    return f'<p><img alt="{title}" src="data:image/png;base64,{block.png}"></p>'
