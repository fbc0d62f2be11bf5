"""The parts of an evaluation's page that tell its story: verdict, changes, worst answers, contents.

Made of the stored reports alone. Each table of a report stays further down, with an anchor.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from clinrag_core.evaluate.render_html import state_line, table
from clinrag_core.evaluate.report import TableBlock

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from clinrag_core.evaluate.report import Cell, EvaluationReport, Report

WORST_ANSWERS = "worst_answers"
"""Block of the answer report that is shown as cards instead of a table."""
COMPARED = "summary"
"""Block of a report that compares its figures with the accepted baseline."""
SHOWN_FIRST = 10
"""Cards of the worst answers shown before the rest is unfolded."""
SOURCE_PAGE = "http://127.0.0.1:8000/sources"
"""Where `clinrag serve` shows a cited place by default."""
_PARTS = {
    "headline": "In figures (test split)",
    "changes": "What changed",
    "worst": "The worst answers",
    "contents": "Everything measured",
}
"""Parts of the story, by the name of their place on the page."""
NOT_JUDGED = "not judged"
_LINES = " ¶ "
"""How a cell of a report separates its texts."""


def story(reports: Sequence[EvaluationReport], headline: Mapping[str, tuple[float, str]]) -> str:
    """Return the first part of a page: verdict, headline figures, changes, worst answers, contents.

    `headline` maps a figure's label to its value and to what it means.
    """
    failed = [f"{report.title}: {name}" for report in reports for name in report.failed]
    if failed:
        verdict = state_line(f"May not be released: {', '.join(failed)}", "failed")
    else:
        verdict = state_line("Every gate holds: may be released", "passed")
    warnings = [
        state_line(f"{report.title}: {check.description}", "warning")
        for report in reports
        for check in report.checks
        if not (check.passed or check.gate)
    ]
    figures = [(label, value, meaning) for label, (value, meaning) in headline.items()]
    parts = [
        verdict,
        *warnings,
        _jumps(reports),
        _section("headline"),
        table(("", "now", "meaning"), figures),
        _section("changes"),
        _changes(reports),
        _section("worst"),
        _worst(reports),
        _section("contents"),
        _contents(reports),
    ]
    return "\n".join(parts)


def _jumps(reports: Iterable[EvaluationReport]) -> str:
    """Return links to the parts of the page, for its top."""
    parts = [*_PARTS.items(), *((report.name, report.title) for report in reports)]
    items = "".join(f'<li><a href="#{name}">{html.escape(text)}</a></li>' for name, text in parts)
    return f'<nav aria-label="On this page"><ul class="jumps">{items}</ul></nav>'


def _section(name: str) -> str:
    return f'<h2 id="{name}">{html.escape(_PARTS[name])}</h2>'


def _changes(reports: Sequence[EvaluationReport]) -> str:
    """Return the gated figures that are not as accepted, worst first; or that none changed.

    Those with nothing to be compared with, on a first evaluation all of them, are only counted.
    """
    rows: list[tuple[object, ...]] = []
    failed: set[int] = set()
    compared = new = 0
    for report in reports:
        for block in _tables(report, COMPARED):
            if "delta" not in block.columns:
                continue
            for number, row in enumerate(block.rows):
                cells = dict(zip(block.columns, row, strict=True))
                if str(cells["verdict"]).startswith(NOT_JUDGED) and number not in block.failed:
                    new += 1
                    continue
                compared += 1
                if _is_zero(cells["delta"]) and number not in block.failed:
                    continue
                if number in block.failed:
                    failed.add(len(rows))
                rows.append((report.title, *(cells[name] for name in block.columns)))
    if new and not compared:
        return (
            f"<p>There is nothing to compare the {new} gated figures with yet: too few questions, "
            "or the first evaluation of this corpus. The next run is compared with this one.</p>"
        )
    unjudged = f"<p>{new} more have nothing to be compared with yet.</p>" if new else ""
    if not rows:
        none = f"<p>None of the {compared} gated figures differs from the accepted baseline.</p>"
        return none + unjudged
    names = ("report", *next(b.columns for r in reports for b in _tables(r, COMPARED)))
    kept = f"<p>{compared - len(rows)} of {compared} gated figures are as accepted.</p>"
    return table(names, rows, failed) + kept + unjudged


def _is_zero(delta: Cell) -> bool:
    """True for a difference that is shown as zero."""
    return delta is not None and str(delta).lstrip("+-") in {"0", "0.000"}


def _worst(reports: Sequence[EvaluationReport]) -> str:
    """Return a card for each of the worst answers, the first ten in full view."""
    cards = [
        _card(dict(zip(block.columns, row, strict=True)))
        for report in reports
        for block in _tables(report, WORST_ANSWERS)
        for row in block.rows
    ]
    if not cards:
        return "<p>No question with known facts could be judged on this corpus.</p>"
    first, rest = cards[:SHOWN_FIRST], cards[SHOWN_FIRST:]
    folded = (
        f"<details><summary>{len(rest)} more</summary>{''.join(rest)}</details>" if rest else ""
    )
    linked = any(SOURCE_PAGE in card for card in cards)
    note = "<p>Links show a source with its words marked while <code>clinrag serve</code> runs.</p>"
    return (note if linked else "") + "".join(first) + folded


def _card(cells: Mapping[str, Cell]) -> str:
    """Return a question with the answer, the expected answer, and where that is written."""
    recall = cells["recall"]
    share = "" if recall is None else f", {float(recall):.0%} of the vital facts"
    about = f"{cells['question']} · {cells['kind']} · {cells['split']} split{share}"
    said = str(cells["was said"] or "")
    parts = [
        f"<article><h3>{html.escape(str(cells['text']))}</h3>",
        f'<p class="about">{html.escape(about)}</p><dl>',
        _entry(
            "Answered",
            said or f"refused: {cells['status']}".replace("_", " "),
            cells.get("said at"),
        ),
        _entry("Should have come", cells["should have come"]),
        _entry("Written in", cells["from"], cells.get("from at")),
        _entry("Said, but must not be", cells["traps said"], kind="failed"),
        "</dl></article>",
    ]
    return "".join(parts)


def _entry(name: str, cell: Cell, places: Cell = None, *, kind: str = "") -> str:
    """Return a term of a card with its texts, each with a link to its place; empty without any."""
    if not cell:
        return ""
    mark = f' class="{kind}"' if kind else ""
    texts, at = str(cell).split(_LINES), str(places or "").split(_LINES)
    at += [""] * (len(texts) - len(at))
    shown = "".join(
        f"<p>{html.escape(text)}{_link(place)}</p>" for text, place in zip(texts, at, strict=False)
    )
    return f"<dt>{name}</dt><dd{mark}>{shown}</dd>"


def _link(place: str) -> str:
    """Return a link to a cited place on the question page, words marked; empty without one."""
    if not place:
        return ""
    return f' <a href="{SOURCE_PAGE}?{html.escape(urlencode({"at": place}))}">source</a>'


def _contents(reports: Iterable[EvaluationReport]) -> str:
    """Links to every report and its blocks."""
    items = [
        f'<li><a href="#{report.name}">{html.escape(report.title)}</a>: '
        f"{html.escape(report.verdict)}</li>"
        for report in reports
    ]
    return f"<nav><ul>{''.join(items)}</ul></nav>"


def _tables(report: Report, name: str) -> list[TableBlock]:
    return [b for b in report.blocks if isinstance(b, TableBlock) and b.name == name]
