"""A page that shows a note next to its summary and plan, each item linked to its characters.

One file without scripts or anything from elsewhere; every text is escaped.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from clinrag_core.notes.citations import parse_source
from clinrag_core.notes.records import SUMMARY_SECTIONS, section_title

if TYPE_CHECKING:
    from clinrag_core.notes.records import (
        GuidelineFinding,
        NoteResult,
        PlanRecommendation,
        SummarySection,
    )

_STYLE = """
:root { color-scheme: light; --line: #d5dbe3; --mark: #fff3bf; --lit: #ffd43b; --ink: #1c2733; }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: #f6f8fa; }
header { padding: 12px 24px; background: #fff; border-bottom: 1px solid var(--line); }
h1 { font-size: 20px; margin: 0; } h2 { font-size: 16px; margin: 20px 0 6px; }
main { display: grid; grid-template-columns: 1fr 1fr; height: calc(100vh - 84px); }
section { overflow: auto; padding: 8px 24px 40px; } section + section { border-left: 1px solid var(--line); }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: 15px/1.6 ui-monospace, monospace; }
a { color: inherit; text-decoration: none; } a:hover, a:focus-visible { outline: 2px solid #1971c2; }
pre a { background: var(--mark); border-radius: 3px; } :target, :target a { background: var(--lit); }
ol, ul { padding-left: 20px; margin: 0; } li { margin: 2px 0; scroll-margin: 30vh; } pre a { scroll-margin: 30vh; }
small { color: #556270; } .tag { font-size: 12px; border: 1px solid var(--line); border-radius: 8px; padding: 0 6px; }
@media (max-width: 800px) { main { display: block; height: auto; } }
"""  # noqa: E501 - style sheet
_TAGS = ("absent", "mixed", "family", "past", "planned", "possible", "conditional")


def note_page(note: str, result: NoteResult, title: str) -> str:
    """Return the page of a note, its summary and, if there are any, its plan and check."""
    items = "".join(_section(result, name) for name in SUMMARY_SECTIONS)
    plan = _plan(result.plan.recommendations) if result.plan else ""
    check = _check(result.guideline_check) if result.guideline_check is not None else ""
    counts = f"{len(result.dropped)} refused by a check, {len(result.not_summarised)} in no section"
    dropped = f"<p><small>{counts}</small></p>"
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'\">"
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>"
        f"<header><h1>{escape(title)}</h1><small>{escape(result.notice)}</small></header>"
        f'<main><section aria-label="Note"><pre>{_marked(note, result)}</pre></section>'
        f'<section aria-label="Summary">{items}{plan}{check}{dropped}</section></main>'
        "</body></html>"
    )


def _spans(result: NoteResult) -> dict[tuple[int, int], str]:
    """Return the spans that items cite, each with the id of the first item that cites it."""
    spans: dict[tuple[int, int], str] = {}
    for name in SUMMARY_SECTIONS:
        for number, item in enumerate(result.summary.section(name)):
            source = parse_source(item.source)
            if source is not None:
                spans.setdefault((source.start, source.end), f"{name}-{number}")
    return spans


def _marked(note: str, result: NoteResult) -> str:
    """Return the note, escaped, with a link around every span that is cited."""
    parts: list[str] = []
    at = 0
    for (start, end), item in sorted(_spans(result).items()):
        parts.append(escape(note[at:start]))
        said = escape(note[start:end])
        parts.append(f'<a id="s{start}-{end}" href="#{item}">{said}</a>')
        at = end
    return "".join([*parts, escape(note[at:])])


def _link(source: str, text: str) -> str:
    """Return a text that leads to the characters of a source."""
    place = parse_source(source)
    inner = escape(" ".join(text.split()))
    if place is None:
        return inner
    return f'<a href="#s{place.start}-{place.end}" title="{escape(source)}">{inner}</a>'


def _section(result: NoteResult, name: SummarySection) -> str:
    """Return one section of the summary."""
    rows: list[str] = []
    for number, item in enumerate(result.summary.section(name)):
        tag = f' <span class="tag">{item.status}</span>' if item.status in _TAGS else ""
        rows.append(f'<li id="{name}-{number}">{_link(item.source, item.text)}{tag}</li>')
    listed = f"<ul>{''.join(rows)}</ul>" if rows else "<p><small>nothing stated</small></p>"
    return f"<h2>{section_title(name)}</h2>{listed}"


def _plan(recommendations: tuple[PlanRecommendation, ...]) -> str:
    """Return the plan, most urgent first."""
    rows: list[str] = []
    for one in recommendations:
        said = _link(one.source, one.recommendation)
        if one.problem is not None:
            said = f"{_link(one.problem.source, one.problem.text)}: {said}"
        guard = one.hallucination_guard_note
        note = f"<br><small>{escape(guard)}</small>" if guard else ""
        rows.append(
            f'<li>{said} <span class="tag">{one.urgency}</span> '
            f'<span class="tag">confidence {one.confidence:.1f}</span>{note}</li>'
        )
    return f"<h2>Plan</h2><ol>{''.join(rows)}</ol>"


def _check(findings: tuple[GuidelineFinding, ...]) -> str:
    """Return what the knowledge bases say."""
    rows: list[str] = []
    for one in findings:
        evidence = "".join(
            f"<br><small>{escape(e.text)} ({escape(e.document)}, {escape(e.section)})</small>"
            for e in one.evidence
        )
        rows.append(
            f'<li>{_link(one.source, one.about)} <span class="tag">{one.verdict}</span>'
            f"<br>{escape(one.question)}{evidence}</li>"
        )
    listed = f"<ul>{''.join(rows)}</ul>" if rows else "<p><small>nothing to check</small></p>"
    return f"<h2>Guidelines and labels</h2>{listed}"
