"""The parse audit for people: one row per document, what to look at first, two pictures."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from clinrag_core.evaluate.plots import panels
from clinrag_core.evaluate.render_html import image, page, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from clinrag_core.evaluate.parse_audit.audit import DocumentAudit

COLUMNS = (
    "document", "format", "words", "pages", "sections", "headings/page", "heading recall",
    "running text", "kept", "tables", "recommendations", "broken ends", "warnings",
)  # fmt: skip


def audit_row(row: DocumentAudit) -> tuple[str | int | float | None, ...]:
    """The cells of `COLUMNS`."""
    return (
        row.file if row.kind == "label" else row.document_id or row.file,
        row.format,
        row.words,
        row.pages,
        row.sections,
        row.headings_per_page,
        row.heading_recall,
        row.running_share,
        row.kept,
        row.tables,
        row.recommendations,
        row.broken_ends,
        ", ".join(row.warnings) or None,
    )


def render_parse_report(
    corpus: str,
    rows: Sequence[DocumentAudit],
    heading_recall: float | None,
    not_acquired: Sequence[str],
) -> str:
    """The audit as HTML; it shows figures and file names, no sentence of a document."""
    parsed = [row for row in rows if row.quarantined is None]
    facts = [
        ("documents", len(parsed)),
        ("in quarantine", len(rows) - len(parsed)),
        ("not acquired", len(not_acquired)),
        ("words", sum(row.words for row in parsed)),
        ("heading recall against outlines", heading_recall),
        ("findings", sum(len(row.findings) for row in parsed)),
    ]
    findings = [
        (row.file, finding.severity, finding.code, finding.message)
        for row in parsed
        for finding in row.findings
    ]
    findings.sort(key=lambda f: (f[1], f[2], f[0]))
    parts = [
        table(["", ""], facts),
        "<p>Kept: letters and digits in sections over those in the file, counted without the "
        "parser; 1 is all of them, once.</p>",
        "<h2>To look at</h2>",
        table(["file", "severity", "finding", "what"], findings) if findings else "<p>Nothing.</p>",
        "<h2>In quarantine</h2>",
        table(["file", "reason"], [(r.file, r.quarantined) for r in rows if r.quarantined])
        if len(parsed) < len(rows)
        else "<p>Nothing.</p>",
        *(f"<p>Not acquired: {html.escape(reason)}</p>" for reason in not_acquired),
        "<h2>Documents</h2>",
        image(audit_figure(parsed), "kept share and headings per page"),
        table(COLUMNS, [audit_row(row) for row in parsed]),
    ]
    return page(f"Parse audit of {corpus}", parts)


def audit_figure(rows: Sequence[DocumentAudit]) -> Figure:
    """Share of letters kept per document, and headings per page against pages."""
    figure, (left, right) = panels(2)
    kept = sorted(row.kept for row in rows if row.kept is not None)
    left.plot(range(1, len(kept) + 1), kept, "o", ms=3, color="#3d6fb6")
    left.axhline(1.0, color="black", lw=1, ls="--")
    left.set_ylim(min(0.9, *kept, 1.0) - 0.02, max(1.05, *kept, 1.0) + 0.02)
    left.set_xlabel("document, by share", fontsize=8)
    left.set_ylabel("letters kept", fontsize=8)
    rated = [(r.pages, r.headings_per_page) for r in rows if r.pages and r.headings_per_page]
    right.plot([p for p, _ in rated], [h for _, h in rated], "o", ms=4, color="#2e8b57")
    right.set_ylim(bottom=0)
    right.set_xlabel("pages", fontsize=8)
    right.set_ylabel("headings per page", fontsize=8)
    return figure
