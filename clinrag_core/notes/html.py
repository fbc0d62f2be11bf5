"""A page that shows a note next to its summary and plan, each item linked to its characters.

One file without scripts or anything from elsewhere; every text is escaped.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from clinrag_core.notes.check_outline import check_entries
from clinrag_core.notes.citations import parse_source
from clinrag_core.notes.outline import outline
from clinrag_core.notes.plan import how_soon, problems_to_show
from clinrag_core.notes.records import section_title

if TYPE_CHECKING:
    from clinrag_core.notes.outline import OutlineSection
    from clinrag_core.notes.records import GuidelineFinding, NotePlan, NoteResult

_STYLE = """
:root { color-scheme: light; --line: #d5dbe3; --mark: #fff3bf; --lit: #ffd43b; --ink: #1c2733; }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: #f6f8fa; }
header { padding: 12px 24px; background: #fff; border-bottom: 1px solid var(--line); }
h1 { font-size: 20px; margin: 0; } h2 { font-size: 17px; margin: 20px 0 4px; }
h3 { font-size: 13px; margin: 8px 0 0; color: #556270; font-weight: 600; }
main { display: grid; grid-template-columns: 1fr 1fr; height: calc(100vh - 84px); }
section { overflow: auto; padding: 8px 24px 40px; } section + section { border-left: 1px solid var(--line); }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: 15px/1.6 ui-monospace, monospace; }
a { color: inherit; text-decoration: none; } a:hover, a:focus-visible { outline: 2px solid #1971c2; }
pre a { background: var(--mark); border-radius: 3px; } :target, :target a { background: var(--lit); }
ol, ul { padding-left: 20px; margin: 0; } li { margin: 2px 0; scroll-margin: 30vh; } pre a { scroll-margin: 30vh; }
small { color: #556270; } .tag { font-size: 12px; border: 1px solid var(--line); border-radius: 8px; padding: 0 6px; }
@media (max-width: 800px) { main { display: block; height: auto; } }
"""  # noqa: E501 - style sheet


def note_page(note: str, result: NoteResult, title: str) -> str:
    """Return the page of a note, its summary and, if there are any, its plan and check."""
    sections = outline(result)
    items = "".join(_section(one) for one in sections)
    plan = _plan(result.plan) if result.plan else ""
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
        f'<main><section aria-label="Note"><pre>{_marked(note, result, sections)}</pre></section>'
        f'<section aria-label="Summary">{items}{plan}{check}{dropped}</section></main>'
        "</body></html>"
    )


def _spans(result: NoteResult, sections: tuple[OutlineSection, ...]) -> dict[tuple[int, int], str]:
    """Return the spans that are cited, each with the id of the first line that cites it."""
    lines = [
        (item.source, f"{section.name}-{item.number}")
        for section in sections
        for group in section.groups
        for item in group.items
    ]
    plan = result.plan.recommendations if result.plan else ()
    lines += [(one.source, f"plan-{one.number}") for one in plan]
    spans: dict[tuple[int, int], str] = {}
    for cited, name in lines:
        source = parse_source(cited)
        if source is not None:
            spans.setdefault((source.start, source.end), name)
    return spans


def _marked(note: str, result: NoteResult, sections: tuple[OutlineSection, ...]) -> str:
    """Return the note, escaped, with a link around every span that is cited."""
    parts: list[str] = []
    at = 0
    for (start, end), item in sorted(_spans(result, sections).items()):
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


def _section(section: OutlineSection) -> str:
    """Return one section of the summary, under the headings of the note."""
    parts: list[str] = []
    named: set[int] = set()
    for group in section.groups:
        parts.append(f"<h3>{escape(' '.join(group.title.split()))}</h3><ul>")
        for item in group.items:
            tag = f' <span class="tag">{escape(item.status)}</span>' if item.status else ""
            # A statement with two medicines is two lines with one place.
            name = "" if item.number in named else f' id="{section.name}-{item.number}"'
            named.add(item.number)
            parts.append(f"<li{name}>{_link(item.source, item.text)}{tag}</li>")
        parts.append("</ul>")
    listed = "".join(parts) or f"<p><small>{escape(section.remark)}</small></p>"
    return f"<h2>{section_title(section.name)}</h2>{listed}"


def _plan(plan: NotePlan) -> str:
    """Return the plan, most urgent first, with a confidence where it is not whole."""
    rows: list[str] = []
    for one, problem in zip(plan.recommendations, problems_to_show(plan), strict=True):
        said = _link(one.source, one.recommendation)
        if problem is not None:
            said = f"{_link(problem.source, problem.text.rstrip(' .:'))}: {said}"
        confidence = f"confidence {one.confidence:.1f}" if one.hallucination_guard_note else ""
        tags = "".join(
            f' <span class="tag">{tag}</span>' for tag in (how_soon(one), confidence) if tag
        )
        guard = one.hallucination_guard_note
        note = f"<br><small>{escape(guard)}</small>" if guard else ""
        rows.append(f'<li id="plan-{one.number}">{said}{tags}{note}</li>')
    listed = f"<ol>{''.join(rows)}</ol>" if rows else "<p><small>nothing stated</small></p>"
    return f"<h2>Plan</h2>{listed}"


def _check(findings: tuple[GuidelineFinding, ...]) -> str:
    """Return what the knowledge bases say; what they say nothing of is folded up."""
    rows: list[str] = []
    silent = [one.question for one in findings if not one.evidence]
    for entry in check_entries(findings):
        quotes = "".join(
            f"<br><small>{escape(q.text)} "
            f"({'quoted above; ' * q.is_above}{escape(q.place)})</small>"
            for q in entry.quotes
        )
        items = "; ".join(_link(item.source, item.text) for item in entry.items)
        rows.append(
            f'<li>{items} <span class="tag">{entry.verdict}</span>'
            f"<br>{escape(' '.join(entry.questions))}{quotes}</li>"
        )
    listed = f"<ul>{''.join(rows)}</ul>" if rows else ""
    if silent:
        asked = "".join(f"<li>{escape(question)}</li>" for question in silent)
        count = f"no guideline evidence on {len(silent)} questions"
        listed += f"<details><summary>{count}</summary><ul>{asked}</ul></details>"
    return f"<h2>Guidelines and labels</h2>{listed or '<p><small>nothing to check</small></p>'}"
