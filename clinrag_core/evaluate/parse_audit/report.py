"""The parse audit of a corpus as a report: one row per document, its findings, two figures."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from clinrag_core.evaluate.bar_chart import Bar
from clinrag_core.evaluate.parse_audit.audit import DocumentAudit
from clinrag_core.evaluate.plots import panels
from clinrag_core.evaluate.report import (
    BarBlock,
    Report,
    ReportCheck,
    figure_block,
    finite,
    table_block,
)
from clinrag_core.model.base import Record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

_FIELDS = (
    "format", "words", "pages", "sections", "headings_per_page", "heading_recall",
    "running_share", "kept", "tables", "recommendations", "broken_ends",
)  # fmt: skip
COLUMNS = (
    "document", "format", "words", "pages", "sections", "headings/page", "heading recall",
    "running text", "kept", "tables", "recommendations", "broken ends", "warnings",
)  # fmt: skip


CHECKS: dict[str, tuple[str, ...]] = {
    "no_text_lost": ("text_lost", "text_repeated"),
    "headings_found": ("headings_missed",),
    "nothing_outside_index": ("words_outside_index", "chapter_outside_index"),
    "words_apart": ("glued_words",),
    "structure_whole": (
        "empty_sections",
        "columns_mixed",
        "caption_without_table",
        "grade_without_statement",
    ),
    "labels_complete": ("no_active_ingredient", "boxed_warning"),
}
"""Check to the codes of its findings; what belongs to no check is in the report alone. None is a
gate: one odd document must not stop the others from being served."""
SHOWN_FINDINGS = 3  # files of each code
KINDS = ("guideline", "label")


class ParseAudit(Record):
    """Every document of a corpus with the figures of its parsing."""

    corpus: str
    rows: tuple[DocumentAudit, ...]
    not_acquired: tuple[str, ...] = ()
    """Files that could not be acquired, with the reason."""

    @property
    def parsed(self) -> tuple[DocumentAudit, ...]:
        """Rows of documents that were parsed."""
        return tuple(row for row in self.rows if row.quarantined is None)

    @property
    def heading_recall(self) -> float | None:
        """Over all outline entries of all documents; None if no document has an outline."""
        rows = [row for row in self.rows if row.heading_recall is not None]
        wanted = sum(row.outline_entries for row in rows)
        matched = sum((row.heading_recall or 0.0) * row.outline_entries for row in rows)
        return matched / wanted if wanted else None


def _audit_row(row: DocumentAudit) -> tuple[str | int | float | None, ...]:
    """Return the cells of `COLUMNS`."""
    name = row.file if row.kind == "label" else row.document_id or row.file
    return (name, *(getattr(row, field) for field in _FIELDS), ", ".join(row.warnings) or None)


def parse_report(audit: ParseAudit) -> Report:
    """Return the audit as a report; it shows figures and file names, no sentence of a document."""
    parsed = audit.parsed
    recall = audit.heading_recall
    findings = Counter(finding.code for row in parsed for finding in row.findings)
    listed = [(f.severity, row.file, f.code, f.message) for row in parsed for f in row.findings]
    checks = tuple(_check(name, codes, parsed) for name, codes in CHECKS.items())
    unusable = [(row.file, row.quarantined) for row in audit.rows if row.quarantined]
    unusable += [
        (reason.partition(":")[0], f"not acquired: {reason}") for reason in audit.not_acquired
    ]
    failed = [check.name for check in checks if not check.passed]
    worst = sorted(parsed, key=lambda row: (-len(row.findings), row.kind, row.file))
    return Report(
        name="parse_audit",
        title=f"Parse audit of {audit.corpus}",
        state="warning" if failed else "passed",
        verdict=", ".join(failed) or f"no finding in {len(parsed)} documents",
        facts={
            "documents": str(len(parsed)),
            "words": f"{sum(row.words for row in parsed):,}",
            "in quarantine": str(len(audit.rows) - len(parsed)),
            "heading recall": "no outline to compare with" if recall is None else f"{recall:.3f}",
            "kept": "letters and digits in sections over those in the file, counted without the "
            "parser; 1 is all of them, once",
        },
        blocks=(
            BarBlock(
                name="overview",
                title="findings by check",
                bars=tuple(
                    Bar(check.name, float(check.figures["findings"]), None, check.passed)
                    for check in checks
                ),
                form="{:.0f}",
            ),
            table_block("summary", "By kind", SUMMARY_COLUMNS, _summary(parsed)),
            figure_block(
                "kept_and_headings", "kept share and headings per page", audit_figure(parsed)
            ),
            table_block(
                "findings", "Findings", ("severity", "file", "finding", "what"), sorted(listed)
            ),
            table_block("quarantine", "Files that are not used", ("file", "reason"), unusable),
            table_block("documents", "Documents", COLUMNS, [_audit_row(row) for row in worst]),
        ),
        checks=checks,
        metrics={
            **({"parse/heading_recall": recall} if recall is not None else {}),
            **finite("parse/findings", {code: float(n) for code, n in findings.items()}),
        },
        trends=("parse/heading_recall",) if recall is not None else (),
    )


SUMMARY_COLUMNS = (
    "kind", "documents", "words", "sections", "tables", "recommendations", "least kept", "findings",
)  # fmt: skip


def _summary(parsed: Sequence[DocumentAudit]) -> list[tuple[object, ...]]:
    """One row per kind of document."""
    return [
        (
            kind,
            len(group),
            sum(row.words for row in group),
            sum(row.sections for row in group),
            sum(row.tables for row in group),
            sum(row.recommendations for row in group),
            min((row.kept for row in group if row.kept is not None), default=None),
            sum(len(row.findings) for row in group),
        )
        for kind in KINDS
        if (group := [row for row in parsed if row.kind == kind])
    ]


def _check(name: str, codes: tuple[str, ...], parsed: Sequence[DocumentAudit]) -> ReportCheck:
    """Return a check that fails if a document has a finding of these codes, with their counts."""
    by_code = {
        code: [f"{r.file}: {f.message}" for r in parsed for f in r.findings if f.code == code]
        for code in codes
    }
    shown = [
        f"{code}: {'; '.join(messages[:SHOWN_FINDINGS])}"
        for code, messages in by_code.items()
        if messages
    ]
    counts = {code: len(messages) for code, messages in by_code.items()}
    return ReportCheck(
        name=name,
        passed=not shown,
        gate=False,
        description=". ".join(shown) or f"no finding in {len(parsed)} documents",
        figures={"findings": sum(counts.values()), **counts},
    )


def audit_figure(rows: Sequence[DocumentAudit]) -> Figure:
    """Return the share of letters kept per document, and headings per page against pages."""
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
